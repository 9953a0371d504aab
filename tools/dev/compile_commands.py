#!/usr/bin/env python3
"""Writes compile_commands.json for clang's tools, and makes the generated headers that it points to.

Usage: tools/dev/compile_commands.py, in a checkout.
"""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def bazel(*arguments):
    return subprocess.run(["bazel", *arguments], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def command_of(arguments, external):
    # An editor or clang-tidy runs at the workspace's root, where Bazel's folder "external" is not.
    arguments = [str(external / a.removeprefix("external/")) if a.startswith("external/") else a for a in arguments]
    # For reproducible objects only; clang-tidy takes offence.
    return [a for a in arguments if not a.startswith(("-D__DATE__", "-D__TIME"))]


def main():
    generators = bazel("query", "kind(genrule, //...)").split()
    bazel("build", "--config=clang", "--noshow_progress", *generators)
    external = pathlib.Path(bazel("info", "output_base").strip()) / "external"
    commands = {}
    graph = json.loads(bazel("aquery", "--config=clang", "--output=jsonproto", 'mnemonic("CppCompile", //...)'))
    for action in graph.get("actions", []):
        arguments = action["arguments"]
        source = arguments[arguments.index("-c") + 1]
        if not source.startswith(("external/", "bazel-out/")):
            commands[source] = {
                "directory": str(ROOT),
                "file": source,
                "arguments": command_of(arguments, external),
            }
    (ROOT / "compile_commands.json").write_text(json.dumps(list(commands.values()), indent=1) + "\n")


if __name__ == "__main__":
    main()
