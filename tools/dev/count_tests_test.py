#!/usr/bin/env python3
"""Tests of count_tests.py on build events made by hand."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import count_tests  # noqa: E402


class CountTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def result(self, status, cases=None, label="//a:b", **key):
        outputs = []
        if cases is not None:
            path = self.folder / f"{len(list(self.folder.iterdir()))}.xml"
            path.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
            outputs.append({"name": "test.xml", "uri": path.as_uri()})
        return {
            "id": {"testResult": {"label": label, **key}},
            "testResult": {"status": status, "testActionOutput": outputs},
        }

    def count(self, *events, exit_code=0):
        total = count_tests.count(events, exit_code)
        return total.passed, len(total.failed), total.skipped

    def test_cases_are_counted(self):
        cases = '<testcase name="a"/><testcase name="b"><failure/></testcase><testcase name="c"><error/></testcase>'
        self.assertEqual(self.count(self.result("FAILED", cases), exit_code=3), (1, 2, 0))

    def test_a_disabled_case_counts_nowhere(self):
        self.assertEqual(self.count(self.result("PASSED", '<testcase status="notrun"/>')), (0, 0, 0))

    def test_a_skipped_case_is_a_failure(self):
        self.assertEqual(self.count(self.result("PASSED", "<testcase><skipped/></testcase>")), (0, 1, 0))

    def test_missing_hardware_excuses(self):
        cases = '<testcase><skipped message="x.cc:1&#10;needs hardware: a tape"/></testcase>'
        self.assertEqual(self.count(self.result("PASSED", cases)), (0, 0, 1))

    def test_a_bad_end_after_good_cases_is_a_failure(self):
        self.assertEqual(self.count(self.result("FAILED", "<testcase/>"), exit_code=3), (1, 1, 0))

    def test_no_results_are_a_failure(self):
        self.assertEqual(self.count(self.result("PASSED")), (0, 1, 0))
        self.assertEqual(self.count(self.result("TIMEOUT"), exit_code=3), (0, 1, 0))

    def test_shards_add_up_and_attempts_do_not(self):
        events = [self.result("FAILED", "<testcase/>", shard=1, attempt=1),
                  self.result("PASSED", "<testcase/>", shard=1, attempt=2),
                  self.result("PASSED", "<testcase/>", shard=2, attempt=1)]
        self.assertEqual(self.count(*events), (2, 0, 0))

    def test_what_does_not_build_is_a_failure(self):
        event = {"id": {"targetCompleted": {"label": "//a:b"}}, "completed": {}}
        self.assertEqual(self.count(event, exit_code=1), (0, 1, 0))

    def test_a_build_that_never_began_is_a_failure(self):
        self.assertEqual(self.count(exit_code=2), (0, 1, 0))
        self.assertEqual(self.count(exit_code=4), (0, 0, 0))


if __name__ == "__main__":
    unittest.main()
