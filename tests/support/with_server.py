#!/usr/bin/python3
"""Runs a command against a new server on a free port, and stops the server.

    tests/support/with_server.py COMMAND...

In the words of COMMAND, {connectionString} and {endpoint} stand for those of the server. rocktable_server.py says which
program starts, and where it keeps its data. The exit code is that of COMMAND.
"""
import subprocess
import sys

import rocktable_server


def main(words):
    server = rocktable_server.Server()
    values = {"{connectionString}": server.connection_string, "{endpoint}": server.endpoint}
    code = subprocess.run([values.get(word, word) for word in words], check=False).returncode
    server.stop()
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
