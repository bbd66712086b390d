"""Local identities: programs with DefaultAzureCredential and ManagedIdentityCredential, which contain no line about
emulators, run unmodified."""
import os
import subprocess

import pytest

from beside import BESIDE, INSTALLED
from guide import PYTHON, node_options
from identities import CONTRIBUTOR, CREDENTIALS, READER, Conversation, put_roles
from program import user_environment
from rocktable_server import BINARY

SECONDS = 60
PROGRAMS = BESIDE / "programs"
RUNTIMES = [
    pytest.param(["node", PROGRAMS / "orders.mjs"], id="javascript",
                 marks=pytest.mark.skipif(not INSTALLED.exists(), reason="@azure/identity is not installed: script/bootstrap --test")),
    pytest.param([PYTHON, PROGRAMS / "orders.py"], id="python"),
]


@pytest.mark.parametrize("credential", CREDENTIALS)
@pytest.mark.parametrize("words", RUNTIMES)
def test_a_role_that_is_taken_away_counts_with_the_next_request(identities, words, credential):
    put_roles(identities, f"alice {CONTRIBUTOR}\n")
    account = "a" + str(abs(hash((str(words), credential))) % 10**9)
    program = Conversation(identities, [*words, credential], account)
    try:
        assert program.ask("1") == "inserted"
        put_roles(identities, f"alice {READER}\n")
        assert program.ask("2") == "403 AuthorizationPermissionMismatch"
        put_roles(identities, f"alice {CONTRIBUTOR}\n")
        assert program.ask("2") == "inserted"
    finally:
        program.end()


@pytest.mark.parametrize("words", RUNTIMES)
def test_exec_is_enough_and_a_login_of_the_developer_does_not_matter(words):
    command = [BINARY, "exec", "--tls", "auto", "--identity", f"shop={CONTRIBUTOR}", "--", "sh", "-c",
               'TABLES_ENDPOINT=$ROCKTABLE_ENDPOINT exec "$@"', "sh", *words, "DefaultAzureCredential"]
    environment = user_environment(AZURE_TENANT_ID="11111111-1111-1111-1111-111111111111", AZURE_CLIENT_ID="of another program",
                                   AZURE_CLIENT_SECRET="secret", AZURE_TOKEN_CREDENTIALS="dev", **node_options())
    ended = subprocess.run([str(word) for word in command], input="1\n2\n", capture_output=True, text=True, timeout=SECONDS,
                           env=environment, check=False)
    assert (ended.returncode, ended.stdout) == (0, "inserted\ninserted\n"), ended.stderr


@pytest.mark.parametrize("words", RUNTIMES)
def test_two_identities_are_told_apart_by_the_client_id(words, identities):
    """As DefaultAzureCredential reads it from AZURE_CLIENT_ID."""
    put_roles(identities, f"alice {CONTRIBUTOR}\nbob {READER}\n")
    endpoint, authority = identities.endpoint.replace(identities.name, "t" + str(os.getpid())), identities.ready["certificateAuthority"]
    told = {}
    for name in ("alice", "bob"):
        environment = user_environment(
            TABLES_ENDPOINT=endpoint, IDENTITY_ENDPOINT=identities.identity_url, IDENTITY_HEADER=identities.header,
            AZURE_CLIENT_ID=identities.identities[name]["clientId"], SSL_CERT_FILE=authority, NODE_EXTRA_CA_CERTS=authority,
            REQUESTS_CA_BUNDLE=authority, **node_options())
        ended = subprocess.run([str(word) for word in (*words, "DefaultAzureCredential")], input="1\n", capture_output=True, text=True,
                               timeout=SECONDS, env=environment, check=False)
        told[name] = (ended.returncode == 0, ended.stdout.strip())
    assert told["alice"] == (True, "inserted")
    assert not told["bob"][0]  # it may not create its table
