#!/usr/bin/env python3
"""Tests of check_map.py on small maps and graphs."""

import pathlib
import sys
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_map  # noqa: E402

MAP = """
| floor | library | what it is |
|---|---|---|
| 2 mains | `tools/st-*` | mains |
| 1 pure | `lib/sql`, `lib/plan` | pure |
| 0 schemas | `schemas` | documents |

- `lib/plan` -> `lib/sql`

| outside | used by |
|---|---|
| `sqlite3` | `lib/sql` |
"""

# All that the map names, and each arrow in use.
WHOLE = {
    "//tools/st-plan:st-plan": [],
    "//lib/sql:sql": ["@system//:sqlite3"],
    "//lib/plan:plan": ["//lib/sql:sql"],
    "//schemas/st/v1:plan": [],
}


def rule(label, inputs, kind="cc_library", testonly=False):
    inputs = "".join(f'<rule-input name="{name}"/>' for name in inputs)
    flag = '<boolean name="testonly" value="true"/>' if testonly else ""
    return f'<rule class="{kind}" name="{label}">{flag}{inputs}</rule>'


def check(arrows, extra=""):
    rules = "".join(rule(label, inputs) for graph in (WHOLE, arrows) for label, inputs in graph.items())
    return check_map.differences(check_map.Map(MAP), ElementTree.fromstring(f"<query>{rules}{extra}</query>"))


class CheckMapTest(unittest.TestCase):
    def test_down_and_listed_arrows_are_fine(self):
        self.assertEqual(check({
            "//tools/st-plan:st-plan": ["//lib/plan:plan", "//schemas/st/v1:plan"],
            "//lib/plan:plan": ["//lib/sql:sql", "//lib/plan:other", "//schemas/st/v1:plan", "//lib/plan:plan.cc"],
        }), [])

    def test_upward(self):
        self.assertEqual(check({"//schemas/st/v1:plan": ["//lib/sql:sql"]}),
                         ["schemas uses lib/sql, which the map does not allow it"])

    def test_unlisted_within_a_floor(self):
        self.assertEqual(check({"//lib/sql:sql": ["//lib/plan:plan"]}),
                         ["lib/sql uses lib/plan, which the map does not allow it"])

    def test_one_main_and_another(self):
        self.assertEqual(check({"//tools/st-plan:st-plan": ["//tools/st-apply:st-apply"]}),
                         ["tools/st-plan uses tools/st-apply, which the map does not allow it"])

    def test_onto_the_roof(self):
        self.assertEqual(check({"//tools/st-plan:st-plan": ["//testdata:data"]}),
                         ["tools/st-plan uses testdata, which the map does not allow it"])

    def test_library_that_is_on_no_floor(self):
        self.assertEqual(check({"//lib/util:util": []}), ["//lib/util:util stands nowhere in the map"])

    def test_library_that_is_gone(self):
        graph = ElementTree.fromstring(f'<query>{rule("//lib/sql:sql", [])}</query>')
        self.assertIn("lib/plan stands in the map, but nothing is built there",
                      check_map.differences(check_map.Map(MAP), graph))

    def test_arrow_that_is_gone(self):
        graph = ElementTree.fromstring("<query>" + "".join(rule(label, []) for label in WHOLE) + "</query>")
        self.assertEqual(check_map.differences(check_map.Map(MAP), graph),
                         ["lib/plan may use lib/sql by the map, but does not",
                          "lib/sql may use sqlite3 by the map, but does not"])

    def test_from_outside(self):
        self.assertEqual(check({
            "//lib/sql:sql": ["@system//:sqlite3", "@com_google_absl//absl/strings:strings"],
            "//lib/plan:plan": ["@system//:sqlite3", "@librdkafka//:rdkafka"],
        }), ["lib/plan uses librdkafka, which the map does not allow it",
             "lib/plan uses sqlite3, which the map does not allow it"])

    def test_tests_are_free(self):
        upward = ["//lib/plan:plan", "@system//:libpq", "//testdata:data"]
        self.assertEqual(check({}, rule("//lib/sql:sql_test", upward, kind="cc_test") +
                               rule("//lib/sql:fake", upward, testonly=True)), [])


if __name__ == "__main__":
    unittest.main()
