"""Several accounts: where they are defined, how they are separated, and how they change while the server runs."""
import base64
import concurrent.futures
import email.utils
import http.client
import json
import os
import subprocess
import threading
import time

import pytest

from own_server import needs_program, own_server
from rocktable_server import (
    BATCH_HEADERS,
    BINARY,
    WELL_KNOWN_KEY,
    Account,
    all_entities,
    authorization,
    batch_body,
    batch_part,
    create_table,
    exchange,
    request_bytes,
    send,
    signature,
)
from shared_access import account_sas, send_with, table_sas

pytestmark = needs_program


def key(text):
    return base64.b64encode(text.encode()).decode()


ONE, ONE_SECOND, TWO, THREE = key("one's first"), key("one's second"), key("two's"), key("three's")
NAMED = f"one:{ONE}:{ONE_SECOND};two:{TWO}"

server = own_server(environment={"AZURITE_ACCOUNTS": NAMED})


def account_of(server, name, its_key):
    """An account as a client knows it. It need not exist on the server."""
    endpoint = f"{server.url}/{name}"
    return Account(f"AccountName={name};AccountKey={its_key};TableEndpoint={endpoint}")


def signed(account, method, target, headers=None, body=None, its_key=None, host=None, full=False):
    """Signs any target with Shared Key Lite or Shared Key, with the key of the account or another one."""
    date = email.utils.formatdate(usegmt=True)
    credentials = authorization(account, target, date, its_key)
    if full:
        content_type = "application/json" if body is not None else ""
        text = f"{method}\n\n{content_type}\n{date}\n/{account.name}{target}"
        credentials = f"SharedKey {account.name}:{signature(account, text, its_key)}"
    fields = {"x-ms-date": date, "Authorization": credentials, **(headers or {})}
    if host:
        fields["Host"] = host
    return exchange(account, request_bytes(account, method, target, fields, body, signed=False), method)


def insert(account, table, **entity):
    return send(account, "POST", f"/{table}", body=json.dumps({"PartitionKey": "p", "RowKey": "r", **entity}))


def until(holds, seconds=5):
    """Returns whether the condition holds now or soon."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.02)
    return False


def is_there(account):
    answer = send(account, "GET", "/Tables")
    assert answer.status in (200, 404), answer
    return answer.status == 200


# --- naming ---------------------------------------------------------------------------------------


def test_the_variable_replaces_the_default_account(server):
    assert [account["name"] for account in server.ready["accounts"]] == ["one", "two"]
    assert is_there(account_of(server, "one", ONE))
    assert is_there(account_of(server, "two", TWO))
    answer = send(account_of(server, "devstoreaccount1", WELL_KNOWN_KEY), "GET", "/Tables")
    assert (answer.status, answer.code) == (404, "ResourceNotFound")


@pytest.mark.parametrize(
    "text", [f"one:{ONE};", f"\n one : {ONE} ;\r\n\ttwo:{TWO}\n;\n", f"one:{ONE}:{ONE_SECOND}\n"]
)
def test_the_variable_may_have_blanks_and_line_ends_around_entries(start, text):
    assert is_there(account_of(start(environment={"AZURITE_ACCOUNTS": text}), "one", ONE))


def test_an_empty_variable_names_nothing(start):
    server = start(environment={"AZURITE_ACCOUNTS": ""})
    assert server.name == "devstoreaccount1"
    assert is_there(server)


def test_the_file_and_the_variable_count_both_and_the_file_wins(start, tmp_path):
    file = tmp_path / "accounts"
    file.write_text(f"# ours\n\ntwo:{THREE}\nthree:{THREE} # the third\n")
    server = start("--accounts", file, environment={"AZURITE_ACCOUNTS": NAMED})
    assert [account["name"] for account in server.ready["accounts"]] == ["one", "two", "three"]
    assert is_there(account_of(server, "one", ONE))
    assert is_there(account_of(server, "two", THREE))
    assert send(account_of(server, "two", TWO), "GET", "/Tables").status == 403


def test_the_ready_file_tells_all_and_devstoreaccount1_first(start):
    named = f"one:{ONE};devstoreaccount1:{TWO}"
    server = start(environment={"AZURITE_ACCOUNTS": named})
    ready = server.ready
    assert [account["name"] for account in ready["accounts"]] == ["devstoreaccount1", "one"]
    assert {name: ready[name] for name in ("endpoint", "connectionString")} == {
        name: ready["accounts"][0][name] for name in ("endpoint", "connectionString")
    }
    for account in ready["accounts"]:
        assert account["endpoint"] == f"http://127.0.0.1:{ready['port']}/{account['name']}"
        assert is_there(Account(account["connectionString"]))


def test_a_ready_file_with_keys_of_the_user_is_for_the_user_alone(tmp_path, start):
    for environment, others_may_read in (({}, True), ({"AZURITE_ACCOUNTS": NAMED}, False)):
        ready = tmp_path / f"ready{len(environment)}"
        process = subprocess.Popen(
            [BINARY, "--inMemoryPersistence", "--tablePort", "0", "--silent", "--readyFile", ready],
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            umask=0o022,
        )
        try:
            assert until(ready.exists)
            assert bool(ready.stat().st_mode & 0o077) == others_may_read
        finally:
            process.terminate()
            process.wait(10)


def test_what_others_prepared_does_not_get_the_ready_file(tmp_path, start):
    """If an attacker can guess the name of a temporary file, he can create a file or link of that name and read the
    keys."""
    ready, victim = tmp_path / "ready.json", tmp_path / "victim"
    victim.write_text("untouched")
    (tmp_path / "ready.json.part").symlink_to(victim)
    ready.symlink_to(victim)
    process = subprocess.Popen(
        [BINARY, "--inMemoryPersistence", "--tablePort", "0", "--silent", "--readyFile", ready],
        env={**os.environ, "AZURITE_ACCOUNTS": NAMED},
        stdout=subprocess.DEVNULL,
    )
    try:
        assert until(lambda: ready.exists() and not ready.is_symlink())
        assert ready.stat().st_mode & 0o077 == 0
        assert victim.read_text() == "untouched"
    finally:
        process.terminate()
        process.wait(10)


def test_no_key_is_printed_but_the_one_that_everybody_knows(start):
    server = start(environment={"AZURITE_ACCOUNTS": f"{NAMED};devstoreaccount1:{WELL_KNOWN_KEY}"})
    lines = server.output().splitlines()
    assert f"{server.url}/one" in lines
    assert server.connection_string in lines
    for text in (server.output(), server.errors()):
        assert not any(secret in text for secret in (ONE, ONE_SECOND, TWO))


# --- what is refused at the start -----------------------------------------------------------------

SECRET = key("nobody may see this")
BROKEN = {
    "no key": f"one:{ONE}\ntwo",
    "a key alone": f"one:{ONE}\n{SECRET}",
    "name and key in each other's place": f"one:{ONE}\n{SECRET}:two",
    "an empty key": f"one:{ONE}\ntwo:{SECRET}:",
    "a key that is not base64": f"one:{ONE}\ntwo:{SECRET}!",
    "three keys": f"one:{ONE}\ntwo:{SECRET}:{SECRET}:{SECRET}",
    "a bad name": f"one:{ONE}\nTwo_:{SECRET}",
    "a name twice": f"one:{ONE}\none:{SECRET}",
}


def fails(*flags, environment=None):
    words = [str(word) for word in (BINARY, "--inMemoryPersistence", "--tablePort", 0, *flags)]
    environment = {**os.environ, **(environment or {})}
    result = subprocess.run(words, capture_output=True, text=True, timeout=20, env=environment, check=False)
    assert (result.returncode, result.stdout) == (1, ""), result
    (line,) = result.stderr.splitlines()
    return line


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_broken_accounts_end_the_start_with_a_sentence_without_the_key(tmp_path, text):
    file = tmp_path / "accounts"
    file.write_text(text)
    for line, source in (
        (fails("--accounts", file), str(file)),
        (fails(environment={"AZURITE_ACCOUNTS": text}), "AZURITE_ACCOUNTS"),
    ):
        assert source in line and "line 2" in line
        assert SECRET not in line and SECRET[:8] not in line and ONE not in line


def test_a_file_that_is_not_there_or_names_nothing_ends_the_start(tmp_path):
    file = tmp_path / "accounts"
    assert str(file) in fails("--accounts", file)
    assert str(tmp_path) in fails("--accounts", tmp_path)
    file.write_text("# nobody\n\n;\n")
    assert str(file) in fails("--accounts", file)


# --- separation ---------- ------------------------------------------------------------------------


def test_accounts_have_tables_of_their_own(server):
    one, two = account_of(server, "one", ONE), account_of(server, "two", TWO)
    create_table(one, "shared")
    assert send(two, "GET", "/Tables").json()["value"] == []
    assert insert(two, "shared").status == 404
    create_table(two, "shared")
    assert insert(one, "shared", Of="one").status == 201
    assert all_entities(two, "shared") == []
    assert insert(two, "shared", Of="two").status == 201
    assert [entity["Of"] for entity in all_entities(one, "shared")] == ["one"]
    assert send(two, "DELETE", "/Tables('shared')").status == 204
    assert [entity["Of"] for entity in all_entities(one, "shared")] == ["one"]


def test_a_batch_writes_to_its_own_account_alone(server):
    one, two = account_of(server, "one", ONE), account_of(server, "two", TWO)
    for account in (one, two):
        create_table(account, "batched")
    entity = {"PartitionKey": "p", "RowKey": "r"}
    body = batch_body([batch_part(two, "POST", "batched", entity)])  # addressed to the other account
    send(one, "POST", "/$batch", BATCH_HEADERS, body)
    assert all_entities(two, "batched") == []


def test_accounts_have_settings_of_their_own(server):
    one, two = account_of(server, "one", ONE), account_of(server, "two", TWO)
    before = send(two, "GET", "/?restype=service&comp=properties").body
    assert b"Cors" in before
    rule = (
        "<CorsRule><AllowedOrigins>http://app.example</AllowedOrigins><AllowedMethods>GET</AllowedMethods>"
        "<AllowedHeaders>*</AllowedHeaders><ExposedHeaders>*</ExposedHeaders><MaxAgeInSeconds>5</MaxAgeInSeconds>"
        "</CorsRule>"
    )
    document = f"<StorageServiceProperties><Cors>{rule}</Cors></StorageServiceProperties>"
    headers = {"Content-Type": "application/xml"}
    assert send(one, "PUT", "/?restype=service&comp=properties", headers, document).status == 202
    assert b"app.example" in send(one, "GET", "/?restype=service&comp=properties").body
    assert send(two, "GET", "/?restype=service&comp=properties").body == before
    origin = {"Origin": "http://app.example", "Access-Control-Request-Method": "GET"}
    for account, status in ((one, 200), (two, 403)):
        request = request_bytes(account, "OPTIONS", f"{account.base}/Tables", origin, signed=False)
        assert exchange(account, request).status == status
        allowed = send(account, "GET", "/Tables", {"Origin": "http://app.example"}).headers
        assert (allowed["Access-Control-Allow-Origin"] is not None) == (status == 200)


def test_access_policies_belong_to_one_account(server):
    one, two = account_of(server, "one", ONE), account_of(server, "two", TWO)
    for account in (one, two):
        create_table(account, "policies")
    policy = "<AccessPolicy><Expiry>2099-01-01T00:00:00Z</Expiry><Permission>r</Permission></AccessPolicy>"
    document = f"<SignedIdentifiers><SignedIdentifier><Id>a</Id>{policy}</SignedIdentifier></SignedIdentifiers>"
    xml = {"Accept": "application/xml", "Content-Type": "application/xml"}
    assert send(one, "PUT", "/policies?comp=acl", xml, document).status == 204
    assert b"2099" in send(one, "GET", "/policies?comp=acl", {"Accept": "application/xml"}).body
    assert b"2099" not in send(two, "GET", "/policies?comp=acl", {"Accept": "application/xml"}).body
    for account, status in ((one, 200), (two, 403)):
        sas = table_sas(account, "policies", si="a", sp=None, se=None)
        assert send_with(account, sas, "GET", "/policies").status == status


def test_the_statistics_tell_accounts_apart(server):
    one, two = account_of(server, "one", ONE), account_of(server, "two", TWO)
    create_table(one, "countedone")
    create_table(two, "countedtwo")
    for account, table in ((one, "countedone"), (two, "countedtwo")):
        assert send(account, "GET", f"/{table}()").status == 200
    rows = exchange(server, request_bytes(server, "GET", "/_rocktable/stats", signed=False)).json()["counters"]
    counted = {(row["account"], row["table"]) for row in rows if row["table"].startswith("counted")}
    assert counted == {("one", "countedone"), ("two", "countedtwo")}


# --- keys -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("full", [False, True], ids=["SharedKeyLite", "SharedKey"])
@pytest.mark.parametrize("style", ["path", "host", "secondary path", "secondary host"])
def test_both_keys_work_in_both_styles_and_for_both_locations(server, full, style):
    one = account_of(server, "one", ONE)
    suffix = "-secondary" if "secondary" in style else ""
    host = f"one{suffix}.table.localhost:{server.port}" if "host" in style else None
    target = "/Tables" if host else f"/one{suffix}/Tables"
    for its_key, status in ((ONE, 200), (ONE_SECOND, 200), (TWO, 403), (WELL_KNOWN_KEY, 403)):
        answer = signed(one, "GET", target, its_key=its_key, host=host, full=full)
        assert answer.status == status, answer
        assert status == 200 or answer.code == "AuthenticationFailed"


def test_the_secondary_location_has_the_data_of_its_own_account(server):
    one = account_of(server, "one", ONE)
    create_table(one, "secondary")
    insert(one, "secondary", Of="one")
    for target, host in (
        ("/one-secondary/secondary()", None),
        ("/secondary()", f"ONE-secondary.table.localhost:{server.port}"),
    ):
        (entity,) = signed(one, "GET", target, host=host).json()["value"]
        assert entity["Of"] == "one"
    two = account_of(server, "two", TWO)
    assert signed(two, "GET", "/two-secondary/secondary()").status == 404


def test_the_other_accounts_key_and_name_are_refused(server):
    one, two = account_of(server, "one", ONE), account_of(server, "two", TWO)
    answer = signed(one, "GET", "/one/Tables", its_key=TWO)
    assert (answer.status, answer.code) == (403, "AuthenticationFailed")
    answer = signed(two, "GET", "/one/Tables")  # signed correctly, but by another account than the URL names
    assert (answer.status, answer.code) == (403, "AuthenticationFailed")


def test_a_shared_access_signature_counts_for_its_account_alone(server):
    one, two = account_of(server, "one", ONE), account_of(server, "two", TWO)
    for account in (one, two):
        create_table(account, "granted")
    for its_key in (ONE, ONE_SECOND):
        for sas in (account_sas(one, its_key), table_sas(one, "granted", its_key)):
            assert send_with(one, sas, "GET", "/granted()").status == 200
            answer = send_with(one, sas, "GET", "/granted()", base="/two")
            assert (answer.status, answer.code) == (403, "AuthenticationFailed")
    assert send_with(one, account_sas(one, TWO), "GET", "/granted()").status == 403


# --- any account ----------------------------------------------------------------------------------


any_account = own_server("--anyAccount", environment={"AZURITE_ACCOUNTS": f"one:{ONE}"})


def test_any_account_has_the_well_known_key_but_for_those_with_their_own(any_account):
    assert any_account.name == "devstoreaccount1"
    assert [account["name"] for account in any_account.ready["accounts"]] == ["devstoreaccount1", "one"]
    for name in ("devstoreaccount1", "whoever", "123", "a" * 24):
        assert is_there(account_of(any_account, name, WELL_KNOWN_KEY))
    assert is_there(account_of(any_account, "one", ONE))
    assert send(account_of(any_account, "one", WELL_KNOWN_KEY), "GET", "/Tables").status == 403


@pytest.mark.parametrize("name", ["ab", "a" * 25, "Whoever", "who-ever", "_whoever", "who%65ver"])
def test_a_name_that_no_account_may_have_is_none(any_account, name):
    answer = send(account_of(any_account, name, WELL_KNOWN_KEY), "GET", "/Tables")
    assert (answer.status, answer.code) == (404, "ResourceNotFound")


def test_a_hundred_accounts_at_once_with_the_same_table(any_account):
    def work(number):
        account = account_of(any_account, f"parallel{number}", WELL_KNOWN_KEY)
        create_table(account, "same")
        assert insert(account, "same", Of=number).status == 201
        tables = [table["TableName"] for table in send(account, "GET", "/Tables").json()["value"]]
        return tables, [entity["Of"] for entity in all_entities(account, "same")]

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        results = list(pool.map(work, range(100)))
    assert results == [(["same"], [number]) for number in range(100)]


def test_the_signature_of_one_account_is_none_of_another_with_the_same_key(any_account):
    first, second = (account_of(any_account, name, WELL_KNOWN_KEY) for name in ("first", "second"))
    assert send_with(first, account_sas(first), "GET", "/Tables").status == 200
    assert send_with(first, account_sas(first), "GET", "/Tables", base="/second").status == 403
    assert signed(first, "GET", "/second/Tables").status == 403
    assert is_there(second)


def memory_of(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS"))


def test_names_that_were_only_asked_for_take_no_memory(any_account):
    """Twenty thousand names; each may keep less than fifty bytes of memory."""
    client = http.client.HTTPConnection(any_account.host, any_account.port)

    def preflights(prefix):
        for number in range(20_000):
            headers = {"Origin": "http://a.example", "Access-Control-Request-Method": "GET"}
            client.request("OPTIONS", f"/{prefix}{number}/Tables", headers=headers)
            answer = client.getresponse()
            answer.read()
            assert answer.status == 403

    preflights("warm")
    before = memory_of(any_account)
    preflights("cold")
    assert memory_of(any_account) - before < 1 << 20


# --- while it runs --------------------------------------------------------------------------------


def replace(file, text):
    """Replaces the file atomically, as tools do."""
    other = file.with_name("other")
    other.write_text(text)
    other.rename(file)


@pytest.mark.parametrize("write", [lambda file, text: file.write_text(text), replace], ids=["in place", "by another"])
def test_a_changed_file_counts_within_a_second_or_so(start, tmp_path, write):
    file = tmp_path / "accounts"
    file.write_text(f"one:{ONE}\n")
    server = start("--accounts", file)
    one, two = account_of(server, "one", ONE), account_of(server, "two", TWO)
    assert is_there(one) and not is_there(two)
    write(file, f"one:{ONE}\ntwo:{TWO}\n")
    since = time.monotonic()
    assert until(lambda: is_there(two))
    assert time.monotonic() - since < 2.5
    write(file, f"one:{THREE}\n")  # the account `one` has another key, the account `two` is removed
    assert until(lambda: not is_there(two))
    assert send(one, "GET", "/Tables").status == 403
    assert is_there(account_of(server, "one", THREE))


def test_an_account_that_is_taken_out_comes_back_with_its_data(start, tmp_path):
    file = tmp_path / "accounts"
    both = f"one:{ONE}\ntwo:{TWO}\n"
    file.write_text(both)
    server = start("--accounts", file, location=tmp_path)
    two = account_of(server, "two", TWO)
    create_table(two, "kept")
    insert(two, "kept", Of="two")
    sas = account_sas(two)
    file.write_text(f"one:{ONE}\n")
    assert until(lambda: not is_there(two))
    for answer in (send(two, "GET", "/kept()"), send_with(two, sas, "GET", "/kept()"), insert(two, "kept")):
        assert (answer.status, answer.code) == (404, "ResourceNotFound")
    file.write_text(both)
    assert until(lambda: is_there(two))
    assert [entity["Of"] for entity in all_entities(two, "kept")] == ["two"]


@pytest.mark.parametrize("broken", [f"one:{ONE}\ntwo:{SECRET}!\n", "", None], ids=["bad", "empty", "gone"])
def test_a_broken_file_is_told_and_the_old_accounts_stay(start, tmp_path, broken):
    file = tmp_path / "accounts"
    file.write_text(f"one:{ONE}\n")
    server = start("--accounts", file)
    one, three = account_of(server, "one", ONE), account_of(server, "three", THREE)
    if broken is None:
        file.unlink()
    else:
        file.write_text(broken)
    assert until(lambda: str(file) in server.errors())
    assert is_there(one)
    time.sleep(1)
    (line,) = server.errors().splitlines()  # once, not at each check of the file
    assert SECRET not in line and ONE not in line
    assert broken != f"one:{ONE}\ntwo:{SECRET}!\n" or "line 2" in line
    file.write_text(f"three:{THREE}\n")
    assert until(lambda: is_there(three))
    assert not is_there(one)


def test_connections_and_requests_go_on_while_accounts_change(start, tmp_path):
    file = tmp_path / "accounts"
    file.write_text(f"one:{ONE}\n")
    server = start("--accounts", file)
    one = account_of(server, "one", ONE)
    create_table(one, "busy")
    stop, statuses = threading.Event(), []

    def work():
        client = http.client.HTTPConnection(server.host, server.port)  # one connection for all requests
        client.connect()
        socket = client.sock
        while not stop.is_set():
            date = email.utils.formatdate(usegmt=True)
            headers = {"x-ms-date": date, "Authorization": authorization(one, "/one/busy()", date)}
            client.request("GET", "/one/busy()", headers={**headers, "Accept": "application/json"})
            answer = client.getresponse()
            answer.read()
            statuses.append(answer.status)
            assert client.sock is socket, "the connection was closed"

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        workers = [pool.submit(work) for _ in range(4)]
        for number in range(4):
            name = f"other{number}"
            file.write_text(f"one:{ONE}\n{name}:{TWO}\n")
            assert until(lambda n=name: is_there(account_of(server, n, TWO)))
        stop.set()
        for worker in workers:
            worker.result()
    assert len(statuses) > 20 and set(statuses) == {200}
