"""rocktable open: which browser it starts, with which address, and what it says if it cannot."""
import json
import os
import socket
import time

import pytest

from own_server import needs_program, own_server
from program import run_command
from rocktable_server import Server

pytestmark = needs_program


server = own_server()


def run(*flags, **environment):
    # No other program of this machine counts as a browser.
    return run_command("open", *flags, **{"PATH": "/nonexistent", "BROWSER": None} | environment)


@pytest.fixture
def browser(tmp_path):
    """A program that writes its argument to the file `asked`, and then ends with the code in `code`, or goes on."""
    script = tmp_path / "browser"
    script.write_text(
        f"#!/bin/sh\necho \"$1\" >{tmp_path}/asked\n[ ! -e {tmp_path}/code ] || exit 1\n[ ! -e {tmp_path}/stays ] || /bin/sleep 3\n"
    )
    script.chmod(0o755)
    return script


def asked(browser):
    return (browser.parent / "asked").read_text().strip()


def test_the_browser_gets_the_address(server, browser):
    result = run("--connectionString", server.url, BROWSER=str(browser))
    address = f"{server.url}/_rocktable/"
    assert (result.returncode, result.stdout, result.stderr) == (0, f"rocktable: opened {address}\n", "")
    assert asked(browser) == address


def test_a_browser_that_keeps_running_is_not_waited_for(server, browser):
    (browser.parent / "stays").touch()
    begin = time.monotonic()
    assert run("--connectionString", server.url, BROWSER=str(browser)).returncode == 0
    assert time.monotonic() - begin < 2.5


def test_without_a_browser_the_address_is_told(server, browser):
    (browser.parent / "code").touch()
    for environment in ({}, {"BROWSER": "/nonexistent/browser"}, {"BROWSER": str(browser)}):
        result = run("--connectionString", server.url, **environment)
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr == f"rocktable: no browser could be started; open {server.url}/_rocktable/\n"


def test_json_has_the_address(server, browser):
    result = run("--json", "--url", server.url, BROWSER=str(browser))
    assert json.loads(result.stdout) == {"address": f"{server.url}/_rocktable/", "status": "opened"}


@pytest.mark.parametrize(
    ("flags", "words"), [(["--noExplorer"], "--noExplorer"), (["--tableHost", "0.0.0.0"], "--controlToken")]
)
def test_an_instance_without_the_page_is_told(browser, flags, words):
    running = Server(*flags)
    try:
        result = run("--url", running.url, BROWSER=str(browser))
        assert (result.returncode, result.stdout) == (1, "")
        assert "has no explorer" in result.stderr
        assert words in result.stderr
        assert not (browser.parent / "asked").exists()
    finally:
        running.stop()


def test_where_nothing_listens_no_browser_is_started(browser):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    result = run("--url", f"http://127.0.0.1:{port}", BROWSER=str(browser))
    assert result.returncode == 1
    assert "cannot be reached" in result.stderr
    assert not (browser.parent / "asked").exists()


def test_wrong_usage_is_told():
    assert run("--x").returncode == 2
    assert os.sep not in run("--help").stdout.splitlines()[0]
