#!/usr/bin/python3
"""Carries out the steps of the Dockerfile in folders of its own, and tries what comes out, without Docker.

    tests/image/try.py [--base FOLDER] [--keep]

As root, on Debian: each `FROM debian:bookworm-slim` is a fresh minimal system (debootstrap, or a copy of FOLDER), each
RUN a chroot into it. Then the entry point runs as the image's user: the health check fails before and passes after its
start, a table is created, the program ends in order when told, and the table is there after the next start. Ends with
`N passed, N failed, N skipped`.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import rocktable_server

DEVELOPMENT = (
    "AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/"
    "K1SZFPTOtr/KBHBeksoGMGw==;TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;"
)


def instructions(text):
    """(word, arguments) of each, lines that go on joined."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        word, arguments = line.split(None, 1)
        yield word, arguments


class Stage:
    """A system that grows step by step."""

    def __init__(self, root):
        self.root = root
        self.folder = "/"
        self.user = "0:0"
        self.health = self.entry = None

    def inside(self, words, user=None, **options):
        """Starts a command within, where devices and processes are visible."""
        chroot = ["chroot", f"--userspec={user or self.user}", self.root, "/bin/sh", "-c",
                  f"cd {shlex.quote(self.folder)} && exec {words}"]
        mounts = f"mount -t proc proc {self.root}/proc && mount --bind /dev {self.root}/dev && exec {shlex.join(map(str, chroot))}"
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        return subprocess.Popen(["unshare", "--mount", "/bin/sh", "-c", mounts], env=environment, **options)

    def run(self, command):
        status = self.inside(f"/bin/sh -c {shlex.quote(command)}").wait()
        assert status == 0, f"ended with {status}: {command}"

    def path(self, inside):
        return self.root / pathlib.PurePosixPath(self.folder, inside).relative_to("/")


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


class Image:
    """The stages that a Dockerfile describes, the last of which is the image."""

    def __init__(self, scratch, base):
        self.scratch = scratch
        self.base = base
        self.stages = {}
        self.stage = None
        for word, arguments in instructions((ROOT / "docs" / "ci" / "Dockerfile").read_text()):
            print(f"-- {word} {arguments}", flush=True)
            getattr(self, f"do_{word.lower()}")(arguments)

    def do_from(self, arguments):
        image, *name = arguments.split(" AS ")
        assert image == "debian:bookworm-slim", image
        root = self.scratch / f"stage{len(self.stages)}"
        if self.base:
            subprocess.run(["cp", "-a", self.base, root], check=True)
        else:
            subprocess.run(["debootstrap", "--variant=minbase", "bookworm", root], check=True, stdout=subprocess.DEVNULL)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        self.stage = self.stages[name[0] if name else ""] = Stage(root)

    def do_workdir(self, arguments):
        self.stage.folder = arguments
        self.stage.path(".").mkdir(parents=True, exist_ok=True)

    def do_copy(self, arguments):
        if arguments == ". .":  # what Dockerfile.dockerignore lets through is what git knows
            listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
            for name in filter(None, listed.split("\0")):
                copy(ROOT / name, self.stage.path(name))
            return
        stage, source, target = re.fullmatch(r"--from=(\w+) (\S+) (\S+)", arguments).groups()
        copy(self.stages[stage].path(source), self.stage.path(target))

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
    """The entry point at work."""

    def __init__(self, image, *options):
        self.image = image
        self.process = image.inside(f"{image.entry} {shlex.join(options)}", stdout=subprocess.DEVNULL)

    def await_health(self):
        deadline = time.monotonic() + 20
        while health(self.image) != 0:
            assert time.monotonic() < deadline and self.process.poll() is None, "it does not get healthy"
            time.sleep(0.1)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


def health(image):
    return image.inside(image.health, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).wait()


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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="rocktable-image-", dir="/var/tmp"))
    try:
        image = Image(scratch, arguments.base).stage
        size = subprocess.run(["du", "-sm", "--exclude=var/cache/apt", image.root], capture_output=True, text=True, check=True).stdout.split()[0]
        print(f"-- the image takes {size} MB")
        results = []
        for what, holds in try_image(image):
            print(("ok  " if holds else "FAILED  ") + what, flush=True)
            results.append(holds)
    finally:
        if arguments.keep:
            print(scratch)
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    print(f"{results.count(True)} passed, {results.count(False)} failed, 0 skipped")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
