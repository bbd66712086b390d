"""Copies the scripts of the project to a folder and runs them there, with fake commands in PATH."""
import fcntl
import os
import pathlib
import pty
import shutil
import struct
import subprocess
import termios

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ("bash", "cat", "chmod", "cp", "dirname", "dpkg", "env", "flock", "grep", "mkdir", "mktemp", "rm", "sed", "sh", "sleep", "sort",
         "tail", "touch", "tr", "true", "uname")
SECONDS = 20
NOBODY = 65534


class Project:
    """A copy of the scripts in `folder`, and a PATH with the tools above and the fake commands."""

    def __init__(self, folder):
        self.folder = folder
        self.path = folder / "bin"
        self.path.mkdir(parents=True)
        for tool in TOOLS:
            (self.path / tool).symlink_to(shutil.which(tool))
        shutil.copytree(ROOT / "script", folder / "script")
        for name in ("CMakePresets.json", "CMakeLists.txt"):
            shutil.copy(ROOT / name, folder / name)
        self.calls = folder / "calls"
        self.calls.touch()

    def fake(self, command, body=""):
        """Adds a shell script to PATH. It records its name and arguments in the calls."""
        program = self.path / command
        program.write_text(f'#!/bin/sh\necho "{command} $*" >>{self.calls}\n{body}\n')
        program.chmod(0o755)

    def fake_build(self, ninja="echo 'ninja: no work to do.'", up_to_date=False):
        """Adds a fake cmake that configures, and a fake ninja that runs `script`; `ninja -n` reports whether there is
        work."""
        self.fake("cmake", f"""
            mkdir -p build/release; touch build/release/build.ninja
            echo 'CMAKE_HOME_DIRECTORY:INTERNAL={self.folder}' >build/release/CMakeCache.txt""")
        work = "ninja: no work to do." if up_to_date else "[1/1] something"
        self.fake("ninja", f'case " $* " in *" -n "*) echo "{work}"; exit ;; esac\n{ninja}')

    def configure(self):
        subprocess.run([self.path / "cmake"], cwd=self.folder, check=True, env=self.environment())
        self.calls.write_text("")

    def environment(self, **more):
        return {"PATH": str(self.path), "TERM": "xterm", **more}

    def called(self):
        return self.calls.read_text().splitlines()

    def command(self, words, user):
        program, *arguments = words
        prefix = [shutil.which("setpriv"), f"--reuid={user}", "--clear-groups"] if user and os.geteuid() == 0 else []
        return [*prefix, str(self.folder / program), *arguments]

    def run(self, *words, user=None, **environment):
        """Runs a script without a terminal; with `user`, as a user other than root."""
        return subprocess.run(self.command(words, user), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
                              cwd=self.folder, env=self.environment(**environment))

    def run_at_terminal(self, *words, columns=40, **environment):
        """Runs a script at a terminal of so many columns. Returns (exit code, output)."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen(self.command(words, None), stdin=slave, stdout=slave, stderr=slave, cwd=self.folder,
                              start_new_session=True, env=self.environment(**environment)) as process:
            os.close(slave)
            shown = b""
            while True:
                try:
                    piece = os.read(master, 65536)
                except OSError:  # the other end is closed
                    break
                if not piece:
                    break
                shown += piece
            os.close(master)
            return process.wait(SECONDS), shown.decode()
