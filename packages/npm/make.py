"""rocktable-VERSION.tgz with launcher and fixture, and rocktable-linux-CPU-VERSION.tgz with the program for each CPU:
the names that `npm pack` gives. npm installs the program of the machine."""
import json
import pathlib

from archive import file_entry, gzipped, tar_bytes

HERE = pathlib.Path(__file__).resolve().parent
CPU = {"x86_64": "x64", "aarch64": "arm64"}  # Node's names
EXECUTABLE = ("bin/rocktable", "bin/rocktable.js")


def read(name):
    """The files of a folder beside this file: {path in the package: bytes}."""
    folder = HERE / name
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def with_version(manifest, release):
    """The text of package.json with this version, and the same version of the other packages of this project."""
    manifest = {**manifest, "version": release.version}
    if "optionalDependencies" in manifest:
        manifest["optionalDependencies"] = dict.fromkeys(manifest["optionalDependencies"], release.version)
    return json.dumps(manifest, indent=2) + "\n"


def pack(release, manifest, files):
    """Writes the archive of a package and returns its path. `files`: {path in the package: bytes}."""
    files = {**files, "package.json": with_version(manifest, release).encode()}
    modes = {name: 0o755 if name in EXECUTABLE else 0o644 for name in sorted(files)}
    entries = [file_entry(f"package/{name}", files[name], mode) for name, mode in modes.items()]
    out = release.out / f"{manifest['name'].lstrip('@').replace('/', '-')}-{release.version}.tgz"
    out.write_bytes(gzipped(tar_bytes(entries, release.time)))
    return out


def make(release):
    files = {**read("rocktable"), "LICENSE": release.license.read_bytes()}
    yield pack(release, json.loads(files["package.json"]), files)
    licenses = {name: text.encode() for name, text in release.license_texts().items()}
    for architecture in release.programs:
        cpu = CPU[architecture]
        files = {name: content.replace(b"CPU", cpu.encode()) for name, content in read("platform").items()}
        files = {**files, **licenses, "bin/rocktable": release.program(architecture)}
        yield pack(release, json.loads(files["package.json"]), files)
