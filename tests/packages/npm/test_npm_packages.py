"""The npm packages: what they contain, and how npm installs them."""
import json
import os
import re
import subprocess
import tarfile

import pytest

import packages
from guide import Guide
from npm_project import CPU, SECONDS, variables
from npm_registry import manifest_of
from rocktable_server import BINARY

HERE = f"linux-{CPU}"
OTHER = "x64" if HERE.endswith("arm64") else "arm64"


def names_in(file):
    with tarfile.open(file) as archive:
        return [one.name.removeprefix("package/") for one in archive]


def installed(project):
    return sorted(path.name for path in (project.folder / "node_modules" / "@rocktable").glob("*"))


def test_all_packages_have_the_version_of_the_program_and_depend_on_it(files):
    version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    assert [file.name for file in files] == [
        f"rocktable-{version}.tgz", f"rocktable-linux-x64-{version}.tgz", f"rocktable-linux-arm64-{version}.tgz",
        f"rocktable-win32-x64-{version}.tgz"
    ]
    main, *others = map(manifest_of, files)
    assert [one["version"] for one in (main, *others)] == [version] * 4
    assert main["optionalDependencies"] == {one["name"]: version for one in others}
    assert "dependencies" not in main
    assert [(one["os"], one["cpu"]) for one in others] == [
        (["linux"], ["x64"]), (["linux"], ["arm64"]), (["win32"], ["x64"])
    ]


def test_without_a_program_for_windows_nothing_depends_on_it(tmp_path):
    main, *others = map(manifest_of, packages.make("npm", tmp_path))
    assert sorted(main["optionalDependencies"]) == sorted(one["name"] for one in others)
    assert not any("win32" in one["name"] for one in others)


def test_each_package_is_small_and_has_readme_and_licences(files):
    for file in files:
        assert file.stat().st_size < packages.MAXIMUM_BYTES
        assert {"README.md", "LICENSE", "package.json"} <= set(names_in(file))
        assert ("THIRD-PARTY-LICENSES" in names_in(file)) == ("bin/rocktable.js" not in names_in(file))


def test_npm_would_pack_the_same_files_under_the_same_name(files, tmp_path):
    for file in files:
        with tarfile.open(file) as archive:
            archive.extractall(tmp_path / file.stem)
        words = ["npm", "pack", "--dry-run", "--json", "--offline"]
        folder = tmp_path / file.stem / "package"
        packed = subprocess.run(words, cwd=folder, env=variables(), capture_output=True, text=True, check=True).stdout
        told = json.loads(packed)
        (told,) = told if isinstance(told, list) else told.values()
        assert told["filename"] == file.name
        assert sorted((one["path"], one["mode"] & 0o111 != 0) for one in told["files"]) == sorted(
            (name, name in ("bin/rocktable", "bin/rocktable.exe", "bin/rocktable.js")) for name in names_in(file)
        )


def test_the_same_commit_gives_the_same_bytes(files, windows_program, tmp_path):
    again = packages.make_with_other_umask("npm", tmp_path, BINARY, windows_program)
    assert [one.read_bytes() for one in again] == [one.read_bytes() for one in files]


def test_npm_installs_the_program_of_the_platform(install, windows_program):
    project = install()
    assert installed(project) == [HERE]
    assert project.program.read_bytes() == BINARY.read_bytes()
    assert installed(install("--os=linux", f"--cpu={OTHER}")) == [f"linux-{OTHER}"]
    windows = install("--os=win32", "--cpu=x64")
    assert installed(windows) == ["win32-x64"]
    program = windows.folder / "node_modules/@rocktable/win32-x64/bin/rocktable.exe"
    assert program.read_bytes() == windows_program.read_bytes()


@pytest.mark.parametrize("options", [["--omit=optional"], ["--os=linux", f"--cpu={OTHER}"]])
def test_without_the_package_of_the_platform_command_and_fixture_say_what_to_do(install, options):
    project = install(*options)
    sentence = (
        f"the package @rocktable/{HERE} is not installed; it is an optional dependency of rocktable: "
        "install its file as well if you install from files; else install on the platform where you run it, "
        "without --omit=optional"
    )
    refused = project.run("npx", "--no-install", "rocktable", "--version", code=1)
    assert (refused.stdout, refused.stderr) == ("", f"rocktable: {sentence}\n")
    text = 'import { start } from "rocktable"; await start().catch((error) => console.log(error.message));'
    assert project.script(text) == f"{sentence}\n"


@pytest.mark.parametrize("platform, cpu, instead", [
    ("darwin", "arm64", "the container image"), ("win32", "arm64", "the container image, or WSL 2"),
], ids=["macOS", "Windows on ARM"])
def test_on_another_platform_command_and_fixture_name_those_that_have_a_program(install, platform, cpu, instead):
    project = install()
    other = project.write("other.cjs", f"""
        Object.defineProperty(process, "platform", {{ value: "{platform}" }});
        Object.defineProperty(process, "arch", {{ value: "{cpu}" }});""")
    sentence = (
        f"there is no program for {platform}-{cpu}, only for linux-arm64, linux-x64 and win32-x64; use {instead}; "
        "ROCKTABLE_BINARY can name one that you have built"
    )
    refused = project.run("node", "--require", other, project.launcher, "--version", code=1)
    assert (refused.stdout, refused.stderr) == ("", f"rocktable: {sentence}\n")
    text = 'const { start } = require("rocktable"); start().catch((error) => console.log(error.message));'
    assert project.run("node", "--require", other, "-e", text).stdout == f"{sentence}\n"


# --- docs/ci.md, "Install": the lines for npm, run as written but for the platform, without a registry -----------------

INSTALL = Guide("ci.md").text.partition("\n## Install\n")[2].partition("\n## ")[0]
RUN_ONCE = re.search(r"^- Once, without an installation: `(npx [^`]+)`", INSTALL, re.MULTILINE)[1]
UNINSTALL = re.search(r"^- To remove: `(npm uninstall [^`]+)`", INSTALL, re.MULTILINE)[1]


def run_line(line, files, folder):
    """Runs a command of the guide in the folder, with the folder of the files for DIR. Returns its output."""
    version = manifest_of(files[0])["version"]
    line = line.replace("DIR", str(files[0].parent)).replace("VERSION", version)
    own = {"HOME": folder, "npm_config_cache": folder / "cache", "npm_config_prefix": folder / "global", "npm_config_offline": "true"}
    ended = subprocess.run(["sh", "-ec", line], cwd=folder, env=variables({name: str(value) for name, value in own.items()}),
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 0, f"{line}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def test_npx_runs_the_files_without_an_installation(files, tmp_path):
    version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout
    line = RUN_ONCE.replace("linux-x64", HERE)
    assert run_line(f"{line} --version", files, tmp_path) == version
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


@pytest.mark.parametrize("more", ["", " -g"], ids=["in a project", "globally"])
def test_the_line_that_removes_it_removes_the_program(files, tmp_path, more):
    manifest = tmp_path / "package.json"
    manifest.write_text('{ "private": true }\n')
    if more:
        lines = [f"npm install -g DIR/rocktable-{HERE}-VERSION.tgz DIR/rocktable-VERSION.tgz"]
    else:
        lines = re.findall(r"`(npm install [^`]+)`", INSTALL)
    for line in lines:
        run_line(line, files, tmp_path)
    program = tmp_path / ("global/lib" if more else "") / f"node_modules/@rocktable/{HERE}/bin/rocktable"
    run_line("npm uninstall rocktable" + more, files, tmp_path)
    assert program.exists()  # the reason why the line names more
    run_line(UNINSTALL + more, files, tmp_path)
    assert not program.exists()
    assert not any("ependencies" in name for name in json.loads(manifest.read_text()))
