#!/usr/bin/env python3
"""Runs every command that the documentation shows.

usage: docs_commands.py PREFIX FILE.md ...

The `sh` blocks of one page are one script, run in one shell that stops at the first failure; what a page needs first and
a reader need not see stands in a comment `<!-- sh ... -->`. PREFIX is an installed package; a page that installs one
itself installs it there. Prints each command, and how many blocks ran. Before that it follows the links between the
pages that are installed.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```sh\n(.*?)^```$|^<!-- sh\n(.*?)^-->$", re.MULTILINE | re.DOTALL)
# To another file of ours, without the place in it.
LINK = re.compile(r"\]\((?!https?:)([^)#]+)[^)]*\)")
# Whoever runs this runs them too: they cannot be run by their own test.
ELSEWHERE = ("tools/dev/demo\n", "tools/dev/test\n")


def blocks(text):
    found = [match.group(1) or match.group(2) for match in BLOCK.finditer(text)]
    return [script for script in found if script not in ELSEWHERE]


def check_links(folder):
    """Every link of an installed page leads to something that is installed too."""
    dead, followed = [], 0
    for where, _, names in os.walk(folder):
        for name in sorted(name for name in names if name.endswith(".md")):
            path = os.path.join(where, name)
            with open(path, encoding="utf-8") as page:
                targets = LINK.findall(page.read())
            followed += len(targets)
            dead += ["%s: %s" % (path, to) for to in targets if not os.path.exists(os.path.join(where, to))]
    if dead or not followed:
        sys.exit("links that lead nowhere:\n  %s" % "\n  ".join(dead or ["there is no link at all: the pattern is wrong"]))


def kill_what_is_left(folder):
    """A page that failed half-way leaves a broker and runners behind, all of them below its folder."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, encoding="utf-8", errors="replace") as stream:
                if folder in stream.read() and int(pid) != os.getpid():
                    os.kill(int(pid), signal.SIGKILL)
        except OSError:
            continue


def run_page(path, prefix):
    with open(path, encoding="utf-8") as page:
        scripts = blocks(page.read())
    if not scripts:
        return 0
    with tempfile.TemporaryDirectory(prefix="st-docs.", ignore_cleanup_errors=True) as folder:
        environment = dict(os.environ, PREFIX=prefix, TMPDIR=folder,
                           PATH="%s/bin:%s/libexec/st:%s" % (prefix, prefix, os.environ["PATH"]))
        # As a file: a program that reads standard input must not swallow the script.
        script = os.path.join(folder, "page.sh")
        with open(script, "w", encoding="utf-8") as stream:
            stream.write("set -euxo pipefail\n" + "\n".join(scripts))
        done = subprocess.run(["bash", script], stdin=subprocess.DEVNULL, env=environment, check=False)
        kill_what_is_left(folder)
    if done.returncode != 0:
        sys.exit("%s: a command failed with exit code %d" % (path, done.returncode))
    return len(scripts)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    prefix = os.path.realpath(sys.argv[1])
    check_links(os.path.join(prefix, "share/doc/st"))
    count = sum(run_page(path, prefix) for path in sys.argv[2:])
    if count == 0:
        sys.exit("no page shows a command: the pattern is wrong")
    print("%d blocks of commands ran" % count)


if __name__ == "__main__":
    main()
