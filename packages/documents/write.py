#!/usr/bin/python3
"""Writes the manual page and the completions of the program.

    packages/documents/write.py DESCRIPTION VERSION FOLDER

DESCRIPTION is a file with the output of `rocktable help --json`. Writes rocktable.1, rocktable.bash, rocktable.zsh,
rocktable.fish and rocktable.ps1 to FOLDER.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from documents import completions
from documents.description import read_program
from documents.manual import manual


def documents(description, version):
    """Returns the text of each file by its name. `description`: the parsed output of `rocktable help --json`."""
    server, commands = read_program(description)
    return {
        "rocktable.1": manual(server, commands, version),
        "rocktable.bash": completions.bash(server, commands),
        "rocktable.zsh": completions.zsh(server, commands),
        "rocktable.fish": completions.fish(server, commands),
        "rocktable.ps1": completions.powershell(server, commands),
    }


def main():
    description, version, folder = sys.argv[1:]
    for name, text in documents(json.loads(pathlib.Path(description).read_text()), version).items():
        (pathlib.Path(folder) / name).write_text(text)


if __name__ == "__main__":
    main()
