"""Starts the program with the arguments that .NET Aspire and the modules of Testcontainers pass to Azurite: through the
image's entry point, or through the link `azurite`."""
import json
import os
import re
import signal
import subprocess
import time

import pytest

import rocktable_server
from azurite_starts import STARTS
from own_server import needs_program
from rocktable_server import BINARY
from scripts import ROOT

pytestmark = needs_program
SECONDS = 20


def entry_point():
    """Returns the options in the image's entry point."""
    words = re.search(r'"Entrypoint": (\[.*\])', (ROOT / "packages/image/make.py").read_text())[1]
    program, *options = json.loads(words)
    assert program == "rocktable"
    return [BINARY, *options]


def link(folder, name):
    (folder / name).symlink_to(BINARY.resolve())
    return [folder / name]


def wait_for(file, process, what):
    deadline = time.monotonic() + SECONDS
    while not file.exists() or not what(file.read_text()):
        assert process.poll() is None and time.monotonic() < deadline, f"{file.name}: {file.exists() and file.read_text()}"
        time.sleep(0.005)
    return file.read_text()


@pytest.mark.parametrize("start", STARTS, ids=[start.tool for start in STARTS])
def test_tools_start_it_in_place_of_azurite(start, tmp_path):
    program = entry_point() if start.entry is None else link(tmp_path, start.entry)
    # Options of this test follow those of the tool: if an option is given twice, the last one counts.
    free_ports = ["--tablePort", "0", "--blobPort", "0", "--queuePort", "0"]
    own = [*free_ports, "-l", tmp_path, "--readyFile", tmp_path / "ready.json"]
    with open(tmp_path / "output", "w") as output, open(tmp_path / "errors", "w") as errors:
        process = subprocess.Popen([str(word) for word in (*program, *start.arguments, *own)], stdout=output, stderr=errors,
                                   stdin=subprocess.DEVNULL, env={**os.environ, **start.environment})
    try:
        ready = json.loads(wait_for(tmp_path / "ready.json", process, bool))
        for service in start.services:
            line = f"Azurite {service} service is successfully listening at http://0.0.0.0:"
            wait_for(tmp_path / "output", process, lambda text, line=line: line in text)
        account = rocktable_server.Account(ready["connectionString"])
        table = rocktable_server.create_table(account)
        assert rocktable_server.send(account, "GET", f"/Tables('{table}')").status == 200
        kept = (tmp_path / "__rocktable__").exists()
        assert kept == ("--inMemoryPersistence" not in start.arguments)
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == 0, (tmp_path / "errors").read_text()
    finally:
        process.kill()
        process.wait()
