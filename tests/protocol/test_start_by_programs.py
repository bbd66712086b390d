"""A server that another program starts: it reports on standard output when it is ready, and ends with that program."""
import json
import signal
import subprocess
import sys
import urllib.request

from own_server import needs_program
from process import is_running, wait_until
from program import refusal
from rocktable_server import BINARY

pytestmark = needs_program

FLAGS = ["--inMemoryPersistence", "--tablePort", "0", "--silent", "--readyFile", "-", "--stopAtInputEnd"]
SECONDS = 20


def start(*flags, **options):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([BINARY, *FLAGS, *flags], text=True, **{**pipes, **options})


def answers(url):
    with urllib.request.urlopen(url + "/_rocktable/ready", timeout=5) as response:
        return response.status == 200


def test_the_first_line_is_the_ready_document():
    with start() as process:
        ready = json.loads(process.stdout.readline())
        assert ready["pid"] == process.pid
        assert ready["connectionString"].startswith("DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;")
        assert answers(f"http://127.0.0.1:{ready['port']}")
        rest, errors = process.communicate(timeout=SECONDS)  # closes its standard input
        assert (process.returncode, rest, errors) == (0, "", "")


def test_what_is_written_to_it_has_no_effect():
    with start() as process:
        url = f"http://127.0.0.1:{json.loads(process.stdout.readline())['port']}"
        process.stdin.write("x" * 200_000)
        process.stdin.flush()
        assert answers(url)
        process.stdin.close()
        assert process.wait(SECONDS) == 0


def test_it_ends_in_order_and_keeps_its_data(tmp_path):
    seed = tmp_path / "kept.ndjson"
    seed.write_text('{"PartitionKey":"p","RowKey":"r"}\n')
    words = [BINARY, *FLAGS[1:], "-l", tmp_path]
    for flags, tables in ((["--seed", seed], 1), ([], 1)):
        with subprocess.Popen([*words, *flags], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            url = f"http://127.0.0.1:{json.loads(process.stdout.readline())['port']}"
            with urllib.request.urlopen(url + "/_rocktable/contents", timeout=5) as response:
                assert json.load(response)["accounts"] == [{"account": "devstoreaccount1", "tables": tables}]
            process.stdin.close()
            assert process.wait(SECONDS) == 0


# SIGKILL gives the parent no chance to stop it.
def test_it_ends_when_the_program_that_started_it_is_killed():
    script = f"""
import subprocess, sys
process = subprocess.Popen({[str(BINARY), *FLAGS]!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(process.stdout.readline().decode(), end="", flush=True)
process.wait()
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        ready = json.loads(parent.stdout.readline())
        assert answers(f"http://127.0.0.1:{ready['port']}")
        parent.send_signal(signal.SIGKILL)
    wait_until(lambda: not is_running(ready["pid"]), SECONDS, "it outlives the program that started it")


def test_an_input_that_has_ended_already_ends_it_after_the_start():
    for _ in range(5):
        with start(stdin=subprocess.DEVNULL) as process:
            output, errors = process.communicate(timeout=SECONDS)
            assert (process.returncode, errors) == (0, "")
            assert json.loads(output)["pid"] == process.pid


def test_without_the_flag_the_input_has_no_effect():
    with subprocess.Popen([BINARY, *FLAGS[:-1]], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert answers(f"http://127.0.0.1:{json.loads(process.stdout.readline())['port']}")
        process.terminate()
        assert process.wait(SECONDS) == 0


def test_why_it_does_not_start_is_on_standard_error(tmp_path):
    seed = tmp_path / "broken.ndjson"
    seed.write_text('{"PartitionKey":"p","RowKey":"r","N@odata.type":"Edm.Int64","N":"x"}\n')
    with start("--seed", str(seed)) as process:
        output, errors = process.communicate(timeout=SECONDS)
        assert (process.returncode, output) == (1, "")
        assert errors == f'rocktable: {seed}:1:65: the value of "N" is not an Int64\n'


def test_a_command_with_a_server_of_its_own_takes_neither():
    assert "remove --stopAtInputEnd" in refusal(2, "exec", "--stopAtInputEnd", "--", "true")
    assert "needs the name of a file" in refusal(2, "exec", "--readyFile", "-", "--", "true")
