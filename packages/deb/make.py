"""rocktable_VERSION_ARCHITECTURE.deb, written by CPack from the files of install_tree.py.

The systemd unit is not enabled. The package creates no user and no data, so a purge removes no data.
"""
import os
import shutil
import subprocess

from deb.install_tree import install
from release import ROOT

DEBIAN_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
CONFIG = ROOT / "packages" / "deb" / "cpack.cmake"


def set_times(folder, time):
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (time, time), follow_symlinks=False)


def make(release):
    for architecture in release.architectures:
        debian = DEBIAN_ARCHITECTURES[architecture]
        with release.staging() as folder:
            install(release, architecture, folder / "tree" / "usr")
            set_times(folder / "tree", release.time)
            variables = {
                "CPACK_PACKAGE_VERSION": release.version,
                "CPACK_PACKAGE_DESCRIPTION_SUMMARY": release.description,
                "CPACK_DEBIAN_PACKAGE_ARCHITECTURE": debian,
                "CPACK_INSTALLED_DIRECTORIES": f"{folder / 'tree'};/",
                "CPACK_PACKAGE_DIRECTORY": str(folder),
            }
            options = [word for name, value in variables.items() for word in ("-D", f"{name}={value}")]
            subprocess.run(
                ["cpack", "-G", "DEB", "--config", CONFIG, *options],
                env={**os.environ, "SOURCE_DATE_EPOCH": str(release.time)},
                cwd=folder, stdout=subprocess.DEVNULL, check=True,
            )
            name = f"rocktable_{release.version}_{debian}.deb"
            yield shutil.move(folder / name, release.out / name)
