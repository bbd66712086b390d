"""Reads the code blocks of a guide in docs/ and runs them unchanged."""
import os
import pathlib
import re
import subprocess

import pytest

from rocktable_server import BINARY

ROOT = pathlib.Path(__file__).resolve().parents[2]
JAVASCRIPT = ROOT / "tests" / "clients" / "javascript" / "node_modules"
PYTHON = "/usr/bin/python3"
BLOCK = re.compile(r"^```(\w+)( run)?\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Guide:
    def __init__(self, name):
        self.text = (ROOT / "docs" / name).read_text()

    def blocks(self):
        """Returns (language, whether it is run, text, text before it) of each block."""
        return [(block[1], bool(block[2]), block[3], self.text[: block.start()]) for block in BLOCK.finditer(self.text)]

    def runnable(self, *languages):
        chosen = [(language, text) for language, is_run, text, _ in self.blocks() if is_run and language in languages]
        return [pytest.param(*one, id=f"{one[0]}{number}") for number, one in enumerate(chosen)]

    def check_that_the_rest_says_so(self, least):
        """Checks that the guide marks each block that is not run, and that at least so many blocks are run. So an error
        in a fence cannot hide the following blocks."""
        unmarked = []
        for language, is_run, text, before in self.blocks():
            paragraph = before.rstrip().rsplit("\n\n", 1)[-1]
            told = re.search(r"\*[^*]*not run by our tests", paragraph, re.IGNORECASE) or "is not run by our tests" in paragraph
            if not is_run and not told:
                unmarked.append(f"{language}: {text[:60]}")
        assert unmarked == []
        assert sum(is_run for _, is_run, _, _ in self.blocks()) >= least
        assert self.text.count("```") == 2 * len(self.blocks())


def make_folder(made):
    """A folder in which all blocks of a guide run: `rocktable` is in PATH, and the SDK is installed."""
    (made / "bin").mkdir()
    (made / "bin" / "rocktable").symlink_to(BINARY.absolute())
    (made / "bin" / "python3").symlink_to(PYTHON)
    if JAVASCRIPT.exists():
        (made / "node_modules").symlink_to(JAVASCRIPT)
    return made


def node_options():
    """Node 18 has the global `crypto`, which the SDK needs, only with a flag."""
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return {"NODE_OPTIONS": "--experimental-global-webcrypto"} if version.startswith("v18.") else {}


def output_of(command, folder, cwd=None):
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", **node_options()}
    ended = subprocess.run(command, cwd=cwd or folder, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, f"{command}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def check_output(text, printed):
    """Returns the expected output of a block: the lines after `#> ` or `//> `."""
    expected = re.findall(r"^(?:#|//)> (.*)$", text, re.MULTILINE)
    if expected:
        assert printed.splitlines() == expected
