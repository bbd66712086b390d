"""Frameworks of .NET on rocktable with Azurite beside it, and a .NET program with a local identity. script/test --dotnet
builds the programs."""
import os
import shutil
import subprocess

import pytest

from beside import AZURITE, WITH_AZURITE
from identities import CONTRIBUTOR, CREDENTIALS, READER, Conversation, put_roles
from program import user_environment
from rocktable_server import BINARY

BUILT = BINARY.parents[1] / "dotnet" / "bin" / "beside" / "release" / "beside.dll"
pytestmark = pytest.mark.skipif(not (shutil.which("dotnet") and BUILT.exists()), reason="not built: script/test --dotnet")
needs_azurite = pytest.mark.skipif(not AZURITE.exists(), reason="Azurite is not installed: script/bootstrap --test")
SECONDS = 90


def run(*words, flags=()):
    command = [BINARY, "exec", *flags, "--export", "AzureWebJobsStorage", "--", "dotnet", BUILT, *words]
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=SECONDS, check=False,
                           env=user_environment(PATH=WITH_AZURITE["PATH"], HOME=os.environ.get("HOME", "/root")))
    assert ended.returncode == 0, ended
    return ended.stdout.splitlines()[-1]


@needs_azurite
def test_an_orchestration_of_the_durable_task_framework_completes():
    assert run("durable", flags=["--with", "azurite"]) == 'Completed: "Hello Ada, Hello Grace"'


@needs_azurite
def test_a_message_triggers_a_function_of_webjobs():
    assert run("webjobs", flags=["--with", "azurite"]) == "receipt o1"


def test_a_grain_of_orleans_keeps_its_state_in_tables_alone():
    assert run("orleans") == "1 2"


@pytest.mark.parametrize("credential", CREDENTIALS)
def test_a_role_that_is_taken_away_counts_with_the_next_request(identities, credential):
    put_roles(identities, f"alice {CONTRIBUTOR}\n")
    program = Conversation(identities, ["dotnet", BUILT, "orders", credential], credential.lower()[:24])
    try:
        assert program.ask("1") == "inserted"
        put_roles(identities, f"alice {READER}\n")
        assert program.ask("2") == "403 AuthorizationPermissionMismatch"
    finally:
        program.end()
