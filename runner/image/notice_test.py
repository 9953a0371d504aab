#!/usr/bin/env python3
"""NOTICE has a text for everything that is handed out, and its making stops where one is missing.

The list of what must be there is found here in another way than the script finds it: by what is in the image.
"""

import io
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import libraries  # noqa: E402
import notice  # noqa: E402


def files_in_image():
    with tarfile.open(pathlib.Path("runner/image/st-runner-image.tar")) as archive:
        name = json.load(archive.extractfile("manifest.json"))[0]["Layers"][0]
        with tarfile.open(fileobj=io.BytesIO(archive.extractfile(name).read())) as layer:
            return {"/" + member.name: layer.extractfile(member).read() for member in layer if member.isfile()}


# What is ours, or is made here.
OURS = {"/usr/bin/st-runner", "/usr/share/doc/st/NOTICE", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf"}


def packages_by_dpkg(paths):
    """Asks dpkg for its lists of files: the other way round than the script does."""
    wanted = {known: path for path in paths for known in (path, "/usr" + path, str(pathlib.Path(path).resolve()))}
    found = {}
    for listing in pathlib.Path("/var/lib/dpkg/info").glob("*.list"):
        for known in wanted.keys() & listing.read_text().splitlines():
            found[wanted[known]] = listing.stem.split(":")[0]
    if lost := set(paths) - set(found):
        raise LookupError(f"no package has {sorted(lost)}")
    return set(found.values())


def outside_components(externals):
    """What the build graph links."""
    origins = [line.split() for line in pathlib.Path("../system/origins.txt").read_text().splitlines()]
    files, components = [], set()
    for label in pathlib.Path(externals).read_text().split():
        repository, _, target = label.removeprefix("@").partition("//:")
        if repository == "system":
            files += [path for name, path in origins if name == target]
        else:
            components.add(repository.partition("//")[0])
    return components | packages_by_dpkg(files)


def wanted_components(files):
    from_packages = sorted(path for path in files if path not in OURS and "certs" not in path)
    outside = outside_components("runner/image/externals.txt")
    return packages_by_dpkg(from_packages) | {"ca-certificates"} | outside


class RealNotice(unittest.TestCase):
    def setUp(self):
        self.files = files_in_image()
        self.text = self.files["/usr/share/doc/st/NOTICE"].decode()

    def test_the_image_has_the_notice_of_the_build(self):
        self.assertEqual(self.text, pathlib.Path("runner/image/NOTICE").read_text())
        self.assertIn("Apache License", self.text.split(notice.LINE)[1])

    def test_everything_in_the_image_has_a_text(self):
        wanted = wanted_components(self.files)
        # What the runner is known to hold: the search above did find something.
        known = {"libc6", "libssl3", "libstdc++6", "libprotobuf32", "libsimdjson14", "librdkafka", "com_google_absl"}
        self.assertLessEqual(known, wanted)
        self.assertEqual(wanted - notice.components_of(self.text), set())
        for component in wanted:
            without = self.text.replace(f"Component: {component} ", "").replace(f"Component: {component}\n", "")
            self.assertEqual(wanted - notice.components_of(without), {component})

    def test_header_libraries_and_what_the_compiler_adds(self):
        found = notice.components_of(self.text)
        for component in ("libprotobuf-dev", "libsimdjson-dev", "libstdc++-12-dev", "libgcc-12-dev", "libc6-dev"):
            self.assertIn(component, found)

    def test_a_text_stands_behind_every_heading(self):
        sections = self.text.split(notice.LINE + "\nComponent: ")[1:]
        self.assertGreater(len(sections), 8)
        for section in sections:
            body = section.split(notice.LINE)[1]
            self.assertRegex(body, r"(?i)copyright|licen[cs]e", section.splitlines()[0])
            self.assertGreater(len(body), 500, section.splitlines()[0])

    def test_texts_that_are_referred_to_are_given(self):
        given = set(notice.re.findall(rf"^Licence text: {notice.COMMON}/(\S+)$", self.text, notice.re.MULTILINE))
        for name in notice.re.findall(notice.COMMON + r"/([\w-]+(?:\.\d+)?)", self.text):
            self.assertIn(name, given)
        self.assertIn("GNU LESSER GENERAL PUBLIC LICENSE", self.text)


class PackageNotice(unittest.TestCase):
    def test_everything_in_the_package_has_a_text(self):
        found = notice.components_of(pathlib.Path("tools/dev/NOTICE").read_text())
        programs = [path for path in pathlib.Path("tools").glob("st-*/st-*") if path.is_file()]
        self.assertGreater(len(programs), 6)
        named = set()
        for program in programs:
            listed = subprocess.run(["objdump", "-p", program], check=True, capture_output=True, text=True).stdout
            named.update(notice.re.findall(r"NEEDED +(\S+)", listed))
        multiarch = libraries.sysconfig.get_config_var("MULTIARCH")
        paths = [f"/lib/{multiarch}/{name}" for name in named if not name.startswith("ld-")]
        wanted = packages_by_dpkg(paths)
        self.assertLessEqual({"libsqlite3-0", "libyaml-0-2", "libre2-9", "libssl3"}, wanted)
        wanted |= outside_components("tools/dev/externals.txt") | wanted_components(files_in_image())
        self.assertLessEqual({"libyaml-dev", "libsqlite3-dev"}, wanted)
        self.assertEqual(wanted - found, set())


class NoticeTest(unittest.TestCase):
    def run_script(self, externals, library="/lib64/ld-linux-x86-64.so.2"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "ours").write_text("OUR LICENCE")
            (root / "theirs").write_text("THEIR LICENCE")
            (root / "libraries").write_text(library + "\n")
            (root / "externals").write_text("".join(label + "\n" for label in externals))
            (root / "origins").write_text("zlib /usr/include/zlib.h\n")
            command = [sys.executable, str(HERE / "notice.py"), f"--licence=theirs={root}/theirs"]
            command += [f"--output={root}/out"]
            command += [f"--{name}={root}/{name}" for name in ("ours", "libraries", "externals", "origins")]
            result = subprocess.run(command, capture_output=True, text=True)
            return result, (root / "out").read_text() if (root / "out").exists() else ""

    def test_what_is_named_is_found(self):
        result, text = self.run_script(["@theirs//a:b", "@theirs//a:c", "@system//:zlib"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLessEqual({"theirs", "zlib1g-dev", "libc6", "libgcc-12-dev"}, notice.components_of(text))
        self.assertEqual(text.count("THEIR LICENCE"), 1)
        self.assertLess(text.index("OUR LICENCE"), text.index("THEIR LICENCE"))

    def test_what_nobody_knows_stops_it(self):
        for externals in (["@system//:unheard_of"], ["@other//:lib"]):
            result, text = self.run_script(externals)
            self.assertIn("nothing says which licence", result.stderr)
            self.assertEqual(text, "")
        result, text = self.run_script([], library=__file__)
        self.assertIn("belongs to no Debian package", result.stderr)
        self.assertEqual(text, "")

    def test_equal_texts_stand_once(self):
        other = "OTHER, see /usr/share/common-licenses/GPL-2."
        text = notice.compose("OURS", [("b 2", "SAME"), ("a 1", "SAME"), ("c 3", other)])
        self.assertEqual(text.count("SAME"), 1)
        self.assertEqual(notice.components_of(text), {"a", "b", "c"})
        self.assertIn("Licence text: /usr/share/common-licenses/GPL-2\n", text)


class LibrariesTest(unittest.TestCase):
    def test_finds_what_the_loader_finds(self):
        for program in ("/bin/bash", "/usr/bin/curl"):
            listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
            wanted = {pathlib.Path(path).name for path in notice.re.findall(r"(/\S+) \(0x", listed)}
            self.assertEqual({pathlib.Path(path).name for path in libraries.libraries([program])}, wanted)

    def test_direct_ones_are_those_that_the_program_names(self):
        self.assertEqual(
            [pathlib.Path(path).name for path in libraries.libraries(["/bin/bash"], direct=True)],
            ["libc.so.6", "libtinfo.so.6", "ld-linux-x86-64.so.2"],
        )


if __name__ == "__main__":
    unittest.main()
