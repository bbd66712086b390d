#!/usr/bin/python3
"""Carries out the steps of the Dockerfile in folders, without Docker, and tests the result.

    tests/image/try.py [--base FOLDER] [--program FILE] [--keep]

Requires root and Debian. Each `FROM debian:bookworm-slim` is a new minimal system: made by debootstrap, or a copy of
FOLDER, which is made first if it does not exist. Each RUN is a chroot into it. Then the entry point runs as the user of
the image: the health check fails before the start and passes after it, a table is created, the program stops in order
on its signal, and the table exists after the next start. Then it is started as tools start Azurite, on the ports 10000
to 10002 of this machine. --program skips the build stage and uses a program that was built on the same release. Ends
with `N passed, N failed, N skipped`.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import chroot
import rocktable_server
from azurite_starts import STARTS
from cases import Cases

DEVELOPMENT = (
    "AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/"
    "K1SZFPTOtr/KBHBeksoGMGw==;TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;"
)
PORTS = {"Blob": 10000, "Queue": 10001, "Table": 10002}
RELEASE = "bookworm"
START_SECONDS = 20


def instructions(text):
    """Returns (word, arguments) of each instruction, with continued lines joined."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        word, arguments = line.split(None, 1)
        yield word, arguments


class Stage(chroot.Chroot):
    """A system that is built step by step."""

    health = entry = None


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


class Image:
    """Builds the stages of a Dockerfile. The last stage is the image."""

    def __init__(self, scratch, base, program):
        self.scratch = scratch
        self.base = base
        self.program = program
        self.stages = {}
        self.stage = None
        for word, arguments in instructions((ROOT / "docs" / "ci" / "Dockerfile").read_text()):
            if word != "FROM" and self.stage is None:
                continue  # of a skipped stage
            print(f"-- {word} {arguments}", flush=True)
            getattr(self, f"do_{word.lower()}")(arguments)

    def do_from(self, arguments):
        image, *name = arguments.split(" AS ")
        assert image == f"debian:{RELEASE}-slim", image
        self.stage = None
        if name and self.program:
            return
        root = self.scratch / f"stage{len(self.stages)}"
        self.stage = self.stages[name[0] if name else ""] = Stage(root, RELEASE, self.base)

    def do_workdir(self, arguments):
        self.stage.folder = arguments
        self.stage.path(".").mkdir(parents=True, exist_ok=True)

    def do_copy(self, arguments):
        if arguments == ". .":  # Dockerfile.dockerignore admits the files that git tracks
            listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
            for name in filter(None, listed.split("\0")):
                copy(ROOT / name, self.stage.path(name))
            return
        stage, source, target = re.fullmatch(r"--from=(\w+) (\S+) (\S+)", arguments).groups()
        copy(self.program or self.stages[stage].path(source), self.stage.path(target))

    def do_run(self, arguments):
        self.stage.run(arguments)

    def do_user(self, arguments):
        self.stage.user = arguments

    def do_healthcheck(self, arguments):
        self.stage.health = shlex.join(json.loads(arguments.split("CMD ", 1)[1]))

    def do_entrypoint(self, arguments):
        self.stage.entry = shlex.join(json.loads(arguments))

    def do_expose(self, arguments):
        assert arguments == "10002"

    def do_volume(self, arguments):
        assert self.stage.path(arguments).is_dir()


class Container:
    """Runs the entry point, or `entry` in its place."""

    def __init__(self, image, *options, entry=None, environment=None):
        self.image = image
        self.log = image.root.with_name("container.log")
        words = f"env {shlex.join(f'{k}={v}' for k, v in (environment or {}).items())} {entry or image.entry} {shlex.join(options)}"
        with self.log.open("w") as log:
            self.process = image.start(words, stdout=log)

    def await_health(self):
        self.await_condition(lambda: health(self.image) == 0, "it does not get healthy")

    def await_lines(self, lines):
        self.await_condition(lambda: all(line in self.log.read_text() for line in lines), "it does not print what is waited for")

    def await_condition(self, holds, complaint):
        deadline = time.monotonic() + START_SECONDS
        while not holds():
            assert time.monotonic() < deadline and self.process.poll() is None, f"{complaint}: {self.log.read_text()}"
            time.sleep(0.1)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(START_SECONDS)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def health(image):
    return image.start(image.health, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).wait()


def try_image(image):
    user, group = map(int, image.user.split(":"))
    yield "its user is nobody of importance", user > 999 and group > 999
    yield "the health check fails where nothing runs", health(image) == 1
    account = rocktable_server.Account(DEVELOPMENT)
    container = Container(image)
    container.await_health()
    yield "the health check passes", True
    owner = os.stat(f"/proc/{container.process.pid}").st_uid
    yield "it runs as that user", owner == user
    yield "a table is created from outside", rocktable_server.create_table(account, "kept") == "kept"
    yield "it ends in order", container.stop() == 0
    container = Container(image, "--anyAccount")
    container.await_health()
    answer = rocktable_server.send(account, "GET", "/Tables('kept')")
    yield "the table is there after the next start, in /data", answer.status == 200 and image.path("__rocktable__").is_dir()
    unasked = rocktable_server.exchange(account, rocktable_server.request_bytes(account, "GET", "/_rocktable/stats", signed=False))
    yield "strangers are not told of its requests", unasked.status == 401
    yield "it ends in order again", container.stop() == 0


def try_start(image, start):
    """Starts the image once as a tool does."""
    account = rocktable_server.Account(DEVELOPMENT)
    container = Container(image, *start.arguments, entry=start.entry, environment=start.environment)
    try:
        container.await_health()
        container.await_lines([f"Azurite {service} service is successfully listening at http://0.0.0.0:{PORTS[service]}"
                               for service in start.services])
        for service in start.services:
            socket.create_connection(("127.0.0.1", PORTS[service]), START_SECONDS).close()
        table = rocktable_server.create_table(account)
        answered = rocktable_server.send(account, "GET", f"/Tables('{table}')").status == 200
        rocktable_server.delete_table(account, table)
        yield f"{start.tool}: it starts, says so, and answers", answered
        yield f"{start.tool}: it ends in order", container.stop() == 0
    finally:
        container.kill()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    chroot.require_root("tests/image/try.py")
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="rocktable-image-", dir="/var/tmp"))
    cases = Cases()
    try:
        image = Image(scratch, arguments.base, arguments.program).stage
        size = subprocess.run(["du", "-sm", "--exclude=var/cache/apt", image.root], capture_output=True, text=True, check=True).stdout.split()[0]
        print(f"-- the image takes {size} MB")
        cases.try_all(try_image(image))
        for start in STARTS:
            cases.try_all(try_start(image, start))
    finally:
        if arguments.keep:
            print(scratch)
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    return cases.end()


if __name__ == "__main__":
    sys.exit(main())
