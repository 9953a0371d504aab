#!/usr/bin/env python3
"""What the script makes of a few small files: the same bytes whenever, and blobs that agree with what names them."""

import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "make_image.py"


class MakeImageTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.inputs(self.root)

    def inputs(self, root):
        (root / "certificates").mkdir(parents=True)
        # Read in the order of names, whatever the folder's order is; one lacks its last line's end.
        (root / "certificates/b.crt").write_text("B\n")
        (root / "certificates/a.crt").write_text("A")
        (root / "certificates/note.txt").write_text("no certificate")
        (root / "runner").write_bytes(b"\x7fELF runner")
        (root / "labels").write_text("st.runner.version=1.2.3\nst.record_plan.version=7\n")
        (root / "libraries").write_text("/etc/hostname\n/lib64/ld-linux-x86-64.so.2\n")
        (root / "notice").write_text("texts\n")

    def make(self, umask=0o022, root=None):
        root = root or self.root
        command = [sys.executable, str(SCRIPT), f"--output={root}/out.tar", f"--id={root}/id"]
        command += [f"--{name}={root}/{name}" for name in ("runner", "labels", "libraries", "notice", "certificates")]
        subprocess.run(command, check=True, umask=umask, cwd=root, capture_output=True, text=True)
        return (root / "out.tar").read_bytes(), (root / "id").read_text()

    def files(self, content):
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}

    def layer(self, content):
        files = self.files(content)
        name = json.loads(files["manifest.json"])[0]["Layers"][0]
        return tarfile.open(fileobj=io.BytesIO(files[name]))

    def test_the_same_files_give_the_same_bytes(self):
        first = self.make()
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder, "elsewhere")
            self.inputs(other)
            for path in other.rglob("*"):
                os.utime(path, (1, 1))
            (other / "runner").chmod(0o700)
            self.assertEqual(first, self.make(0o077, other))
        (self.root / "runner").write_bytes(b"\x7fELF runner 2")
        self.assertNotEqual(first[1], self.make()[1])

    def test_nothing_tells_who_made_it_when(self):
        content, _ = self.make()
        for tar in (tarfile.open(fileobj=io.BytesIO(content)), self.layer(content)):
            members = tar.getmembers()
            self.assertEqual([member.name for member in members], sorted(member.name for member in members))
            for member in members:
                owner = (member.mtime, member.uid, member.gid, member.uname, member.gname)
                self.assertEqual(owner, (0, 0, 0, "", ""), member.name)

    def test_blobs_are_what_their_names_and_users_say(self):
        content, image_id = self.make()
        files = self.files(content)
        blobs = {name.split("/")[2]: blob for name, blob in files.items() if name.startswith("blobs/sha256/")}
        self.assertEqual(len(blobs), 3)
        for name, blob in blobs.items():
            self.assertEqual(hashlib.sha256(blob).hexdigest(), name)

        def blob_of(descriptor):
            blob = blobs[descriptor["digest"].removeprefix("sha256:")]
            self.assertEqual(descriptor["size"], len(blob))
            return blob

        (described,) = json.loads(files["index.json"])["manifests"]
        manifest = json.loads(blob_of(described))
        config = blob_of(manifest["config"])
        (layer,) = manifest["layers"]
        blob_of(layer)
        self.assertEqual(image_id, manifest["config"]["digest"] + "\n")
        self.assertEqual(json.loads(config)["rootfs"]["diff_ids"], [layer["digest"]])
        (docker,) = json.loads(files["manifest.json"])
        self.assertEqual(docker["Config"], "blobs/sha256/" + manifest["config"]["digest"].removeprefix("sha256:"))
        self.assertEqual(docker["Layers"], ["blobs/sha256/" + layer["digest"].removeprefix("sha256:")])
        self.assertEqual(docker["RepoTags"], ["st-runner:1.2.3"])
        self.assertEqual(json.loads(files["oci-layout"]), {"imageLayoutVersion": "1.0.0"})

    def test_configuration(self):
        content, image_id = self.make()
        config = json.loads(self.files(content)["blobs/sha256/" + image_id.strip().removeprefix("sha256:")])["config"]
        self.assertEqual(config["Entrypoint"], ["/usr/bin/st-runner"])
        self.assertEqual(config["User"], "10001:10001")
        self.assertEqual(config["Labels"], {"st.runner.version": "1.2.3", "st.record_plan.version": "7"})
        self.assertEqual(config["StopSignal"], "SIGTERM")
        self.assertNotIn("Volumes", config)

    def test_files(self):
        tar = self.layer(self.make()[0])
        modes = {member.name: member.mode for member in tar}
        self.assertEqual(modes["usr/bin/st-runner"], 0o755)
        self.assertEqual(modes["lib64/ld-linux-x86-64.so.2"], 0o755)
        self.assertEqual(modes["etc/hostname"], 0o644)
        self.assertEqual(modes["var/lib/st"], 0o1777)
        self.assertEqual(modes["run/st"], 0o755)
        self.assertEqual(tar.extractfile("etc/ssl/certs/ca-certificates.crt").read(), b"A\nB\n")
        self.assertEqual(tar.getmember("usr/lib/ssl/cert.pem").linkname, "/etc/ssl/certs/ca-certificates.crt")
        self.assertEqual(tar.extractfile("usr/share/doc/st/NOTICE").read(), b"texts\n")
        self.assertIn(b"st:x:10001:10001:", tar.extractfile("etc/passwd").read())

    def test_what_is_refused(self):
        (self.root / "runner").write_bytes(bytes(40 * 1000 * 1000))
        with self.assertRaises(subprocess.CalledProcessError) as refused:
            self.make()
        self.assertIn("40000000 are allowed", refused.exception.stderr)
        self.assertFalse((self.root / "out.tar").exists())
        (self.root / "runner").write_bytes(b"small")
        for path in (self.root / "certificates").iterdir():
            path.unlink()
        with self.assertRaises(subprocess.CalledProcessError) as refused:
            self.make()
        self.assertIn("no certificates", refused.exception.stderr)


if __name__ == "__main__":
    unittest.main()
