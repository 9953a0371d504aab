#!/usr/bin/env python3
"""Prints the shared libraries that programs need, and their loader: libraries.py [--direct] PROGRAM...

One path a line, sorted, of this machine's own libraries. Reads the files and runs none of them, so that it finds the
same for every processor. --direct: only what the programs themselves name, not what their libraries need.
"""

import pathlib
import re
import subprocess
import sys
import sysconfig

FOLDERS = [f"{folder}/{sysconfig.get_config_var('MULTIARCH')}" for folder in ("/lib", "/usr/lib")]


def readelf(option, path):
    command = ["readelf", "--wide", option, str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}).stdout


def needed(path):
    """The names that a program or library asks the loader for."""
    return re.findall(r"\(NEEDED\)\s+Shared library: \[([^]]+)\]", readelf("--dynamic", path))


def loader(program):
    found = re.search(r"Requesting program interpreter: ([^]]+)\]", readelf("--program-headers", program))
    return found[1] if found else None


def find(name):
    for folder in FOLDERS:
        path = pathlib.Path(folder, name)
        if path.exists():
            return str(path)
    raise FileNotFoundError(f"no {name} in {' or '.join(FOLDERS)}")


def closure(names, found=()):
    """{name: path} of libraries and of all that they need in turn, `found` among them."""
    found = dict(found)
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = find(name)
            waiting += needed(found[name])
    return found


def libraries(programs, direct=False):
    loaders = {pathlib.Path(path).name: path for path in map(loader, programs) if path}
    names = {name for program in programs for name in needed(program)}
    found = {name: find(name) for name in names - set(loaders)} if direct else closure(names, loaders)
    return sorted({**loaders, **found}.values())


def main(arguments):
    direct = arguments[:1] == ["--direct"]
    for path in libraries(arguments[direct:], direct):
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
