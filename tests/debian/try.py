"""Follows the README on a bare Debian: clones, runs `script/server`, sends a request. Called by script/try-debian.

    tests/debian/try.py RELEASE [--tests] [--user] [--keep] [--base FOLDER]
"""
import argparse
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "tests")]
import chroot
import rocktable_server
from cases import Cases

RELEASES = ("bookworm", "trixie")
PROGRAM = "script/try-debian"
USER = "someone"
BUILD_SECONDS = 3 * 3600  # also on a busy machine
STOP_SECONDS = 20


def duration(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}" if seconds >= 60 else f"{seconds:.1f} s"


class Start:
    """Runs `script/server` in the system: its output, and when it is ready."""

    def __init__(self, system, *options):
        self.log = system.path("/var/tmp/server.log")
        ready_file = system.path(f"{system.home}/ready.json")
        ready_file.unlink(missing_ok=True)
        self.begin = time.monotonic()
        with self.log.open("w") as log:
            words = ["script/server", "--tablePort", "0", "--readyFile", f"{system.home}/ready.json", *options]
            self.process = system.start(" ".join(words), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        self.ready_file = ready_file

    def await_ready(self):
        """Shows its output until it is ready. Returns the account and the elapsed seconds."""
        with self.log.open() as log:
            while not (self.ready_file.exists() and "successfully listening" in self.printed()):
                assert self.process.poll() is None, f"script/server ended with {self.process.returncode}:\n{self.printed()[-4000:]}"
                assert time.monotonic() < self.begin + BUILD_SECONDS, "it does not get ready"
                print(log.read(), end="", flush=True)
                time.sleep(0.05)
            seconds = time.monotonic() - self.begin
            print(log.read(), end="", flush=True)
        return rocktable_server.Account(json.loads(self.ready_file.read_text())["connectionString"]), seconds

    def printed(self):
        return self.log.read_text()

    def stop(self):
        """Stops it and returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def installed(system):
    return system.path("/var/lib/dpkg/status").read_text().count("\nStatus: install ok installed")


def said(system, words):
    """Runs a command in the system. Returns (exit code, output)."""
    process = system.start(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    text, _ = process.communicate()
    return process.returncode, text


def shown(system, words):
    """The same, and shows the output as it comes."""
    process = system.start(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors="replace")
    lines = []
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    return process.wait(), "".join(lines)


def become_user(system):
    """Gives the system a user with sudo, whose commands follow."""
    system.run("apt-get -qq update && apt-get -qq install -y --no-install-recommends sudo >/dev/null")
    system.run(f"useradd --create-home --shell /bin/bash {USER}")
    system.path("/etc/sudoers.d/user").write_text(f"{USER} ALL=(ALL) NOPASSWD: ALL\n")
    system.home = f"/home/{USER}"
    system.user = "1000:1000"


def try_help(system):
    """Checks that run before anything is installed."""
    before = installed(system)
    code, text = said(system, "script/server --help")
    yield "script/server --help tells how to use it", code == 0 and "script/server [OPTION...]" in text
    code, text = said(system, "script/server --version")
    yield "script/server --version tells the version", code == 0 and text.startswith("rocktable ")
    yield "neither installs or builds anything", installed(system) == before and not system.path("build").exists()


def try_server(system, started):
    def start(*options):
        started.append(Start(system, *options))
        return started[-1]

    first = start()
    account, seconds = first.await_ready()
    yield f"script/server installs what it needs, builds, and is ready after {duration(seconds)}", True
    yield "a table is created from outside", rocktable_server.create_table(account, "kept") == "kept"
    yield "it stops in order", first.stop() == 0
    program = system.path("build/release/rocktable")
    built = program.stat().st_mtime_ns
    second = start()
    account, seconds = second.await_ready()
    quiet = not any(word in second.printed() for word in ("Installing", "Building"))
    yield f"the second start builds nothing, and is ready after {duration(seconds)}", quiet and program.stat().st_mtime_ns == built
    answer = rocktable_server.send(account, "GET", "/Tables('kept')")
    yield "the table is still there", answer.status == 200
    yield "it stops in order again", second.stop() == 0
    code, text = said(system, "script/server --help")
    yield "script/server --help is the program's own now", code == 0 and "--tablePort" in text


def skipped_in(text):
    """Returns what `script/test` printed at its end of the tests that were skipped, and why."""
    found = re.findall(r"^skipped:\n(?: +\d+  .*\n)+(?=\d+ passed, \d+ failed, \d+ skipped$)", text, re.MULTILINE)
    return found[-1] if found else ""


def try_tests(system, cases, started, skipped):
    """Adds to the list `skipped` what the tests there told of those that were skipped."""
    if (ROOT / "../shared/replay").is_dir():
        started.append(Start(system, "--inMemoryPersistence", "--silent"))
        account, _ = started[-1].await_ready()
        replayed = subprocess.run([ROOT / "tests/replay", account.endpoint]).returncode
        yield "the recorded exchanges are answered as the service does", replayed == 0
        yield "it stops in order after them", started[-1].stop() == 0
    else:
        yield "the recorded exchanges are not at hand", None
    begin = time.monotonic()
    code, text = shown(system, "script/test")
    told = re.findall(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", text, re.MULTILINE)
    passed, failed, count = map(int, told[-1]) if told else (0, 0, 0)
    cases.add(passed, failed, count)
    skipped.append(skipped_in(text))
    yield f"script/test installs what it needs, and passes in {duration(time.monotonic() - begin)}", code == 0 and passed > 0


def main():
    parser = argparse.ArgumentParser(prog=PROGRAM)
    parser.add_argument("release", choices=RELEASES)
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--user", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--base", type=pathlib.Path)
    arguments = parser.parse_args()
    chroot.require_root(PROGRAM)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix=f"rocktable-{arguments.release}-", dir="/var/tmp"))
    started, skipped = [], []
    cases = Cases()
    try:
        system = chroot.Chroot(scratch / "system", arguments.release, arguments.base)
        if arguments.user:
            become_user(system)
        clone = f"{system.home}/rocktable"
        subprocess.run(["git", "clone", "--quiet", ROOT, system.path(clone)], check=True)
        subprocess.run(["chown", "-R", system.user, system.path(clone)], check=True)
        system.folder = clone
        cases.try_all(try_help(system))
        cases.try_all(try_server(system, started))
        if arguments.tests and not cases.failed:
            cases.try_all(try_tests(system, cases, started, skipped))
    finally:
        for one in started:
            one.kill()
        if arguments.keep:
            print(f"kept: {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    print("".join(skipped), end="")
    return cases.end()


if __name__ == "__main__":
    sys.exit(main())
