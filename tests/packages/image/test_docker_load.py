"""The image as `docker load` reads it without containerd's image store: by manifest.json. Source: moby, image/tarexport."""
import gzip
import hashlib
import json
import pathlib
import sys
import tarfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import packages
from rocktable_server import BINARY


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    if not BINARY.exists():
        pytest.skip("no program to make an image of")
    (archive,) = packages.make("image", tmp_path_factory.mktemp("image"))
    with tarfile.open(archive) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}


@pytest.fixture(scope="module")
def whole(files):
    """The descriptor of the index with all architectures."""
    (descriptor,) = json.loads(files["index.json"])["manifests"]
    return descriptor


def test_each_architecture_is_an_image_with_its_layers(files):
    architectures = []
    for image in json.loads(files["manifest.json"]):
        config = json.loads(files[image["Config"]])
        layers = [f"sha256:{hashlib.sha256(gzip.decompress(files[layer])).hexdigest()}" for layer in image["Layers"]]
        assert layers == config["rootfs"]["diff_ids"]
        architectures.append(config["architecture"])
    assert sorted(architectures) == ["amd64", "arm64"]


def test_each_tag_names_one_image(files, whole):
    version = whole["annotations"]["org.opencontainers.image.ref.name"]
    tags = {tag: json.loads(files[image["Config"]])["architecture"]
            for image in json.loads(files["manifest.json"]) for tag in image["RepoTags"]}
    assert tags == {f"rocktable:{version}": "amd64", f"rocktable:{version}-amd64": "amd64",
                    f"rocktable:{version}-arm64": "arm64"}
    assert sum(len(image["RepoTags"]) for image in json.loads(files["manifest.json"])) == len(tags)


def test_with_the_image_store_of_containerd_it_has_the_same_name(whole):
    version = whole["annotations"]["org.opencontainers.image.ref.name"]
    assert whole["annotations"]["io.containerd.image.name"] == f"docker.io/library/rocktable:{version}"
