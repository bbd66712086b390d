"""Options in variables and in --config: precedence, refusals, and their use by `rocktable exec`."""
import pathlib
import sys

import pytest

from own_server import needs_program
from program import Program, refusal, run
from rocktable_server import BINARY

pytestmark = needs_program

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
PORT, LOCATION, SILENT = "ROCKTABLE_TABLE_PORT", "ROCKTABLE_LOCATION", "ROCKTABLE_SILENT"
FREE = {PORT: "0", "ROCKTABLE_IN_MEMORY_PERSISTENCE": "true"}


@pytest.fixture
def config(tmp_path):
    """Writes a file and returns its path."""

    def write(text, name="rocktable.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def store_of(*flags, environment=None, folder):
    """Returns where a server keeps its data, from its start message, and its warnings."""
    with Program(BINARY, *flags, environment=environment, folder=folder) as program:
        said = program.wait_for("; press Ctrl-C to stop")
        assert program.end() == 0
        return said.splitlines()[3].split("; ")[1], program.errors()


def test_the_command_line_comes_first_then_variables_then_the_file_then_the_default(config, tmp_path):
    for name in ("line", "variable", "file"):
        (tmp_path / name).mkdir()
    file = config('tablePort = 0\nlocation = "file"  # where data are\n')
    levels = [
        ("line", ["--config", file, "-l", "line"], {LOCATION: "variable"}),
        ("variable", ["--config", file], {LOCATION: "variable"}),
        ("file", ["--config", file], {LOCATION: ""}),
        ("file", [], {"ROCKTABLE_CONFIG": str(file)}),
        (".", ["--tablePort", 0], {}),
    ]
    for folder, flags, environment in levels:
        expected = f"data is kept in {(tmp_path / folder).resolve()}/__rocktable__"
        assert store_of(*flags, environment=environment, folder=tmp_path) == (expected, "")


def test_flags_are_set_and_unset_by_variables_and_the_file(config, tmp_path):
    file = config("tablePort = 0\ninMemoryPersistence = true\n")
    assert store_of("--config", file, folder=tmp_path) == ("in memory: no data is kept", "")
    for value, kept in (("false", True), ("no", True), ("1", False)):
        environment = {"ROCKTABLE_IN_MEMORY_PERSISTENCE": value}
        assert store_of("--config", file, environment=environment, folder=tmp_path)[0].startswith("data is") == kept


@pytest.mark.parametrize("environment, sentence", [
    ({PORT: "many"}, "--tablePort many: must be 0 to 65535 (ROCKTABLE_TABLE_PORT)"),
    ({SILENT: "maybe"}, "--silent maybe: must be true or false (ROCKTABLE_SILENT)"),
    ({"ROCKTABLE_TLS": "manual"}, "--tls must be auto (ROCKTABLE_TLS)"),
])
def test_a_wrong_value_names_its_variable(environment, sentence):
    assert refusal(2, environment=environment) == f"{sentence} (see rocktable --help)"


@pytest.mark.parametrize("line, sentence", [
    ("tablePrt = 1", "{}:2: there is no option tablePrt: did you mean tablePort?"),
    ("maxConnections = 0", "--maxConnections 0: must be 1 to 1000000 ({}:2)"),
    ("[tables]", "{}:2: sections are not supported; write lines like tablePort = 10002"),
])
def test_what_is_wrong_in_the_file_is_named_by_file_and_line(line, sentence, config):
    file = config(f"# options\n{line}\n")
    assert refusal(2, "--config", file) == f"{sentence.format(file)} (see rocktable --help)"


def test_a_file_that_is_not_there_is_named(tmp_path):
    file = tmp_path / "absent.toml"
    assert refusal(1, "--config", file) == f"--config: {file} cannot be read: No such file or directory"
    assert refusal(1, environment={"ROCKTABLE_CONFIG": str(file)}).startswith(f"--config: {file} cannot be read")


def test_what_the_system_refuses_names_the_variable_too():
    environment = {**FREE, "ROCKTABLE_ACCOUNTS": "/absent/accounts"}
    said = refusal(1, environment=environment)
    assert said == (
        "cannot read the accounts file /absent/accounts: No such file or directory (--accounts: ROCKTABLE_ACCOUNTS)"
    )


def test_a_mistyped_variable_is_a_warning(tmp_path):
    _, errors = store_of(environment={**FREE, "ROCKTABLE_SILNT": "1"}, folder=tmp_path)
    assert errors == "rocktable: the variable ROCKTABLE_SILNT is unknown: did you mean ROCKTABLE_SILENT?\n"


# --- rocktable exec -----------------------------------------------------------------------------------


def test_exec_takes_the_file_and_no_variables(config, tmp_path):
    environment = {PORT: "many", LOCATION: "absent/new", SILENT: "maybe", "ROCKTABLE_CONFIG": "absent"}
    assert run("exec", "--", "true", environment=environment, folder=tmp_path).returncode == 0
    (tmp_path / "kept").mkdir()
    file = config('location = "kept"\nanyAccount = true\n')
    assert run("exec", "--config", file, "--", "true", folder=tmp_path).returncode == 0
    assert (tmp_path / "kept" / "__rocktable__").is_dir()
    said = refusal(2, "exec", "--config", config("tablePrt = 1"), "--", "true")
    assert said.endswith("toml:1: there is no option tablePrt: did you mean tablePort? (see rocktable exec --help)")


def test_of_an_option_of_exec_that_is_given_twice_the_last_counts(tmp_path):
    names = ["--export", "ONE", "--export", "TWO"]  # except the option that adds to a list
    twice = ["--tablePort", "many", "--tablePort", "0", "--controlToken", "a", "--controlToken", "b"]
    result = run("exec", *twice, *names, "--", "sh", "-c", 'echo "$ROCKTABLE_CONTROL_TOKEN $ONE $TWO"', folder=tmp_path)
    assert result.returncode == 0, result
    token, one, two = result.stdout.split()
    assert token == "b" and one == two != ""


INNER = """
import sys
sys.path.insert(0, sys.argv[1])
import rocktable_server as support
server = support.Server()
print(support.exchange(server, support.request_bytes(server, "POST", "/_rocktable/reset", signed=False)).status)
print(server.errors(), end="")
server.stop()
"""


@pytest.mark.parametrize("token", ["secret", "@absent"])
def test_a_server_inside_exec_does_not_ask_for_the_token_of_the_outer_one(token, tmp_path):
    file = tmp_path / "token"
    file.write_text(token)
    result = run("exec", "--controlToken", f"@{file}", "--", sys.executable, "-c", INNER, SUPPORT, folder=tmp_path)
    assert result.returncode == 0, result
    status, note = result.stdout.splitlines()
    assert status == "200"
    assert note.startswith("rocktable: ROCKTABLE_CONTROL_TOKEN belongs to the instance that `rocktable exec` started at http://")
