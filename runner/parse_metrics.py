#!/usr/bin/python3
"""Reads Prometheus' text format with Prometheus' own Python library, and holds it to what that library lets through.

parse_metrics.py FILE prints a line for each series: name, labels in order of their names as JSON, value. It ends with
code 1 and a sentence when something is wrong.
"""

import json
import math
import sys

from prometheus_client.parser import text_string_to_metric_families


def check_histogram(family):
    """Buckets that only grow up to the count, for each set of other labels."""
    buckets, counts = {}, {}
    for sample in family.samples:
        others = tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le"))
        if sample.name.endswith("_bucket"):
            buckets.setdefault(others, []).append((float(sample.labels["le"]), sample.value))
        elif sample.name.endswith("_count"):
            counts[others] = sample.value
    assert buckets.keys() == counts.keys(), f"{family.name}: buckets without a count, or the other way round"
    for others, pairs in buckets.items():
        assert pairs == sorted(pairs), f"{family.name}: bounds or counts that do not grow"
        assert [b for _, b in pairs] == sorted(b for _, b in pairs), f"{family.name}: counts that do not grow"
        assert pairs[-1] == (math.inf, counts[others]), f"{family.name}: the last bucket is not the count"


def check_lines(text):
    """What the parser does not mind."""
    assert text.endswith("\n"), "the last line has no end"
    described = {}
    for line in text.splitlines():
        if line.startswith("#"):
            _, what, name, rest = line.split(" ", 3)
            assert rest, f"{name} has an empty {what}"
            assert what not in described.setdefault(name, []), f"{name} has two {what} lines"
            described[name].append(what)
    for name, what in described.items():
        assert what == ["HELP", "TYPE"], f"{name} has {what}"


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        text = file.read()
    check_lines(text)
    seen, families = set(), set()
    for family in text_string_to_metric_families(text):
        assert family.name not in families, f"{family.name} stands in two places"
        families.add(family.name)
        assert family.type in ("gauge", "counter", "histogram"), f"{family.name} has the type {family.type}"
        assert family.documentation, f"{family.name} has no help"
        assert family.samples, f"{family.name} has no series"
        if family.type == "histogram":
            check_histogram(family)
        for sample in family.samples:
            suffixes = {"gauge": [""], "counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}[family.type]
            assert sample.name in [family.name + s for s in suffixes], f"{sample.name} is no series of {family.name}"
            assert sample.timestamp is None, f"{sample.name} has a time, which the collector refuses"
            assert not math.isnan(sample.value), f"{sample.name} is no number"
            labels = json.dumps(sample.labels, sort_keys=True)
            assert (sample.name, labels) not in seen, f"{sample.name} {labels} stands there twice"
            seen.add((sample.name, labels))
            print(f"{sample.name} {labels} {sample.value:.6f}")
    assert seen, "nothing is measured"


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, ValueError) as wrong:
        sys.exit(f"{sys.argv[1]}: {wrong}")
