"""The software bill of materials: which libraries the program of each system has."""
import json

import packages
from rocktable_server import BINARY


def linked(document, name):
    return {one["relatedSpdxElement"] for one in document["relationships"]
            if one["spdxElementId"] == name and one["relationshipType"] == "STATIC_LINK"}


def test_each_system_has_its_libraries(tmp_path):
    programs = {"x86_64": BINARY, packages.WINDOWS: packages.no_windows_program(tmp_path)}
    document = json.loads(packages.run_maker("sbom", tmp_path, programs))
    described = {one["relatedSpdxElement"] for one in document["relationships"] if one["relationshipType"] == "DESCRIBES"}
    assert described == {"SPDXRef-rocktable", "SPDXRef-rocktable-windows"}
    linux, windows = (linked(document, name) for name in sorted(described))
    assert {"SPDXRef-glibc", "SPDXRef-libpq"} <= linux - windows
    assert {"SPDXRef-RocksDB", "SPDXRef-OpenSSL", "SPDXRef-Boost"} <= linux & windows
    names = [one["SPDXID"] for one in document["packages"]]
    assert len(names) == len(set(names)) and linux | windows | described == set(names)


def test_without_a_program_for_windows_it_has_nothing_of_it(tmp_path):
    document = json.loads(packages.run_maker("sbom", tmp_path, {"x86_64": BINARY}))
    assert "indows" not in json.dumps(document) and "mingw" not in json.dumps(document)
