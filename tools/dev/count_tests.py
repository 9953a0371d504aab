#!/usr/bin/env python3
"""Counts what one `bazel test` found out: count_tests.py BUILD_EVENTS EXIT_CODE

Prints "<passed> <failed> <skipped>" test cases, and on standard error what failed. BUILD_EVENTS is the file of
--build_event_json_file. What has no cases of its own (a crash, a time-out, a target that does not build) counts as
one failure. A skipped case is a failure too, unless its message says "needs hardware:" and which.
"""

import json
import pathlib
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

# All is well; some test failed; there was nothing to test.
TESTS_WERE_RUN = (0, 3, 4)


class Count:
    def __init__(self):
        self.passed = 0
        self.skipped = 0
        self.failed = []

    def add_case(self, label, case):
        name = f"{label} {case.get('classname', '')}.{case.get('name', '')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            self.failed.append(name)
        elif skipped is not None:
            message = skipped.get("message", "").strip()
            if "needs hardware:" in message:
                self.skipped += 1
            else:
                self.failed.append(f"{name} (skipped: {message or 'without a reason'})")
        elif case.get("status") != "notrun":
            self.passed += 1

    def add_run(self, label, status, xml):
        failed_before = len(self.failed)
        if xml is not None:
            for case in xml.iter("testcase"):
                self.add_case(label, case)
        if (status != "PASSED" or xml is None) and len(self.failed) == failed_before:
            self.failed.append(f"{label} ({status}, no failed case in its results)")


def read_xml(result):
    for output in result.get("testActionOutput", []):
        if output["name"] == "test.xml":
            path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path))
            try:
                return ElementTree.parse(path).getroot()
            except (OSError, ElementTree.ParseError):
                return None
    return None


def count(events, exit_code):
    total = Count()
    runs = {}
    for event in events:
        key = event.get("id", {})
        if "testResult" in key:
            # A later attempt replaces an earlier one.
            run = key["testResult"]
            runs[run["label"], run.get("run"), run.get("shard")] = event["testResult"]
        elif "targetCompleted" in key and not event.get("completed", {}).get("success"):
            total.failed.append(f"{key['targetCompleted']['label']} (does not build)")
    for (label, _, _), result in sorted(runs.items(), key=lambda item: str(item[0])):
        total.add_run(label, result["status"], read_xml(result))
    if exit_code not in TESTS_WERE_RUN and not total.failed:
        total.failed.append(f"bazel ended with exit code {exit_code}")
    return total


def main(path, exit_code):
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except FileNotFoundError:
        lines = []
    total = count(map(json.loads, lines), int(exit_code))
    for name in total.failed:
        print(f"FAILED {name}", file=sys.stderr)
    print(total.passed, len(total.failed), total.skipped)


if __name__ == "__main__":
    main(*sys.argv[1:])
