"""For Windows: rocktable-VERSION-windows-x86_64.zip with the program, its completion and licences. With `--address`, where
people will download it, also the manifests of two package managers: rocktable.json of Scoop, and three files of winget.
"""
import hashlib
import io
import json
import time
import zipfile

from release import WINDOWS

IDENTIFIER = "Rocktable.Rocktable"
MANIFEST_VERSION = "1.6.0"  # of winget


def zip_bytes(files, seconds):
    """`files`: {name: bytes}. The same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o100644 << 16
            archive.writestr(info, content)
    return out.getvalue()


def scoop(release, url, digest):
    return json.dumps({
        "version": release.version,
        "description": release.description,
        "homepage": release.address,
        "license": "Apache-2.0",
        "architecture": {"64bit": {"url": url, "hash": digest}},
        "bin": "rocktable.exe",
    }, indent=4) + "\n"


def winget(release, url, digest):
    """Returns the text of each manifest by its file name. JSON is YAML, and needs no further escapes."""
    common = {"PackageIdentifier": IDENTIFIER, "PackageVersion": release.version, "ManifestVersion": MANIFEST_VERSION}
    parts = {
        "": {"ManifestType": "version", "DefaultLocale": "en-US"},
        ".installer": {
            "ManifestType": "installer", "InstallerType": "zip", "NestedInstallerType": "portable",
            "NestedInstallerFiles": [{"RelativeFilePath": "rocktable.exe", "PortableCommandAlias": "rocktable"}],
            "Installers": [{"Architecture": "x64", "InstallerUrl": url, "InstallerSha256": digest.upper()}],
        },
        ".locale.en-US": {
            "ManifestType": "defaultLocale", "PackageLocale": "en-US", "Publisher": "rocktable",
            "PackageName": "rocktable", "License": "Apache-2.0", "PackageUrl": release.address,
            "ShortDescription": release.description,
        },
    }
    return {f"{IDENTIFIER}{suffix}.yaml": json.dumps({**common, **part}, indent=2) + "\n"
            for suffix, part in parts.items()}


def make(release):
    if WINDOWS not in release.programs:
        return
    texts = {**release.license_texts("windows"), "rocktable.ps1": release.documents()["rocktable.ps1"]}
    files = {name: text.replace("\n", "\r\n").encode() for name, text in texts.items()}
    files["rocktable.exe"] = release.program(WINDOWS)
    name = f"rocktable-{release.version}-windows-x86_64.zip"
    content = zip_bytes(files, release.time)
    digest = hashlib.sha256(content).hexdigest()
    (release.out / name).write_bytes(content)
    yield release.out / name
    if release.address is None:
        return
    url = f"{release.address}/{name}"
    manifests = {"rocktable.json": scoop(release, url, digest), **winget(release, url, digest)}
    for file, text in manifests.items():
        (release.out / file).write_text(text)
        yield release.out / file
