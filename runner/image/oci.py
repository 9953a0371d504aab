"""Image archives whose bytes depend on nothing but what is in them.

An archive is an OCI layout with a manifest.json beside it: `docker load` of Docker 20.10 reads only the latter, newer
ones and containerd the former, over the same blobs. There is one layer. All times are zero, all owners root.
"""

import hashlib
import io
import json
import platform
import tarfile

EPOCH = "1970-01-01T00:00:00Z"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
FILE, FOLDER, LINK = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest(content):
    return hashlib.sha256(content).hexdigest()


def tar(entries):
    """A tar of (name, type, mode, content) in their order; a link's content is its target."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as target:
        for name, kind, mode, content in entries:
            info = tarfile.TarInfo(name.lstrip("/"))
            info.type = kind
            info.mode = mode
            if kind == LINK:
                info.linkname = content.decode()
            else:
                info.size = len(content)
            target.addfile(info, io.BytesIO(content))
    return out.getvalue()


def layer(entries):
    """A layer's tar of {absolute path: (type, mode, content)}, with the folders that they lie in."""
    entries = dict(entries)
    for path in list(entries):
        while path := path.rpartition("/")[0]:
            entries.setdefault(path, (FOLDER, 0o755, b""))
    return tar((path, *entries[path]) for path in sorted(entries))


def described(media_type, content, **more):
    return {"digest": f"sha256:{digest(content)}", "mediaType": media_type, "size": len(content), **more}


def image(layer_tar, settings, tag):
    """(archive, id) of an image with the given `config` and name:tag."""
    oci = "application/vnd.oci.image."
    config = compact(
        {
            "architecture": ARCHITECTURES[platform.machine()],
            "config": settings,
            "created": EPOCH,
            "history": [{"created": EPOCH, "created_by": tag}],
            "os": "linux",
            "rootfs": {"diff_ids": [f"sha256:{digest(layer_tar)}"], "type": "layers"},
        }
    )
    manifest = compact(
        {
            "config": described(oci + "config.v1+json", config),
            "layers": [described(oci + "layer.v1.tar", layer_tar)],
            "mediaType": oci + "manifest.v1+json",
            "schemaVersion": 2,
        }
    )
    names = {
        "io.containerd.image.name": f"docker.io/library/{tag}",
        "org.opencontainers.image.ref.name": tag.partition(":")[2],
    }
    index = compact(
        {
            "manifests": [described(oci + "manifest.v1+json", manifest, annotations=names)],
            "mediaType": oci + "index.v1+json",
            "schemaVersion": 2,
        }
    )
    blobs = {f"blobs/sha256/{digest(blob)}": blob for blob in (layer_tar, config, manifest)}
    docker = {
        "Config": f"blobs/sha256/{digest(config)}",
        "Layers": [f"blobs/sha256/{digest(layer_tar)}"],
        "RepoTags": [tag],
    }
    files = {
        **blobs,
        "index.json": index,
        "manifest.json": compact([docker]),
        "oci-layout": compact({"imageLayoutVersion": "1.0.0"}),
    }
    folders = [(name, FOLDER, 0o755, b"") for name in ("blobs", "blobs/sha256")]
    return tar(folders + [(name, FILE, 0o644, files[name]) for name in sorted(files)]), f"sha256:{digest(config)}"
