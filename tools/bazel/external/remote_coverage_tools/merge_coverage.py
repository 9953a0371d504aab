#!/usr/bin/env python3
"""Merges the line counts of gcov (JSON) and lcov files into one lcov report, in place of Bazel's Java program."""

import argparse
import collections
import gzip
import json
import pathlib
import re
import sys


class Report:
    """Executions by file and line, for files of the workspace that no filter drops."""

    def __init__(self, filters):
        self._filters = [re.compile(pattern) for pattern in filters]
        self._counts = collections.defaultdict(collections.Counter)

    def _wanted(self, path):
        return not path.startswith("/") and not any(f.fullmatch(path) for f in self._filters)

    def add(self, path, line, count):
        path = path.replace("/proc/self/cwd/", "")
        if self._wanted(path):
            self._counts[path][line] += count

    def add_gcov(self, path):
        with gzip.open(path, "rt") as stream:
            for source in json.load(stream)["files"]:
                for line in source["lines"]:
                    self.add(source["file"], line["line_number"], line["count"])

    def add_lcov(self, path):
        source = None
        for row in path.read_text().splitlines():
            tag, _, value = row.partition(":")
            if tag == "SF":
                source = value
            elif tag == "DA":
                line, count = value.split(",")[:2]
                self.add(source, int(line), int(count))

    def write(self, path):
        with open(path, "w") as out:
            for source, counts in sorted(self._counts.items()):
                out.write(f"SF:{source}\n")
                out.writelines(f"DA:{line},{count}\n" for line, count in sorted(counts.items()))
                out.write(f"LH:{sum(1 for c in counts.values() if c)}\nLF:{len(counts)}\nend_of_record\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--coverage_dir", type=pathlib.Path)
    parser.add_argument("--reports_file", type=pathlib.Path)
    parser.add_argument("--output_file", required=True)
    parser.add_argument("--filter_sources", action="append", default=[])
    options, _ = parser.parse_known_args()

    report = Report(options.filter_sources)
    if options.coverage_dir:
        for path in options.coverage_dir.rglob("*.gcov.json.gz"):
            report.add_gcov(path)
        for path in options.coverage_dir.rglob("*.dat"):
            report.add_lcov(path)
    if options.reports_file:
        for name in options.reports_file.read_text().split():
            # The baseline counts every line once at zero, generated ones too.
            if not name.endswith("baseline_coverage.dat"):
                report.add_lcov(pathlib.Path(name))
    report.write(options.output_file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
