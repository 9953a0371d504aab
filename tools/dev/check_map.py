#!/usr/bin/env python3
"""Compares docs/map.md with the build graph: check_map.py MAP < `bazel query --output=xml --noimplicit_deps 'kind(rule, //...)'`

Prints what stands in only one of the two, and each arrow that the map does not allow; then exits with 1.
"""

import fnmatch
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

ROOF = ("e2e", "testdata", "tools/bench", "tools/dev", "tools/bazel")
FOR_EVERYBODY = ("com_google_absl", "dpkg_status", "origins.txt", "protobuf", "protoc", "re2")


class Map:
    """What docs/map.md says: the floor of each library, and the arrows that it lists."""

    def __init__(self, text):
        self.floors = {}
        self.arrows = set()
        for line in text.splitlines():
            names = re.findall(r"`([^`]+)`", line)
            if row := re.match(r"\| (\d) ", line):
                self.floors.update((name, int(row[1])) for name in re.findall(r"`([^`]+)`", line.split("|")[2]))
            elif re.match(r"- `[^`]+` -> ", line):
                self.arrows.update((names[0], name) for name in names[1:])
            elif line.startswith("| `"):
                self.arrows.update((user, names[0]) for user in names[1:])

    def library(self, package):
        """The library that a package belongs to; None when the map has none."""
        for name in list(self.floors) + list(ROOF):
            if fnmatch.fnmatchcase(package, name) or fnmatch.fnmatchcase(package, name + "/*"):
                return package if "*" in name else name
        return None

    def floor(self, library):
        if library in ROOF:
            return max(self.floors.values()) + 1
        return next(floor for name, floor in self.floors.items() if fnmatch.fnmatchcase(library, name))

    def forbids(self, user, used):
        if user == used or (user, used) in self.arrows:
            return False
        inside = used in ROOF or any(fnmatch.fnmatchcase(used, name) for name in self.floors)
        return not inside or self.floor(user) <= self.floor(used)


def package_of(label):
    return label.removeprefix("//").partition(":")[0]


def outside_of(label):
    """The name in the map of something from outside: its repository, or its target where the repository is ours."""
    repository, _, target = label.removeprefix("@").partition("//")
    return target.partition(":")[2] if repository == "system" else repository


def is_for_tests(rule):
    flags = {value.get("name"): value.get("value") for value in rule.findall("boolean")}
    return rule.get("class").endswith("_test") or flags.get("testonly") == "true"


def differences(the_map, graph):
    found = set()
    libraries = set()
    uses = set()
    for rule in graph.findall("rule"):
        user = the_map.library(package_of(rule.get("name")))
        if user is None:
            found.add(f"{rule.get('name')} stands nowhere in the map")
            continue
        libraries.add(user)
        if is_for_tests(rule) or user in ROOF:
            continue
        for used in (element.get("name") for element in rule.findall("rule-input")):
            name = outside_of(used) if used.startswith("@") else the_map.library(package_of(used))
            if name is None or name in FOR_EVERYBODY:
                continue
            uses.add((user, name))
            if the_map.forbids(user, name):
                found.add(f"{user} uses {name}, which the map does not allow it")
    for name in the_map.floors:
        if not any(fnmatch.fnmatchcase(library, name) for library in libraries):
            found.add(f"{name} stands in the map, but nothing is built there")
    for user, name in the_map.arrows - uses:
        found.add(f"{user} may use {name} by the map, but does not")
    return sorted(found)


def main(path):
    found = differences(Map(pathlib.Path(path).read_text()), ElementTree.parse(sys.stdin).getroot())
    for difference in found:
        print(f"{path}: {difference}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
