"""The libraries in the static programs: versions and licences, from Debian's packages, or from the recipe that built them
from Debian's sources (script/support/libraries.sh)."""
import dataclasses
import pathlib
import subprocess

GCC_LICENSE = "GPL-3.0-or-later WITH GCC-exception-3.1"
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


def license_texts(system):
    """Returns the copyright files of all libraries in the program for a system as one text."""
    parts = []
    for library in libraries_of(system):
        package, _ = installed_package(library)
        text = pathlib.Path("/usr/share/doc", package, "copyright").read_text(errors="replace").strip()
        title = f"{library.name} {version_of(library)} ({library.license})"
        parts.append(f"{title}\n{'=' * len(title)}\n\n{text}\n")
    return "Licences of the libraries in the program rocktable\n\n" + "\n\n".join(parts)
