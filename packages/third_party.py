"""The libraries in the static program: versions and licences, from Debian's packages.

The recipe of script/support/libraries.sh takes the sources of these versions.
"""
import dataclasses
import pathlib
import subprocess


@dataclasses.dataclass(frozen=True)
class Library:
    name: str
    package: str  # Debian's package, as a pattern, whose version and copyright file count
    license: str  # SPDX expression


LIBRARIES = (
    Library("Boost", "libboost[0-9].*-dev", "BSL-1.0"),
    Library("CLI11", "libcli11-dev", "BSD-3-Clause"),
    Library("fmt", "libfmt-dev", "MIT"),
    Library("glibc", "libc6-dev", "LGPL-2.1-or-later"),
    Library("libpq", "libpq-dev", "PostgreSQL"),
    Library("libstdc++", "libstdc++-[0-9]*-dev", "GPL-3.0-or-later WITH GCC-exception-3.1"),
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


def versions():
    """Returns (library, version) of each."""
    return [(library, installed_package(library)[1]) for library in LIBRARIES]


def license_texts():
    """Returns the copyright files of all libraries as one text."""
    parts = []
    for library in LIBRARIES:
        package, version = installed_package(library)
        text = pathlib.Path("/usr/share/doc", package, "copyright").read_text(errors="replace").strip()
        title = f"{library.name} {version} ({library.license})"
        parts.append(f"{title}\n{'=' * len(title)}\n\n{text}\n")
    return "Licences of the libraries in the program rocktable\n\n" + "\n\n".join(parts)
