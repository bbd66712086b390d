"""The libraries that script/bootstrap builds from source: when it builds them, and where they are kept. What builds is a
fake that takes no time."""
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from scripts import ROOT

SOURCES = "source script/support/common.sh; source script/support/portable.sh; source script/support/libraries.sh; set -euo pipefail"
BUILDS = 'build_libraries() { echo built; echo "$1" >>built; mkdir -p "$2/lib"; touch "$2/lib/libcrypto.a" "$2/versions"; }'


class Recipe:
    def __init__(self, folder):
        self.folder = folder
        for part in ("script", "cmake"):
            shutil.copytree(ROOT / part, folder / part)
        self.use_compiler("g++ 12")

    def use_compiler(self, version):
        (self.folder / "bin").mkdir(exist_ok=True)
        for compiler in ("g++", "aarch64-linux-gnu-g++"):
            program = self.folder / "bin" / compiler
            program.write_text(f"#!/bin/sh\necho {version}\n")
            program.chmod(0o755)

    def need(self, target, builds=BUILDS):
        return subprocess.run(
            ["bash", "-c", f"{SOURCES}; {builds}; need_libraries {target}", "script/bootstrap"], cwd=self.folder, text=True,
            capture_output=True, timeout=20,
            env={"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "XDG_CACHE_HOME": str(self.folder / "cache")})

    def built(self):
        file = self.folder / "built"
        return file.read_text().split() if file.exists() else []

    def kept(self):
        return sorted(path.name for path in (self.folder / "cache/rocktable/libraries").iterdir())

    def linked(self, target):
        return (self.folder / "build/sources/libraries" / target).resolve()


@pytest.fixture
def recipe(tmp_path):
    return Recipe(tmp_path)


def test_libraries_are_built_once_and_kept_for_all_copies_of_the_project(recipe):
    result = recipe.need("portable")
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == "Building RocksDB and OpenSSL for portable; this takes some minutes, once\n"
    assert recipe.linked("portable").name == recipe.kept()[0]
    shutil.rmtree(recipe.folder / "build")
    result = recipe.need("portable")
    assert (result.returncode, result.stderr, recipe.built()) == (0, "", ["portable"])
    assert (recipe.linked("portable") / "lib/libcrypto.a").exists()


def test_each_target_has_its_own(recipe):
    for target in ("portable", "portable-aarch64"):
        assert recipe.need(target).returncode == 0
    assert recipe.built() == ["portable", "portable-aarch64"]
    assert recipe.linked("portable") != recipe.linked("portable-aarch64")


def test_another_compiler_or_another_recipe_builds_anew(recipe):
    recipe.need("portable")
    recipe.use_compiler("g++ 14")
    recipe.need("portable")
    for name in ("script/support/libraries.sh", "cmake/rocksdb.cmake"):
        with open(recipe.folder / name, "a") as part:
            part.write("# changed\n")
        recipe.need("portable")
    assert recipe.built() == ["portable"] * 4 and len(recipe.kept()) == 4


def test_what_failed_is_shown_and_leaves_nothing_that_counts(recipe):
    result = recipe.need("portable", builds="build_libraries() { echo no room; mkdir -p $2/lib; return 1; }")
    assert result.returncode == 1
    assert result.stderr.endswith("no room\nscript/bootstrap: cannot build the libraries for portable\n")
    assert not (recipe.folder / "build").exists()
    assert recipe.need("portable").returncode == 0 and recipe.built() == ["portable"]
