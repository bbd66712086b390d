"""rocktable-VERSION-oci.tar: an image for all architectures as an OCI layout, written without a container engine.

The image has the program, links with the names of Azurite's programs, a user without rights, and the folders /data and
/tmp. Source: github.com/opencontainers/image-spec

The archive also has the list manifest.json of `docker save`. Docker without containerd's image store, the default
before version 29, loads no other archives. That list cannot say which image is of which architecture, so each has a tag.
"""
import datetime
import hashlib
import json

from archive import file_entry, folder_entry, gzipped, link_entry, tar_bytes

USER = 10002
OCI_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
MANIFEST, INDEX, CONFIG, LAYER = (
    f"application/vnd.oci.image.{kind}"
    for kind in ("manifest.v1+json", "index.v1+json", "config.v1+json", "layer.v1.tar+gzip")
)


def layer(release, architecture):
    """The files of the image, as a tar archive."""
    return tar_bytes(
        [
            folder_entry("data", 0o755, USER),
            folder_entry("etc"),
            file_entry("etc/passwd", f"rocktable:x:{USER}:{USER}::/data:/sbin/nologin\n".encode()),
            folder_entry("tmp", 0o1777),
            folder_entry("usr"),
            folder_entry("usr/bin"),
            link_entry("usr/bin/azurite", "rocktable"),
            link_entry("usr/bin/azurite-table", "rocktable"),
            file_entry("usr/bin/rocktable", release.program(architecture), 0o755),
            folder_entry("usr/share"),
            folder_entry("usr/share/doc"),
            folder_entry("usr/share/doc/rocktable"),
            *(
                file_entry(f"usr/share/doc/rocktable/{name}", text.encode())
                for name, text in sorted(release.license_texts().items())
            ),
        ],
        release.time,
    )


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def image_config(release, architecture, tar):
    created = datetime.datetime.fromtimestamp(release.time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    seconds = 1_000_000_000  # durations are in nanoseconds
    return {
        "created": created,
        "architecture": OCI_ARCHITECTURES[architecture],
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {"10002/tcp": {}},
            "Env": ["PATH=/usr/bin"],
            "Entrypoint": ["rocktable", "--tableHost", "0.0.0.0"],
            "WorkingDir": "/data",
            "Volumes": {"/data": {}},
            "Healthcheck": {
                "Test": ["CMD", "rocktable", "healthcheck"],
                "Interval": 5 * seconds,
                "Timeout": 3 * seconds,
                "StartPeriod": 2 * seconds,
                "Retries": 3,
            },
            "Labels": {
                "org.opencontainers.image.title": "rocktable",
                "org.opencontainers.image.description": release.description,
                "org.opencontainers.image.version": release.version,
                "org.opencontainers.image.licenses": "Apache-2.0",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(tar)]},
        "history": [{"created": created, "created_by": "rocktable script/package"}],
    }


def path(descriptor):
    """Where the archive has a blob."""
    return "blobs/" + descriptor["digest"].replace(":", "/")


def docker_tags(release, architecture):
    """NAME:VERSION-ARCHITECTURE. The image for x86-64 also has the name without architecture."""
    name = f"rocktable:{release.version}"
    return [*([name] if architecture == "x86_64" else []), f"{name}-{OCI_ARCHITECTURES[architecture]}"]


class Layout:
    """The blobs of an OCI layout."""

    def __init__(self):
        self.blobs = {}
        self.docker_images = []  # manifest.json: source github.com/moby/docker-image-spec

    def add(self, kind, content):
        """Adds a blob: bytes, or a document to be written as JSON. Returns its descriptor."""
        if not isinstance(content, bytes):
            content = json.dumps(content, separators=(",", ":")).encode()
        self.blobs[digest(content)] = content
        return {"mediaType": kind, "digest": digest(content), "size": len(content)}

    def add_image(self, release, architecture):
        tar = layer(release, architecture)
        config = self.add(CONFIG, image_config(release, architecture, tar))
        layers = [self.add(LAYER, gzipped(tar))]
        self.docker_images.append(
            {
                "Config": path(config),
                "RepoTags": docker_tags(release, architecture),
                "Layers": [path(one) for one in layers],
            }
        )
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers}
        platform = {"architecture": OCI_ARCHITECTURES[architecture], "os": "linux"}
        return {**self.add(MANIFEST, manifest), "platform": platform}

    def archive(self, index, time):
        entries = [folder_entry("blobs"), folder_entry("blobs/sha256")]
        for name, content in sorted(self.blobs.items()):
            entries.append(file_entry("blobs/" + name.replace(":", "/"), content))
        entries.append(file_entry("index.json", json.dumps(index, separators=(",", ":")).encode()))
        entries.append(file_entry("manifest.json", json.dumps(self.docker_images, separators=(",", ":")).encode()))
        entries.append(file_entry("oci-layout", b'{"imageLayoutVersion":"1.0.0"}'))
        return tar_bytes(entries, time)


def make(release):
    layout = Layout()
    images = [layout.add_image(release, architecture) for architecture in sorted(release.architectures)]
    name = {
        "io.containerd.image.name": f"docker.io/library/rocktable:{release.version}",  # its name after it is loaded
        "org.opencontainers.image.ref.name": release.version,
    }
    whole = {**layout.add(INDEX, {"schemaVersion": 2, "mediaType": INDEX, "manifests": images}), "annotations": name}
    out = release.out / f"rocktable-{release.version}-oci.tar"
    out.write_bytes(layout.archive({"schemaVersion": 2, "mediaType": INDEX, "manifests": [whole]}, release.time))
    yield out
