"""Runs the tests of the program for Windows, and the unit tests that are compiled for it, by Wine.

    tests/windows/run.py [FILTER...]
    tests/windows/run.py --protocol [FILTER...]   the tests of the protocol on this program, instead

script/test --windows calls this after the build. The last line is `N passed, N failed, N skipped`.
"""
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import windows_program  # noqa: E402  # sets the variables of Wine

SECONDS = 900  # of one runner
PROTOCOL_SECONDS = 3 * 3600


def last_number(pattern, text):
    found = re.findall(pattern, text, re.MULTILINE)
    return int(found[-1]) if found else 0


def run(command, seconds=SECONDS, **variables):
    """Returns the output, which is printed if the command fails, and the exit code."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=seconds, check=False, env=os.environ | variables)
    if done.returncode != 0:
        print(done.stdout)
    return done.stdout, done.returncode


def unit_tests(filters):
    starter = [] if windows_program.ON_WINDOWS else ["wine"]
    selection = ["--test-case=" + ",".join(f"*{one}*" for one in filters)] if filters else []
    output, code = run([*starter, str(ROOT / "build/windows/tests/unit_tests.exe"), "--no-colors=true", *selection])
    passed, failed = (last_number(rf"^\[doctest\] test cases:.* (\d+) {word}", output) for word in ("passed", "failed"))
    return passed, failed or int(code != 0), 0


def pytest(filters, *words, **options):
    """By files, because the tests of a file share a server or packages."""
    selection = ["-k", " or ".join(filters)] if filters else []
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *selection, *map(str, words)]
    output, code = run(command, **options)
    passed, failed, errors, skipped = (last_number(rf"(\d+) {word}", output)
                                       for word in ("passed", "failed", "error", "skipped"))
    none_selected = 5
    return passed, failed + errors or int(code not in (0, none_selected)), skipped


def program_tests(filters):
    return pytest(filters, ROOT / "tests/windows")


def launcher():
    """Writes a program that starts that for Windows by Wine. It is where tests expect the program of a build."""
    names = ("WINEPREFIX", "WINEDEBUG", "WINEDLLOVERRIDES")
    variables = {name: os.environ[name] for name in names} | {"LC_ALL": "C.UTF-8"}  # tests give it another environment
    assignments = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
    words = ["/usr/bin/python3", "-ISs", ROOT / "tests/windows/by_wine.py"]
    file = ROOT / "build/by-wine/rocktable"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\nexport {assignments}\n"
                    f"exec {shlex.join(map(str, words))} \"$0\" {shlex.quote(str(windows_program.PROGRAM))} \"$@\"\n")
    file.chmod(0o755)
    return file


def protocol_tests(filters):
    """Those that measure are left out: their limits are of the program on its own system."""
    program = launcher()
    # The services that Wine starts beside the first program keep its output open. So one without output is the first,
    # and the services stay. The folder of Wine is complete before; the server of an earlier run would not end.
    for words in (["wineserver", "--kill"], ["wineboot", "--init"], ["wineserver", "--wait"],
                  ["wineserver", "--persistent"], [program, "--version"]):
        subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=SECONDS, check=False)
    try:
        return pytest(filters, "-rs", "-p", "not_by_wine", "-m", "not timing and not alone", ROOT / "tests/protocol",
                      seconds=PROTOCOL_SECONDS, ROCKTABLE_BINARY=str(program), PYTHONPATH=str(ROOT / "tests/windows"))
    finally:
        subprocess.run(["wineserver", "--kill"], check=False)


def main(filters):
    if filters[:1] == ["--protocol"]:
        results = [protocol_tests(filters[1:])]
    else:
        results = [unit_tests(filters), program_tests(filters)]
    passed, failed, skipped = map(sum, zip(*results))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
