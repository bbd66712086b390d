"""Runs the tests of the program for Windows, and the unit tests that are compiled for it, by Wine.

    tests/windows/run.py [FILTER...]

script/test --windows calls this after the build. The last line is `N passed, N failed, N skipped`.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import windows_program  # noqa: E402  # sets the variables of Wine

SECONDS = 900  # of one runner


def last_number(pattern, text):
    found = re.findall(pattern, text, re.MULTILINE)
    return int(found[-1]) if found else 0


def run(command):
    """Returns the output, which is printed if the command fails, and the exit code."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=SECONDS, check=False)
    if done.returncode != 0:
        print(done.stdout)
    return done.stdout, done.returncode


def unit_tests(filters):
    starter = [] if windows_program.ON_WINDOWS else ["wine"]
    selection = ["--test-case=" + ",".join(f"*{one}*" for one in filters)] if filters else []
    output, code = run([*starter, str(ROOT / "build/windows/tests/unit_tests.exe"), "--no-colors=true", *selection])
    passed, failed = (last_number(rf"^\[doctest\] test cases:.* (\d+) {word}", output) for word in ("passed", "failed"))
    return passed, failed or int(code != 0), 0


def program_tests(filters):
    selection = ["-k", " or ".join(filters)] if filters else []
    # The packages are made once for each file.
    words = ["-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *selection, str(ROOT / "tests/windows")]
    output, code = run([sys.executable, *words])
    passed, failed, errors, skipped = (last_number(rf"(\d+) {word}", output)
                                       for word in ("passed", "failed", "error", "skipped"))
    none_selected = 5
    return passed, failed + errors or int(code not in (0, none_selected)), skipped


def main(filters):
    results = [unit_tests(filters), program_tests(filters)]
    passed, failed, skipped = map(sum, zip(*results))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
