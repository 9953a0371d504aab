#!/usr/bin/env python3
"""Writes NOTICE: the licence texts of everything that is in, or linked into, what we hand out.

What that is, is not listed by hand: the build graph names the outside libraries of the programs (--externals, of a
genquery), the programs name their shared libraries (--libraries), the compiler names what it adds itself. Each file
leads to the Debian package that it came in, each package to its copyright file; what Bazel compiles from a source of
its own brings a licence file (--licence). A thing without a text is an error.
"""

import argparse
import os
import pathlib
import re
import subprocess

COMMON = "/usr/share/common-licenses"
# What the compiler links or compiles into every C++ program without being told.
COMPILER_FILES = ("libgcc.a", "crtbegin.o", "crt1.o", "libc_nonshared.a", "libstdc++.a")
LINE = "=" * 78
HEAD = """st is licensed under the Apache License, Version 2.0, which is the first text
below. What is handed out with it, or linked into it, has the licences that
follow. The sources of Debian's packages are in the Debian archive, under the
names and versions given here.
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def spellings(path):
    """A path in all the ways in which dpkg may know it: before and behind links, and of /usr."""
    for known in dict.fromkeys((str(path), os.path.realpath(path))):
        yield known
        yield known.removeprefix("/usr") if known.startswith("/usr/") else "/usr" + known


def owner(path):
    """The Debian package that a file came in."""
    for known in spellings(path):
        result = subprocess.run(["dpkg-query", "--search", known], capture_output=True, text=True)
        if result.returncode == 0:
            return result.stdout.split(": ")[0].split(",")[0]
    raise LookupError(f"{path} belongs to no Debian package")


def packaged(package):
    """(heading, text) of a Debian package."""
    form = "${Package} ${Version}, Debian source package ${source:Package} ${source:Version}"
    name = package.split(":")[0]
    text = pathlib.Path("/usr/share/doc", name, "copyright").read_text(encoding="utf-8", errors="replace")
    return run("dpkg-query", "--show", "--showformat", form, package), text


def compiler_files():
    return [run("gcc", f"-print-file-name={name}").strip() for name in COMPILER_FILES]


def outside_files(externals, origins, licences):
    """What stands for the outside targets `externals`: installed files, and [repository, licence file]."""
    installed, compiled = set(), set()
    for label in externals:
        repository, _, target = label.lstrip("@").partition("//")
        if repository in licences:
            compiled.add(repository)
        elif repository == "system" and target.lstrip(":") in origins:
            installed.update(origins[target.lstrip(":")])
        else:
            raise LookupError(f"nothing says which licence {label} has")
    return sorted(installed), [(name, licences[name]) for name in sorted(compiled)]


def common_licences(texts):
    """The texts that Debian's copyright files refer to instead of giving them."""
    names = {name.rstrip(".") for text in texts for name in re.findall(COMMON + r"/([\w.+-]+)", text)}
    return [(name, pathlib.Path(COMMON, name).read_text(encoding="utf-8")) for name in sorted(names)]


def compose(ours, components):
    """The whole of NOTICE; `components` are (heading, text). Equal texts stand once, under all their headings."""
    by_text = {}
    for heading, text in sorted(components):
        by_text.setdefault(text, []).append(heading)
    parts = [HEAD, LINE + "\n" + ours]
    for text, headings in sorted(by_text.items(), key=lambda item: item[1]):
        parts.append("\n".join([LINE, *(f"Component: {heading}" for heading in headings), LINE, text]))
    for name, text in common_licences(by_text):
        parts.append(f"{LINE}\nLicence text: {COMMON}/{name}\n{LINE}\n{text}")
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def components_of(notice):
    """The names under which a NOTICE has texts."""
    return set(re.findall(r"^Component: (\S+)", notice, re.MULTILINE))


def pairs(path):
    return [line.split() for line in pathlib.Path(path).read_text().splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", required=True, help="the licence of st")
    parser.add_argument("--libraries", required=True, help="file with the path of a shared library a line")
    parser.add_argument("--externals", required=True, help="file with the label of an outside library a line")
    parser.add_argument("--origins", required=True, help="file with a target of @system and its file a line")
    parser.add_argument("--licence", action="append", default=[], help="repository=licence file")
    parser.add_argument("--installed", action="append", default=[], help="another installed file that is handed out")
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()

    origins = {}
    for target, path in pairs(arguments.origins):
        origins.setdefault(target, []).append(path)
    licences = dict(item.split("=", 1) for item in arguments.licence)
    externals = [label for label, in pairs(arguments.externals)]
    installed, compiled = outside_files(externals, origins, licences)
    installed += [path for path, in pairs(arguments.libraries)] + compiler_files() + arguments.installed
    components = [packaged(package) for package in sorted({owner(path) for path in installed})]
    components += [(name, pathlib.Path(path).read_text(encoding="utf-8")) for name, path in compiled]
    ours = pathlib.Path(arguments.ours).read_text(encoding="utf-8")
    pathlib.Path(arguments.output).write_text(compose(ours, components), encoding="utf-8")


if __name__ == "__main__":
    main()
