"""Python wheels, made by hatchling (Debian's python3-hatchling). Each contains the program of one platform."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from release import WINDOWS, file_name, system_of

SOURCE = pathlib.Path(__file__).resolve().parent

# The program is static, so it needs no C library: one wheel serves glibc and musl. These are the oldest tags that exist
# for both architectures; manylinux2014 is the name of manylinux_2_17 that pip before 20.3 knows.
PLATFORMS = ("manylinux2014", "manylinux_2_17", "musllinux_1_1")


def tag(platform):
    """py3-none: any Python 3, because the wheel contains no extension module."""
    if platform == WINDOWS:
        return "py3-none-win_amd64"
    return "py3-none-" + ".".join(f"{one}_{platform}" for one in PLATFORMS)


def stage(release, platform, folder):
    shutil.copytree(SOURCE / "rocktable", folder / "rocktable", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("README.md", "platform_tag.py"):
        shutil.copyfile(SOURCE / name, folder / name)
    for name, text in release.license_texts(system_of(platform)).items():
        (folder / name).write_text(text)
    project = (SOURCE / "pyproject.toml").read_text()
    for placeholder, value in {"0.0.0": release.version, "py3-none-any": tag(platform)}.items():
        project, count = re.subn(f'"{re.escape(placeholder)}"', f'"{value}"', project)
        assert count == 1, f"pyproject.toml contains {placeholder} {count} times"
    (folder / "pyproject.toml").write_text(project)
    release.copy_program(platform, folder / "rocktable/bin" / file_name(platform))


def make(release):
    for platform in release.programs:
        with release.staging() as folder:
            stage(release, platform, folder)
            subprocess.run(
                [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", release.out],
                cwd=folder, env={**os.environ, "SOURCE_DATE_EPOCH": str(release.time)}, stdout=subprocess.DEVNULL,
                check=True,
            )
        wheel = release.out / f"rocktable-{release.version}-{tag(platform)}.whl"
        wheel.chmod(0o644)  # hatchling writes by way of a temporary file, which others may not read
        yield wheel
