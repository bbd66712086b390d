"""rocktable-VERSION.tgz with launcher and fixture, and rocktable-OS-CPU-VERSION.tgz with the program for each platform:
the names that `npm pack` gives. npm installs the program of the machine."""
import json
import pathlib
import re

from archive import file_entry, gzipped, tar_bytes
from release import WINDOWS, file_name, system_of

HERE = pathlib.Path(__file__).resolve().parent
# What the package of a platform is called and says. OS and CPU are Node's names.
PLATFORMS = {
    "x86_64": {"OS": "linux", "CPU": "x64", "SYSTEM": "Linux"},
    "aarch64": {"OS": "linux", "CPU": "arm64", "SYSTEM": "Linux"},
    WINDOWS: {"OS": "win32", "CPU": "x64", "SYSTEM": "Windows"},
}
EXECUTABLE = ("bin/rocktable", "bin/rocktable.exe", "bin/rocktable.js")


def read(name):
    """The files of a folder beside this file: {path in the package: bytes}."""
    folder = HERE / name
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def for_platform(platform, content):
    """A file of the folder `platform` with the words of a platform."""
    return re.sub(r"\b(OS|CPU|SYSTEM)\b", lambda word: PLATFORMS[platform][word[0]], content.decode()).encode()


def with_version(manifest, release):
    """The text of package.json with this version. Of the packages with programs, it names those of this release."""
    manifest = {**manifest, "version": release.version}
    if "optionalDependencies" in manifest:
        made = {"@rocktable/{OS}-{CPU}".format(**PLATFORMS[platform]) for platform in release.programs}
        names = [name for name in manifest["optionalDependencies"] if name in made]
        manifest["optionalDependencies"] = dict.fromkeys(names, release.version)
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
    for platform in release.programs:
        files = {name: for_platform(platform, content) for name, content in read("platform").items()}
        files.update({name: text.encode() for name, text in release.license_texts(system_of(platform)).items()})
        files[f"bin/{file_name(platform)}"] = release.program(platform)
        yield pack(release, json.loads(files["package.json"]), files)
