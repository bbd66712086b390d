#!/usr/bin/python3
"""Makes packages in build/packages; script/package explains the arguments."""
import argparse
import hashlib
import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from release import PLATFORMS, ROOT, WINDOWS, Release
from sbom import sbom

KINDS = ("tarball", "deb", "npm", "nuget", "wheel", "image", "zip")
OUT = ROOT / "build" / "packages"


def program_argument(text):
    platform, _, file = text.partition("=")
    path = pathlib.Path(file)
    if platform not in PLATFORMS or not path.is_file():
        raise argparse.ArgumentTypeError(f"{text} is not PLATFORM=FILE, with one of {', '.join(PLATFORMS)}")
    return platform, path.resolve()


def write_checksums(folder):
    lines = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
        for file in sorted(folder.iterdir())
        if file.is_file() and file.name != "SHA256SUMS"
    ]
    (folder / "SHA256SUMS").write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(prog="script/package")
    parser.add_argument("--program", action="append", type=program_argument, required=True)
    parser.add_argument("--address", type=lambda text: text.rstrip("/"))
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    arguments = parser.parse_args()
    unknown = [kind for kind in arguments.kinds if kind not in KINDS]
    if unknown:
        parser.error(f"there is no kind {unknown[0]}; there are {', '.join(KINDS)}")
    OUT.mkdir(parents=True, exist_ok=True)
    programs = dict(arguments.program)
    if "zip" in arguments.kinds and WINDOWS not in programs:
        parser.error(f"zip needs --program {WINDOWS}=FILE")
    release = Release(programs, OUT, arguments.address)
    for kind in arguments.kinds or KINDS:
        for file in importlib.import_module(f"{kind}.make").make(release):
            print(f"{file.relative_to(ROOT)}  {file.stat().st_size / 1e6:.1f} MB", flush=True)
    (OUT / f"rocktable-{release.version}.spdx.json").write_text(sbom(release))
    write_checksums(OUT)


if __name__ == "__main__":
    main()
