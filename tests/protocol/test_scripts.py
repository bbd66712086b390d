"""The scripts on a fresh machine: their help, what they install, the progress of a build, refusals. Compilers, apt and
sudo are fake shell scripts."""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import cases
import chroot
import run
from process import wait_until
from scripts import NOBODY, ROOT, SECONDS, Project

SCRIPTS = sorted(f"script/{path.name}" for path in (ROOT / "script").iterdir() if path.is_file() and not path.suffix)
INSTALL_GXX = "apt-get install g++"
NO_COMPILER = {"CXX": "no-such-compiler"}  # the only missing package


@pytest.fixture
def project():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rocktable-scripts-"))
    folder.chmod(0o755)
    yield Project(folder)
    shutil.rmtree(folder)


def build_machine(project):
    """Fakes everything that script/bootstrap checks for, so that only a compiler may be missing."""
    for command in ("cmake", "ninja", "zopfli", "esbuild", "apt-cache", "c++"):
        project.fake(command)
    project.fake("apt-get", "echo what apt says; echo what apt complains of >&2")
    (project.folder / "build/sources/libpq").mkdir(parents=True)


def not_root(project, sudo=None):
    project.fake("id", "echo 1000")
    if sudo is not None:
        project.fake("sudo", sudo)


# --- help and usage -----------------------------------------------------------------------------


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_needs_nothing_installed(project, script):
    before = sorted(project.folder.rglob("*"))
    for option in ("--help", "-h"):
        result = project.run(script, option)
        assert result.returncode == 0 and result.stderr == ""
        assert f"\n  {script}" in result.stdout
        assert max(map(len, result.stdout.splitlines())) <= 120
    assert sorted(project.folder.rglob("*")) == before and project.called() == []


@pytest.mark.parametrize("words, sentence", [
    (["script/build"], "PRESET is missing"),
    (["script/build", "relase", "rocktable"], "unknown preset relase; there are asan-ubsan debug fuzzer portable portable-aarch64 release tsan"),
    (["script/build", "--chek", "release"], "unknown option"),
    (["script/bootstrap", "--tests"], "unknown option --tests"),
    (["script/test", "--sanitise", "tsan"], "unknown option --sanitise"),
    (["script/test", "--sanitize"], "--sanitize takes asan-ubsan, tsan or fuzzer"),
    (["script/test", "urls", "--quick"], "options must precede filters; --quick follows one"),
    (["script/lint", "--fix"], "unknown option --fix"),
    (["script/lint", "odata/nix.cc"], "there is no file odata/nix.cc"),
    (["script/soak", "long"], "MINUTES is 'long', not a number"),
    (["script/soak", "1", "2"], "unknown argument 2"),
    (["script/crash", "many"], "ROUNDS is 'many', not a whole number"),
    (["script/fuzz"], "MINUTES, or NAME and SECONDS, are missing"),
    (["script/fuzz", "nix", "5"], "'nix 5' is neither MINUTES nor NAME SECONDS"),
    (["script/fuzz", "--seconds", "5", "all"], "only --alone may follow --seconds SECONDS, not all"),
    (["script/try-debian"], "RELEASE is missing: bookworm or trixie"),
])
def test_wrong_usage_gets_one_sentence_and_exit_code_2(project, words, sentence):
    result = project.run(*words)
    assert result.returncode == 2 and result.stdout == ""
    assert result.stderr.startswith(f"{words[0]}: ") and sentence in result.stderr
    assert result.stderr.endswith(f"; see {words[0]} --help\n") and len(result.stderr.splitlines()) == 1


def program_of(project, up_to_date):
    project.fake_build(up_to_date=up_to_date)
    project.configure()
    program = project.folder / "build/release/rocktable"
    program.write_text('#!/bin/sh\necho "the program with $*"\n')
    program.chmod(0o755)


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["--version"], ["-v"], ["version"], ["help", "export"], ["export", "--help"]])
def test_server_asks_a_program_that_is_up_to_date_for_help(project, words):
    program_of(project, up_to_date=True)
    result = project.run("script/server", *words)
    assert (result.returncode, result.stdout, result.stderr) == (0, f"the program with {' '.join(words)}\n", "")
    assert [call for call in project.called() if " -n " not in call] == []  # nothing is built


def test_server_tells_its_own_help_where_the_program_is_old_or_not_there(project):
    version = re.search(r"project\(rocktable VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    for prepare in (lambda: None, lambda: program_of(project, up_to_date=False)):
        prepare()
        result = project.run("script/server", "export", "--help")
        assert result.returncode == 0 and "the program with" not in result.stdout
        assert "script/server [OPTION...]" in result.stdout
        assert "build/release/rocktable export --help" in result.stdout.splitlines()[-1]
        assert project.run("script/server", "--version").stdout == f"rocktable {version} (not built yet)\n"
    assert not [call for call in project.called() if " -n " not in call]


def test_help_of_another_program_is_not_meant(project):
    program_of(project, up_to_date=False)
    build_machine(project)
    project.fake_build()
    result = project.run("script/server", "exec", "--", "npm", "--help", CXX="c++")
    assert result.stdout == "the program with exec -- npm --help\n"
    assert any(call.startswith("ninja") and " -n " not in call for call in project.called())


# --- what is installed --------------------------------------------------------------------------


def test_sudo_without_a_password_is_used_silently(project):
    build_machine(project)
    not_root(project, 'case "$*" in "-n "*) shift; exec "$@" ;; *) exit 9 ;; esac')
    result = project.run("script/bootstrap", **NO_COMPILER)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "Installing g++\n")
    assert any(call.startswith("apt-get") and "-y install --no-install-recommends g++" in call for call in project.called())


APT_AT_WORK = """
case "$*" in
  *" -s install "*) echo "Inst g++ (4:12.2 Debian)"; echo "Inst cpp (4:12.2 Debian)"; echo "Conf g++ (4:12.2 Debian)" ;;
  *--print-uris*) echo "'http://a/g.deb' g.deb 31400000 SHA256:1"; echo "'http://a/c.deb' c.deb 600000 SHA256:2" ;;
  *Status-Fd=3*" install "*)
    echo "Get:1 what apt says"
    for done in 3.1 26.0 27.5 76,2; do echo "dlstatus:1:$done:Retrieving file 1 of 2 (1:12.3: of it)" >&3; done
    for done in 0.0 50.4 100.0; do echo "pmstatus:g++:amd64:$done:Unpacking g++:amd64 (4:12.2)" >&3; done
    exit {status} ;;
esac"""


def test_it_says_how_much_is_fetched_and_how_far_it_is(project):
    build_machine(project)
    project.fake("id", "echo 0")
    project.fake("apt-get", APT_AT_WORK.replace("{status}", "0"))
    result = project.run("script/bootstrap", **NO_COMPILER)
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr.splitlines() == [
        "Installing g++", "2 packages, 32 MB to fetch; this can take minutes", "  25 % fetched", "  75 % fetched",
        "  50 % installed", "  100 % installed"]

    project.fake("apt-get", APT_AT_WORK.replace("{status}", "100"))
    result = project.run("script/bootstrap", **NO_COMPILER)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-2:] == ["Get:1 what apt says", "script/bootstrap: apt-get install g++ failed"]


def test_no_cluster_of_postgresql_is_made_which_would_take_the_usual_port(project):
    build_machine(project)
    project.fake("id", "echo 0")
    script = (project.folder / "script/bootstrap").read_text()
    configured = project.folder / "postgresql-common"
    (project.folder / "script/bootstrap").write_text(
        script.replace("/etc/postgresql-common", str(configured)).replace("/usr/lib/postgresql/", "/nosuch/"))
    project.fake("apt-get", f"""case "$*" in *" -y "*" postgresql "*) cp {configured}/createcluster.d/* {project.folder}/seen ;; esac""")
    result = project.run("script/bootstrap", "--postgres", CXX="c++")
    assert (result.returncode, result.stdout) == (0, "")
    assert (project.folder / "seen").read_text() == "create_main_cluster = false\n"
    assert not list(configured.glob("createcluster.d/*"))  # only during the installation

    (project.folder / "seen").unlink()
    project.run("script/bootstrap", "--postgres", CXX="c++")  # the client alone, or a run that failed, has made the folder
    assert (project.folder / "seen").exists()

    (project.folder / "seen").unlink()
    configured.joinpath("createcluster.conf").write_text("create_main_cluster = true\n")  # the owner wants one
    project.run("script/bootstrap", "--postgres", CXX="c++")
    assert not (project.folder / "seen").exists()


@pytest.mark.parametrize("version, said", [
    (None, "--dotnet needs the .NET SDK 10 or newer; Debian has no package of it"),
    ("8.0.404", "--dotnet needs the .NET SDK 10 or newer; this is 8.0.404"),
])
def test_dotnet_needs_an_sdk_that_no_package_brings(project, version, said):
    build_machine(project)
    if version:
        project.fake("dotnet", f"echo {version}")
    result = project.run("script/bootstrap", "--dotnet", CXX="c++")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"script/bootstrap: {said}\n")
    assert not [call for call in project.called() if "restore" in call or call.startswith("apt-get")]


def test_dotnet_restores_packages_in_locked_versions(project):
    build_machine(project)
    project.fake("dotnet", 'case "$1" in --version) echo 11.0.100-rc.1 ;; esac')
    result = project.run("script/bootstrap", "--dotnet", CXX="c++")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    for solution in ("tests/clients/dotnet/clients.slnx", "tests/packages/nuget/frameworks/frameworks.slnx"):
        assert any(call.startswith(f"dotnet restore {solution} --locked-mode") for call in project.called())
    project.fake("dotnet", 'case "$1" in --version) echo 10.0.401 ;; *) echo "no such package" >&2; exit 1 ;; esac')
    result = project.run("script/bootstrap", "--dotnet", CXX="c++")
    assert result.returncode == 1
    assert result.stderr == "no such package\nscript/bootstrap: dotnet restore failed in tests/clients/dotnet\n"


ASKING_SUDO = """
case "$1" in
  -n) echo "sudo: a password is required" >&2; exit 1 ;;
  -v) echo "[sudo] password:" >&2; exit {refused} ;;
  *) exec "$@" ;;
esac"""


def test_without_a_terminal_a_password_cannot_be_asked_for(project):
    build_machine(project)
    not_root(project, ASKING_SUDO.format(refused=0))
    result = project.run("script/bootstrap", **NO_COMPILER)
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr == ("script/bootstrap: sudo asks for a password, and this is no terminal; "
                             f"please run: sudo {INSTALL_GXX}\n")
    assert not any(call.startswith("apt-get") for call in project.called())


def test_at_a_terminal_sudo_asks_after_it_was_told_what_for(project):
    build_machine(project)
    not_root(project, ASKING_SUDO.format(refused=0))
    code, shown = project.run_at_terminal("script/bootstrap", **NO_COMPILER)
    assert code == 0
    lines = shown.splitlines()
    assert lines == [f"sudo will run: {INSTALL_GXX}", "[sudo] password:", "Installing g++"]
    ran = [call for call in project.called() if call.startswith("sudo env")]
    assert any("-y install" in call for call in ran) and any(" update" in call for call in ran)


def test_a_refused_password_ends_with_the_command(project):
    build_machine(project)
    not_root(project, ASKING_SUDO.format(refused=1))
    code, shown = project.run_at_terminal("script/bootstrap", **NO_COMPILER)
    assert code == 1 and shown.splitlines()[-1] == f"script/bootstrap: sudo refused; please run as root: {INSTALL_GXX}"
    assert not any(call.startswith("apt-get") for call in project.called())


def test_a_machine_without_sudo_or_apt_is_told_what_is_missing(project):
    build_machine(project)
    not_root(project)
    result = project.run("script/bootstrap", **NO_COMPILER)
    assert result.stderr == f"script/bootstrap: not root, and there is no sudo; please run as root: {INSTALL_GXX}\n"
    (project.path / "apt-get").unlink()
    result = project.run("script/bootstrap", **NO_COMPILER)
    assert result.returncode == 1 and "this machine has no apt" in result.stderr and "g++" in result.stderr


def test_a_failed_installation_shows_what_apt_said(project):
    build_machine(project)
    project.fake("id", "echo 0")
    project.fake("apt-get", 'case "$*" in *-y*) echo "E: no room" >&2; exit 100 ;; esac')
    result = project.run("script/bootstrap", **NO_COMPILER)
    assert result.returncode == 1
    assert result.stderr == "Installing g++\nE: no room\nscript/bootstrap: apt-get install g++ failed\n"


def test_static_libraries_that_cannot_be_downloaded_are_missed_once(project):
    build_machine(project)
    (project.folder / "build/sources/libpq").rmdir()
    project.fake("apt-get", "echo 'E: no network' >&2; exit 100")
    result = project.run("script/bootstrap", CXX="c++")
    assert (result.returncode, result.stdout) == (0, "") and "E: no network\n" in result.stderr
    assert "continuing with the shared library libpq.so, which makes each start slower\n" in result.stderr
    assert result.stderr.endswith("  to try again: apt-get update; rm -r build/sources/libpq; script/bootstrap\n")
    tried = project.called()
    assert any("download libpq-dev" in call for call in tried)
    result = project.run("script/bootstrap", CXX="c++")
    assert (result.returncode, result.stderr) == (0, "") and project.called() == tried
    result = project.run("script/bootstrap", "--portable", CXX="c++")  # cannot do without
    assert result.returncode == 1 and result.stderr.endswith("script/bootstrap: cannot prepare build/sources/libpq\n")


@pytest.mark.parametrize("lists, updates", [("", True), ("some list", False)])
def test_missing_lists_of_packages_are_got_before_libraries_are_downloaded(project, lists, updates):
    build_machine(project)
    (project.folder / "build/sources/libpq").rmdir()
    project.fake("id", "echo 0")
    project.fake("apt-get", f'case "$*" in indextargets*) echo {lists} | grep . ;; esac')
    project.run("script/bootstrap", CXX="c++")
    calls = [call for call in project.called() if call.startswith("apt-get")]
    update = [number for number, call in enumerate(calls) if call.endswith(" update") and "Dir::" not in call]
    download = next(number for number, call in enumerate(calls) if "download libpq-dev" in call)
    assert len(update) == updates and all(number < download for number in update)


@pytest.mark.parametrize("default, names, packages", [
    ("1.74.0.3", "libboost1.74-dev libboost1.81-dev libboost1.81-doc", "libboost1.81-dev libboost-context1.81-dev libboost-url1.81-dev"),  # Debian 12
    ("1.83.0.2", "libboost1.83-dev libboost1.88-dev", "libboost-dev libboost-context-dev libboost-url-dev"),  # Debian 13
    ("1.74.0.3", "libboost1.74-dev libboost1.90-dev libboost1.100-dev", "libboost1.100-dev libboost-context1.100-dev libboost-url1.100-dev"),
])
def test_boost_is_named_as_the_release_has_it(project, default, names, packages):
    project.fake("apt-cache", f'case "$1" in show) echo "Version: {default}" ;; *) printf "%s\\n" {names} ;; esac')
    asked = subprocess.run(["bash", "-c", "source script/support/boost.sh; boost_packages"], cwd=project.folder,
                           env=project.environment(), capture_output=True, text=True)
    assert (asked.returncode, asked.stdout) == (0, packages + "\n")


def test_too_old_a_boost_is_not_taken(project):
    project.fake("apt-cache", 'case "$1" in show) echo "Version: 1.74.0.3" ;; *) echo libboost1.74-dev ;; esac')
    asked = subprocess.run(["bash", "-c", "source script/support/boost.sh; boost_packages"], cwd=project.folder,
                           env=project.environment(), capture_output=True, text=True)
    assert asked.returncode == 1


# --- the build ----------------------------------------------------------------------------------


THREE_STEPS = "echo 'ninja: Entering directory'; echo '[1/3] Building a.o'; echo '[2/3] Building b.o'; echo '[3/3] Linking c'"


def test_at_a_terminal_one_line_is_rewritten(project):
    project.fake_build(THREE_STEPS)
    project.configure()
    code, shown = project.run_at_terminal("script/build", "release", "rocktable", columns=40)
    assert code == 0 and "\n" not in shown
    states = shown.split("\r\x1b[K")
    assert [re.sub(r" \d+:\d\d$", " M:SS", state) for state in states] == ["", "[1/3] M:SS", "[2/3] M:SS", "[3/3] M:SS", ""]


def test_the_elapsed_time_goes_on_while_one_step_lasts(project):
    project.fake_build("echo '[1/3] Building a.o'; sleep 1.3")
    project.configure()
    _, shown = project.run_at_terminal("script/build", "release", "rocktable")
    assert len(set(re.findall(r"\[1/3\] 0:\d\d", shown))) >= 2


def test_elsewhere_there_is_a_line_every_so_often(project):
    project.fake_build("echo '[1/9] a'; sleep 1.2; for i in 2 3 4 5 6 7 8 9; do echo \"[$i/9] b\"; done")
    project.configure()
    result = project.run("script/build", "release", "rocktable", BUILD_PROGRESS_SECONDS="1")
    assert result.returncode == 0 and result.stdout == ""
    assert re.fullmatch(r"(\[\d/9\] 0:\d\d\n){1,3}", result.stderr), result.stderr
    assert project.run("script/build", "release", "rocktable").stderr == ""  # less than a minute


def test_a_build_with_nothing_to_do_says_nothing(project):
    project.fake_build()
    project.configure()
    result = project.run("script/build", "release", "rocktable")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert project.run_at_terminal("script/build", "release", "rocktable") == (0, "")


def test_the_first_build_says_that_it_takes_a_while(project):
    project.fake_build()
    result = project.run("script/build", "release", "rocktable")
    assert result.stderr == "Building rocktable (release); the first time takes a few minutes\n"
    assert project.called()[0] == "cmake --preset release --fresh"


def test_a_failed_build_shows_the_log_without_the_progress(project):
    project.fake_build("echo 'ninja: Entering directory'; echo '[1/3] Building a.o'; echo 'FAILED: b.o'; echo 'b.cc:1: error: no such thing'; exit 1")
    project.configure()
    result = project.run("script/build", "release", "rocktable")
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr == "FAILED: b.o\nb.cc:1: error: no such thing\nscript/build: the build of release failed\n"


def test_warnings_are_shown(project):
    project.fake_build("echo '[1/3] Building a.o'; echo 'a.cc:7: warning: unused'; echo '[2/3] Building b.o'")
    project.configure()
    assert project.run("script/build", "release", "rocktable").stderr == "a.cc:7: warning: unused\n"


def test_what_cmake_refuses_is_shown(project):
    project.fake_build()
    project.fake("cmake", "echo 'RocksDB 7.8 or newer is needed'; exit 1")
    result = project.run("script/build", "release", "rocktable")
    assert result.returncode == 1
    assert result.stderr.splitlines()[1:] == ["RocksDB 7.8 or newer is needed", "script/build: cmake cannot configure release"]


def test_a_missing_build_tool_is_named(project):
    result = project.run("script/build", "release", "rocktable")
    assert result.returncode == 1
    assert result.stderr == "script/build: cmake is not installed; script/bootstrap installs what the build needs\n"


def test_a_second_build_says_that_it_waits(project):
    project.fake_build()
    project.configure()
    lock = project.folder / "build/release/.lock"
    with subprocess.Popen(["flock", lock, "sh", "-c", "echo locked; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()  # the other process has the lock
        said = project.folder / "said"
        with said.open("w") as errors:
            build = subprocess.Popen([project.folder / "script/build", "release"], env=project.environment(), stderr=errors)
        wait_until(said.read_text, SECONDS, "it does not say that it waits")
        assert said.read_text() == "Waiting for another build of release to end\n" and build.poll() is None
        other.stdin.close()
        assert build.wait(SECONDS) == 0


def read_only(folder):
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    return NOBODY


def writable(folder):
    for path in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        path.chmod(0o755)


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="no setpriv")
@pytest.mark.parametrize("configured", [False, True])
def test_a_read_only_tree_gets_a_sentence(project, configured):
    project.fake_build()
    if configured:
        project.configure()
    user = read_only(project.folder)
    result = project.run("script/build", "release", "rocktable", user=user)
    writable(project.folder)
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1, result.stderr
    assert result.stderr == (f"script/build: cannot build in {project.folder}/build/release: Permission denied; "
                             "please copy the project to a folder that you may write to\n")


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="no setpriv")
def test_a_read_only_tree_that_is_built_is_used(project):
    project.fake_build(up_to_date=True)
    project.configure()
    project.calls.chmod(0o666)
    user = read_only(project.folder)
    project.calls.chmod(0o666)
    result = project.run("script/build", "release", "rocktable", user=user)
    writable(project.folder)
    assert (result.returncode, result.stderr) == (0, "")


# --- versions of libraries ----------------------------------------------------------------------


@pytest.mark.parametrize("version, accepted", [("7.8.0", True), ("7.9.2", True), ("9.10.0", True), ("7.7.3", False), ("6.29.5", False)])
def test_cmake_takes_the_minimum_version_and_anything_newer(tmp_path, version, accepted):
    (tmp_path / "ThingConfig.cmake").write_text("")
    major = version.split(".")[0]
    (tmp_path / "ThingConfigVersion.cmake").write_text(f"""
        set(PACKAGE_VERSION {version})
        if(PACKAGE_FIND_VERSION_MAJOR AND NOT PACKAGE_FIND_VERSION_MAJOR EQUAL {major})  # as RocksDB has it
          set(PACKAGE_VERSION_COMPATIBLE FALSE)
        else()
          set(PACKAGE_VERSION_COMPATIBLE TRUE)
        endif()""")
    (tmp_path / "ask.cmake").write_text(f"""
        set(Thing_DIR {tmp_path})
        include({ROOT}/cmake/require_package.cmake)
        require_package(Thing 7.8)""")
    result = subprocess.run(["cmake", "-P", tmp_path / "ask.cmake"], capture_output=True, text=True)
    assert (result.returncode == 0) == accepted, result.stderr
    if not accepted:
        assert f"Thing 7.8 or newer is needed; {tmp_path} has {version}" in " ".join(result.stderr.split())


# --- bare systems -------------------------------------------------------------------------------


def test_sources_of_another_release_are_made_from_those_of_this_machine():
    listed = "http://mirror/debian/|bookworm|main\nhttp://mirror/debian/|bookworm-updates|main\n" \
             "http://mirror/security/|bookworm-security|main\nhttp://mirror/debian/|bookworm|main\n" \
             "https://elsewhere/node|nodistro|main\nhttps://elsewhere/cloud|cloud-sdk-bookworm|main\n"
    assert chroot.debian_sources("trixie", listed, "bookworm") == [
        ("http://mirror/debian/", "trixie", "main"),
        ("http://mirror/debian/", "trixie-updates", "main"),
        ("http://mirror/security/", "trixie-security", "main"),
    ]


def test_who_is_not_root_is_told_what_to_run(monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr("sys.argv", ["try.py", "trixie", "--tests"])
    with pytest.raises(SystemExit) as ended:
        chroot.require_root("script/try-debian")
    assert ended.value.code == 1
    assert capsys.readouterr().err == ("script/try-debian: needs root, to make a system (debootstrap) and enter it (chroot); "
                                       "please run: sudo script/try-debian trixie --tests\n")


def test_cases_are_counted_and_an_exception_is_a_failure(capsys):
    def tried():
        yield "one", True
        yield "two", None
        raise RuntimeError("lost")

    counted = cases.Cases()
    counted.try_all(tried())
    assert counted.end() == 1
    assert capsys.readouterr().out.splitlines() == ["ok  one", "skipped  two", "FAILED  it went on (lost)", "1 passed, 1 failed, 1 skipped"]
    assert cases.Cases().end() == 1  # no test ran


def test_the_end_of_a_run_says_what_was_skipped_and_why(capsys):
    reasons = run.skip_reasons(
        "SKIPPED [2] tests/protocol/test_a.py:3: needs root\n"
        "SKIPPED [1] tests/protocol/test_b.py:30: Skipped: takes a minute\n"
        "\ufe63 another client (0.1ms) # needs root\n"
        "SKIPPED in a text\n", 6)
    run.print_skipped(reasons)
    assert capsys.readouterr().out == (
        "skipped:\n"
        "     3  needs root\n"
        "     2  no reason is reported\n"
        "     1  takes a minute\n")
    run.print_skipped(run.skip_reasons("3 passed\n", 0))
    assert capsys.readouterr().out == ""


def test_the_whole_run_counts_what_a_bare_system_counted():
    debian = run.Debian([], "trixie", "--tests")
    assert debian.command == [ROOT / "script/try-debian", "trixie", "--tests"]
    assert debian.count("1 passed, 2 failed, 3 skipped\nok  a table\n8 passed, 1 failed, 0 skipped\n") == (8, 1, 0)
    assert debian.count("debootstrap could not make trixie") == (0, 0, 0)
    assert run.Debian(["urls"], "trixie").command is None and run.Debian(["DEBIAN"], "trixie").command
