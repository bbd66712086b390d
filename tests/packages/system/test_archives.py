"""The tarball and the Debian package."""
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import chroot
import packages
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILES = {"rocktable", "rocktable.1", "LICENSE", "THIRD-PARTY-LICENSES",
         "completions/rocktable.bash", "completions/_rocktable", "completions/rocktable.fish"}


@pytest.mark.parametrize("kind", ["tarball", "deb"])
def test_the_same_program_gives_the_same_bytes(kind, packages_of, static_program, tmp_path):
    (again,) = packages.make(kind, tmp_path, static_program, [os.uname().machine])
    assert again.read_bytes() in [file.read_bytes() for file in packages_of(kind)]


def test_the_tarball_runs_where_it_is_unpacked(packages_of, tmp_path):
    archive = next(file for file in packages_of("tarball") if os.uname().machine in file.name)
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data") if sys.version_info >= (3, 12) else tar.extractall(tmp_path)
    folder = tmp_path / archive.name.removesuffix(".tar.gz")
    assert {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} == FILES
    ended = subprocess.run([folder / "rocktable", "exec", "--", folder / "rocktable", "healthcheck"], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def deb_of(packages_of):
    return next(file for file in packages_of("deb") if file.name.endswith("_amd64.deb"))


def test_the_debian_package_needs_no_other(packages_of):
    fields = subprocess.run(["dpkg-deb", "--field", deb_of(packages_of)], capture_output=True, text=True, check=True).stdout
    assert fields.startswith("Architecture: amd64\n")
    assert "\nDepends:" not in fields


def test_cmake_installs_the_files_of_the_debian_package(packages_of, tmp_path):
    build = ROOT / "build" / "portable"
    if not (build / "documents" / "rocktable.1").exists():
        pytest.skip("`script/build portable` builds the manual page")
    subprocess.run(["cmake", "--install", build, "--prefix", tmp_path / "usr"], stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["dpkg-deb", "-x", deb_of(packages_of), tmp_path / "deb"], check=True)

    def files(folder):
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    installed, packaged = files(tmp_path / "usr"), files(tmp_path / "deb" / "usr")
    own = installed.pop("share/doc/rocktable/LICENSE")
    licences = packaged.pop("share/doc/rocktable/copyright")  # also of the static libraries
    assert b"Apache License" in own and own not in licences
    assert b"/usr/share/common-licenses/Apache-2.0" in licences.partition(b"Licences of the libraries")[0]
    assert b"RocksDB" in licences and b"OpenSSL" in licences
    manual = "share/man/man1/rocktable.1"
    packaged[manual] = gzip.decompress(packaged.pop(manual + ".gz"))
    assert gzip.decompress(packaged.pop("share/doc/rocktable/changelog.gz")).startswith(b"rocktable (")
    assert installed.keys() == packaged.keys()
    assert [name for name in installed if installed[name] != packaged[name] and name != "bin/rocktable"] == []


def test_lintian_finds_no_error_in_the_debian_package(packages_of):
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed")
    intended = ["statically-linked-binary", "embedded-library",  # so that it runs on any Linux
                "missing-depends-on-sensible-utils",  # `rocktable open` takes what there is
                "malformed-contact", "bogus-mail-host-in-debian-changelog"]  # the project has no address
    words = ["lintian", "--allow-root", "--fail-on", "error", "--suppress-tags", ",".join(intended), deb_of(packages_of)]
    told = subprocess.run(words, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout


def test_the_service_is_restarted_by_an_upgrade_and_disabled_by_a_removal(packages_of, tmp_path):
    """The scripts of the package, with a systemctl that notes how it is called. Without systemd they do nothing."""
    subprocess.run(["dpkg-deb", "--control", deb_of(packages_of), tmp_path / "control"], check=True)
    called = tmp_path / "called"
    (tmp_path / "systemctl").write_text(f'#!/bin/sh\necho "$*" >>{called}\n')
    (tmp_path / "systemctl").chmod(0o755)
    (tmp_path / "systemd").mkdir()

    def calls(script, *words, systemd=True):
        called.write_text("")
        text = (tmp_path / "control" / script).read_text()
        run = text.replace("/run/systemd/system", str(tmp_path / "systemd" if systemd else tmp_path / "none"))
        environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        subprocess.run(["sh", "-c", run, script, *words], env=environment, check=True)
        return called.read_text().splitlines()

    assert calls("postinst", "configure", "") == ["daemon-reload"]
    assert calls("postinst", "configure", "0.0.9") == ["daemon-reload", "try-restart rocktable.service"]
    assert calls("prerm", "upgrade", "0.2.0") == []
    assert calls("prerm", "remove") == ["disable --now rocktable.service"]
    assert calls("prerm", "remove", systemd=False) == []
    assert calls("postinst", "configure", "", systemd=False) == []


# In a new Debian, made by debootstrap. Installs, uses, removes and purges the package.
def test_the_debian_package_in_a_bare_debian(packages_of, tmp_path):
    base = os.environ.get("ROCKTABLE_DEBIAN_BASE")
    if os.geteuid() != 0 or not shutil.which("debootstrap", path=chroot.PATH) or not base:
        pytest.skip("needs root, debootstrap, and ROCKTABLE_DEBIAN_BASE: a folder for a minimal Debian")
    system = chroot.Chroot(tmp_path / "system", "bookworm", pathlib.Path(base))
    shutil.copy(deb_of(packages_of), system.path("rocktable.deb"))
    system.run("dpkg --install /rocktable.deb")
    system.run("rocktable exec -- rocktable healthcheck")
    system.run("test ! -e /etc/systemd/system/multi-user.target.wants/rocktable.service")
    system.run("mkdir -p /var/lib/rocktable && rocktable exec -l /var/lib/rocktable -- true")
    system.run("dpkg --purge rocktable")
    system.run("test ! -e /usr/bin/rocktable && test -d /var/lib/rocktable/__rocktable__")
    system.run("test -z \"$(dpkg-query --show --showformat '${Conffiles}' rocktable 2>/dev/null)\"")
