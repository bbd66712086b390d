"""The libraries in the static programs: versions and licences, from Debian's packages, or from the recipe that built them
from Debian's sources (script/support/libraries.sh)."""
import dataclasses
import pathlib
import re
import subprocess

GCC_LICENSE = "GPL-3.0-or-later WITH GCC-exception-3.1"
# The files of licences to which Debian's copyright files refer, by the identifier of SPDX that stands for each.
COMMON = pathlib.Path("/usr/share/common-licenses")
COMMON_LICENSES = {"Apache-2.0": "Apache-2.0", "LGPL-2.1": "LGPL-2.1", "GPL-3.0": "GPL-3"}
SOURCES = pathlib.Path(__file__).resolve().parents[1] / "build/sources"


@dataclasses.dataclass(frozen=True)
class Library:
    name: str  # in lower case, that of Debian's source package, if it is built from source
    package: str  # Debian's package, as a pattern, whose version and copyright file count
    license: str  # SPDX expression
    systems: tuple = ("linux", "windows")  # whose program has it


LIBRARIES = (
    Library("Boost", "libboost[0-9].*-dev", "BSL-1.0"),
    Library("CLI11", "libcli11-dev", "BSD-3-Clause"),
    Library("fmtlib", "libfmt-dev", "MIT"),
    Library("glibc", "libc6-dev", "LGPL-2.1-or-later", ("linux",)),
    Library("libpq", "libpq-dev", "PostgreSQL", ("linux",)),
    Library("libstdc++", "libstdc++-[0-9]*-dev", GCC_LICENSE, ("linux",)),
    Library("libstdc++ for Windows", "gcc-mingw-w64-x86-64-posix-runtime", GCC_LICENSE, ("windows",)),
    Library("mingw-w64", "mingw-w64-x86-64-dev", "ZPL-2.1 AND MIT", ("windows",)),
    Library("nlohmann_json", "nlohmann-json3-dev", "MIT"),
    Library("OpenSSL", "libssl-dev", "Apache-2.0"),
    Library("pugixml", "libpugixml-dev", "MIT"),
    Library("RocksDB", "librocksdb-dev", "Apache-2.0"),
    Library("simdjson", "libsimdjson-dev", "Apache-2.0"),
    Library("spdlog", "libspdlog-dev", "MIT"),
    Library("xxHash", "libxxhash-dev", "BSD-2-Clause"),
)


def installed_package(library):
    """Returns the installed package of a library and its version."""
    form = "${db:Status-Status} ${Package} ${Version}\n"
    query = ["dpkg-query", "-W", "-f", form, library.package]
    answer = subprocess.run(query, capture_output=True, text=True, check=False)
    for line in answer.stdout.splitlines():
        if line.startswith("installed "):
            return tuple(line.split()[1:])
    raise FileNotFoundError(f"Debian's package of {library.name} is not installed: {library.package}")


def built_versions():
    """Returns the versions of what was built from source, by the names of Debian's source packages."""
    found = {}
    for file in ("libraries/windows/versions", "libraries/portable/versions", "compiled/versions"):
        if (SOURCES / file).exists():
            found.update(line.split() for line in (SOURCES / file).read_text().splitlines())
    return found


def version_of(library):
    return built_versions().get(library.name.lower()) or installed_package(library)[1]


def libraries_of(system):
    return [library for library in LIBRARIES if system in library.systems]


def versions(system):
    """Returns (library, version) of each in the program for a system."""
    return [(library, version_of(library)) for library in libraries_of(system)]


def license_texts(system, common=True):
    """Returns the notices of all libraries in the program for a system as one text. `common`: with the licences that they
    refer to, which each system of Debian has."""
    parts = []
    for library in libraries_of(system):
        package, _ = installed_package(library)
        text = without_file_lists(pathlib.Path("/usr/share/doc", package, "copyright").read_text(errors="replace").strip())
        parts.append(titled(f"{library.name} {version_of(library)} ({library.license})", text))
    for identifier, file in COMMON_LICENSES.items():
        if common and any(identifier in library.license for library in libraries_of(system)):
            parts.append(titled(identifier, (COMMON / file).read_text().strip("\n")))
    return "Licences of the libraries in the program rocktable\n\n" + "\n\n".join(parts)


def titled(title, text):
    return f"{title}\n{'=' * len(title)}\n\n{text}\n"


def without_file_lists(text):
    """Shortens Debian's machine-readable copyright file to its notices: the holders under each licence, without the files
    that each has written, of which Boost's has 1,600 lists. Returns any other text as it is.

    Source: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
    """
    if not text.startswith("Format: "):
        return text
    holders, others = {}, []
    for paragraph in re.split(r"\n\s*\n(?=\S)", text):
        notice = re.match(r"Files:.*?\nCopyright:(.*?)\n(License:.*)", paragraph, re.DOTALL)
        if notice:
            lines = holders.setdefault(notice[2], {})
            lines.update((line.strip(), None) for line in notice[1].splitlines() if line.strip())
        else:
            others.append(paragraph)
    notices = ["Copyright:\n" + "".join(f" {line}\n" for line in lines) + license for license, lines in holders.items()]
    return "\n\n".join(others[:1] + notices + others[1:])
