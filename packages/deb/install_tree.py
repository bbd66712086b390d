"""The files of a Debian package, in their places: those of `cmake --install --prefix /usr`, as Debian's policy wants them:
the manual page compressed, the notices in one file `copyright`, which refers to the texts of licences that Debian has."""
import email.utils
import gzip

from release import ROOT
from third_party import license_texts

PLACES = {
    "rocktable.1": "share/man/man1/rocktable.1",
    "rocktable.bash": "share/bash-completion/completions/rocktable",
    "rocktable.zsh": "share/zsh/vendor-completions/_rocktable",
    "rocktable.fish": "share/fish/vendor_completions.d/rocktable.fish",
}

OWN_LICENSE = """\
rocktable
Copyright: the authors of rocktable
License: Apache-2.0

On Debian systems, the complete text of the Apache License, Version 2.0, is in /usr/share/common-licenses/Apache-2.0.
"""


def changelog(release):
    """In Debian's form: the version alone, because CHANGELOG.md has another."""
    date = email.utils.formatdate(release.time)
    return (f"rocktable ({release.version}) unstable; urgency=medium\n\n  * Version {release.version}.\n\n"
            f" -- The authors of rocktable <rocktable@localhost>  {date.replace('-0000', '+0000')}\n")


def install(release, architecture, prefix):
    """`prefix`: the folder that becomes /usr."""
    release.copy_program(architecture, prefix / "bin" / "rocktable")
    files = {PLACES[name]: text.encode() for name, text in release.documents().items() if name in PLACES}
    manual = PLACES["rocktable.1"]
    files[manual + ".gz"] = gzip.compress(files.pop(manual), mtime=0)
    files["lib/systemd/system/rocktable.service"] = (ROOT / "packages" / "deb" / "rocktable.service").read_bytes()
    files["share/doc/rocktable/copyright"] = "\n\n".join([OWN_LICENSE, license_texts("linux", common=False)]).encode()
    files["share/doc/rocktable/changelog.gz"] = gzip.compress(changelog(release).encode(), mtime=0)
    for place, content in files.items():
        (prefix / place).parent.mkdir(parents=True, exist_ok=True)
        (prefix / place).write_bytes(content)
