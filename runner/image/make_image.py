#!/usr/bin/env python3
"""Makes the runner's image: an archive that `docker load` takes, and its id.

The same files give the same bytes, whenever and by whomever it is made. The one layer holds the runner, the libraries
that it needs, and what TLS and the C library look up; no shell, no package manager.
"""

import argparse
import pathlib
import sys

# A link in a build's tree of links leads to this file, and beside it is what it needs.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import oci  # noqa: E402

NAME = "st-runner"
USER = 10001  # of who does not say another
MAX_BYTES = 40 * 1000 * 1000
CERTIFICATES = "/usr/share/ca-certificates/mozilla"
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"

# Where OpenSSL of the distribution looks unless it is told otherwise.
LINKS = {"/usr/lib/ssl/cert.pem": BUNDLE}
FILES = {
    "/etc/passwd": f"root:x:0:0:root:/:/nonexistent\nst:x:{USER}:{USER}:st:/var/lib/st:/nonexistent\n",
    "/etc/group": f"root:x:0:\nst:x:{USER}:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
# An empty volume takes over the mode of the folder that it is mounted on: any user may keep a state there.
FOLDERS = {"/run/st": 0o755, "/var/lib/st": 0o1777}


def certificates(folder):
    """The packaged authorities, not those that someone has added to this machine."""
    texts = [path.read_bytes() for path in sorted(pathlib.Path(folder).glob("*.crt"))]
    if not texts:
        raise FileNotFoundError(f"no certificates in {folder}")
    return b"".join(text if text.endswith(b"\n") else text + b"\n" for text in texts)


def layer(runner, libraries, notice, bundle):
    entries = {
        f"/usr/bin/{NAME}": (oci.FILE, 0o755, runner),
        "/usr/share/doc/st/NOTICE": (oci.FILE, 0o644, notice),
        BUNDLE: (oci.FILE, 0o644, bundle),
    }
    for path in libraries:
        # The kernel runs the loader, so it must be allowed to.
        mode = 0o755 if pathlib.Path(path).name.startswith("ld-") else 0o644
        entries[path] = (oci.FILE, mode, pathlib.Path(path).read_bytes())
    for path, text in FILES.items():
        entries[path] = (oci.FILE, 0o644, text.encode())
    for path, target in LINKS.items():
        entries[path] = (oci.LINK, 0o777, target.encode())
    for path, mode in FOLDERS.items():
        entries[path] = (oci.FOLDER, mode, b"")
    return oci.layer(entries)


def settings(labels):
    return {
        "Entrypoint": [f"/usr/bin/{NAME}"],
        "Env": ["PATH=/usr/bin"],
        "Labels": labels,
        "StopSignal": "SIGTERM",
        "User": f"{USER}:{USER}",
        "WorkingDir": "/",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", required=True, help="the program, stripped")
    parser.add_argument("--libraries", required=True, help="file with the path of a library a line")
    parser.add_argument("--labels", required=True, help="file with name=value a line")
    parser.add_argument("--notice", required=True, help="the licence texts of all that is inside")
    parser.add_argument("--certificates", default=CERTIFICATES, help="folder of *.crt")
    parser.add_argument("--output", required=True, help="the archive to write")
    parser.add_argument("--id", required=True, help="the file to write the image's id to")
    arguments = parser.parse_args()

    labels = dict(line.split("=", 1) for line in pathlib.Path(arguments.labels).read_text().splitlines())
    layer_tar = layer(
        pathlib.Path(arguments.runner).read_bytes(),
        pathlib.Path(arguments.libraries).read_text().split(),
        pathlib.Path(arguments.notice).read_bytes(),
        certificates(arguments.certificates),
    )
    content, image_id = oci.image(layer_tar, settings(labels), f"{NAME}:{labels['st.runner.version']}")
    if len(content) > MAX_BYTES:
        parser.error(f"the archive would have {len(content)} bytes, {MAX_BYTES} are allowed")
    pathlib.Path(arguments.output).write_bytes(content)
    pathlib.Path(arguments.id).write_text(image_id + "\n")


if __name__ == "__main__":
    main()
