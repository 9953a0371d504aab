#!/usr/bin/env python3
"""The archive that is handed out: its size, what is inside and what is not, and that it comes out the same again."""

import io
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = pathlib.Path("runner/image")
ARCHIVE = HERE / "st-runner-image.tar"


class ArchiveTest(unittest.TestCase):
    def setUp(self):
        with tarfile.open(ARCHIVE) as archive:
            (self.manifest,) = json.load(archive.extractfile("manifest.json"))
            self.config = json.load(archive.extractfile(self.manifest["Config"]))
            layer = archive.extractfile(self.manifest["Layers"][0]).read()
        self.layer = tarfile.open(fileobj=io.BytesIO(layer))
        self.members = {member.name: member for member in self.layer}

    def test_size(self):
        self.assertLessEqual(ARCHIVE.stat().st_size, 40 * 1000 * 1000)

    def test_id(self):
        image_id = (HERE / "st-runner-image.id").read_text()
        self.assertRegex(image_id, r"^sha256:[0-9a-f]{64}\n$")
        self.assertEqual(self.manifest["Config"], "blobs/sha256/" + image_id.strip().removeprefix("sha256:"))

    def test_the_runner_is_the_only_program(self):
        programs = {name for name, member in self.members.items() if member.isfile() and member.mode & 0o111}
        loaders = {name for name in programs if name.split("/")[-1].startswith("ld-linux")}
        self.assertEqual(programs - loaders, {"usr/bin/st-runner"})
        self.assertEqual(len(loaders), 1)
        for name, member in self.members.items():
            self.assertFalse(member.mode & 0o6000, f"{name} is setuid or setgid")
            if name != "var/lib/st":
                self.assertFalse(member.mode & 0o022 and not member.issym(), f"{name} is writable by others")
        for name in ("bin/sh", "bin/bash", "usr/bin/apt", "usr/bin/dpkg", "var/lib/dpkg"):
            self.assertNotIn(name, self.members)

    def test_labels_are_those_of_the_runner_inside(self):
        with tempfile.TemporaryDirectory() as folder:
            runner = pathlib.Path(folder, "st-runner")
            runner.write_bytes(self.layer.extractfile("usr/bin/st-runner").read())
            runner.chmod(0o755)
            said = subprocess.run([runner, "--version"], check=True, capture_output=True, text=True).stdout
        labels = self.config["config"]["Labels"]
        self.assertEqual(f"st-runner {labels['st.runner.version']}\n", said)
        self.assertEqual(labels["st.record_plan.version"], self.version_of_a_compiled_plan())
        self.assertEqual(set(labels), {"st.runner.version", "st.record_plan.version"})

    def version_of_a_compiled_plan(self):
        """What st-compile writes today, in a golden."""
        text = pathlib.Path("testdata/sql/flights.out.textproto").read_text()
        return next(line.split()[1] for line in text.splitlines() if line.startswith("version: "))

    def test_files_of_the_runner_are_whole(self):
        for name in ("usr/share/doc/st/NOTICE", "etc/passwd", "etc/group", "etc/nsswitch.conf"):
            self.assertGreater(self.members[name].size, 0)
        bundle = self.layer.extractfile("etc/ssl/certs/ca-certificates.crt").read()
        self.assertGreater(bundle.count(b"-----BEGIN CERTIFICATE-----\n"), 50)
        self.assertEqual(bundle.count(b"-----BEGIN CERTIFICATE-----\n"), bundle.count(b"-----END CERTIFICATE-----\n"))
        self.assertEqual(self.members["var/lib/st"].mode, 0o1777)

    def test_comes_out_the_same_again(self):
        with tempfile.TemporaryDirectory() as folder:
            again = pathlib.Path(folder, "again.tar")
            inputs = {"runner": "st-runner", "libraries": "libraries.txt", "labels": "labels.txt", "notice": "NOTICE"}
            command = [sys.executable, HERE / "make_image.py", f"--output={again}", f"--id={folder}/id"]
            command += [f"--{flag}={HERE / name}" for flag, name in inputs.items()]
            subprocess.run(command, check=True)
            self.assertEqual(again.read_bytes(), ARCHIVE.read_bytes())
            self.assertEqual(pathlib.Path(folder, "id").read_text(), (HERE / "st-runner-image.id").read_text())


if __name__ == "__main__":
    unittest.main()
