"""The wheel: what it contains, and the command `rocktable` that it installs."""
import json
import os
import re
import signal
import stat
import subprocess
import zipfile

import packages
from program import refusal
from rocktable_server import BINARY

SECONDS = 20


def status_of(pid, field):
    with open(f"/proc/{pid}/status") as status:
        return re.search(rf"^{field}:\s*(.*)$", status.read(), re.MULTILINE)[1]


def test_each_architecture_has_a_wheel_for_glibc_and_musl_and_windows_has_one(wheels):
    version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    assert [wheel.name for wheel in wheels] == [
        f"rocktable-{version}-py3-none-manylinux2014_{one}.manylinux_2_17_{one}.musllinux_1_1_{one}.whl"
        for one in ("x86_64", "aarch64")
    ] + [f"rocktable-{version}-py3-none-win_amd64.whl"]
    for wheel in wheels:
        assert wheel.stat().st_size < packages.MAXIMUM_BYTES
        assert stat.S_IMODE(wheel.stat().st_mode) == 0o644
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            (metadata,) = (archive.read(name).decode() for name in names if name.endswith("/METADATA"))
            assert f"\nVersion: {version}\n" in metadata
            assert "Requires-Dist" not in metadata
            assert {name.rpartition("/")[2] for name in names} >= {"LICENSE", "THIRD-PARTY-LICENSES", "py.typed"}
            (program,) = [archive.getinfo(name) for name in names if name.startswith("rocktable/bin/")]
            assert program.filename.endswith(".exe") == ("win" in wheel.name)
            assert stat.S_IMODE(program.external_attr >> 16) == 0o755


def test_the_same_commit_gives_the_same_bytes(wheels, program, windows_program, tmp_path):
    again = packages.make_with_other_umask("wheel", tmp_path, program, windows_program)
    assert [one.read_bytes() for one in again] == [one.read_bytes() for one in wheels]


def test_the_command_is_the_program(environment):
    version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout
    assert environment.run("rocktable", "--version").stdout == version
    assert environment.run("python", "-m", "rocktable", "--version").stdout == version
    assert environment.run("rocktable", "exec", "--", "sh", "-c", "exit 7", code=7).stderr == ""
    assert environment.run("rocktable", "--nonsense", code=2).stderr == f"rocktable: {refusal(2, '--nonsense')}\n"


def test_exec_serves_an_unmodified_sdk(environment, seed):
    script = """
import os
from azure.data.tables import TableClient
customers = TableClient.from_connection_string(os.environ["AZURE_TABLES_CONNECTION_STRING"], "customers")
customers.create_entity({"PartitionKey": "de", "RowKey": "2", "Name": "Bernd"})
print([customer["Name"] for customer in customers.list_entities()])
"""
    words = ["exec", "--seed", seed, "--", "python", "-c", script]
    assert environment.run("rocktable", *words).stdout == "['Anna', 'Bernd']\n"


# Python ignores SIGPIPE, and an ignored signal stays ignored in the program that replaces it.
def test_signals_reach_the_program_as_if_it_was_started_directly(environment):
    words = ["--inMemoryPersistence", "--tablePort", "0", "--silent", "--readyFile", "-"]
    ignored = []
    for command in ([BINARY, *words], environment.command("rocktable", *words)):
        with subprocess.Popen(command, env=environment.variables(), stdout=subprocess.PIPE, text=True) as process:
            assert json.loads(process.stdout.readline())["pid"] == process.pid
            ignored.append(status_of(process.pid, "SigIgn"))
            process.send_signal(signal.SIGTERM)
            assert process.wait(SECONDS) == 0
    assert ignored[0] == ignored[1]


def test_a_variable_names_another_program(environment, tmp_path):
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho other $1\n")
    other.chmod(0o755)
    assert environment.run("rocktable", "x", environment={"ROCKTABLE_BINARY": other}).stdout == "other x\n"
    missing = tmp_path / "missing"
    for words in (["rocktable"], ["python", "-m", "rocktable"]):
        told = environment.run(*words, code=1, environment={"ROCKTABLE_BINARY": missing}).stderr
        assert told == f"rocktable: {missing} cannot be executed: No such file or directory\n"


def test_copy_reaches_a_second_instance_over_https(environment, seed, tmp_path):
    script = """
import os, subprocess, sys, rocktable
with rocktable.start(tls="auto", location=sys.argv[1]) as target:
    for trust in (["--caFile", str(target.certificate_authority)], []):
        subprocess.run(["rocktable", "copy", "--all", "--to", target.connection_string, *trust], check=True,
                       env={**os.environ, "ROCKTABLE_CA_FILE": "" if trust else str(target.certificate_authority)})
    copy = ["rocktable", "copy", "--all", "--to", target.connection_string]
    refused = subprocess.run(copy, capture_output=True, text=True)
    print(refused.returncode, "certificate" in refused.stderr, flush=True)
    subprocess.run(["rocktable", "export", "--from", target.connection_string, "--to", "-", "--table", "customers",
                    "--caFile", str(target.certificate_authority)], check=True)
"""
    words = ["exec", "--seed", seed, "--", "python", "-W", "ignore", "-c", script, tmp_path / "target"]
    first, *rest = environment.run("rocktable", *words).stdout.splitlines()
    assert first == "1 True"
    assert [json.loads(line)["Name"] for line in rest] == ["Anna"]
