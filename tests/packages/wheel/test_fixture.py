"""rocktable.start and rocktable.aio.start: servers for tests, from an installed wheel."""
import os
import signal
import subprocess

from packages import running
from process import wait_until
from program import refusal

SECONDS = 20


def test_accounts_are_copies_of_the_seed_and_share_nothing(environment, seed):
    script = f"""
import rocktable
from azure.data.tables import TableServiceClient as Client
with rocktable.start(seed={str(seed)!r}) as server:
    assert server.endpoint == server.url + "/devstoreaccount1" and server.url.endswith(f":{{server.port}}")
    one, two = server.account(), server.account()
    assert one.name != two.name and one.endpoint == server.url + "/" + one.name
    Client.from_connection_string(one.connection_string).delete_table("customers")
    for account in (one, two, server):
        print([table.name for table in Client.from_connection_string(account.connection_string).list_tables()])
with rocktable.start() as server:
    print(list(Client.from_connection_string(server.account().connection_string).list_tables()))
"""
    assert environment.script(script).splitlines() == ["[]", "['customers']", "['customers']", "[]"]


def test_the_template_must_be_chosen_if_the_seed_fills_several_accounts(environment, seed):
    (seed / "other").mkdir()
    (seed / "other" / "orders.ndjson").write_text('{"PartitionKey":"p","RowKey":"r"}\n')
    script = f"""
import rocktable
from azure.data.tables import TableServiceClient as Client
with rocktable.start(seed={str(seed)!r}) as server:
    try:
        server.account()
    except rocktable.Error as error:
        print(error)
with rocktable.start(seed={str(seed)!r}, template="other") as server:
    print([table.name for table in Client.from_connection_string(server.account().connection_string).list_tables()])
"""
    assert environment.script(script).splitlines() == [
        "the seed filled the accounts devstoreaccount1, other: choose one with template=...", "['orders']",
    ]


def test_data_can_be_reset_and_restored(environment, seed):
    script = f"""
import rocktable
from azure.data.tables import TableServiceClient as Client
with rocktable.start(seed={str(seed)!r}) as server:
    names = lambda: [table.name for table in Client.from_connection_string(server.connection_string).list_tables()]
    server.snapshot("seeded")
    account = server.account()
    server.reset(account.name)
    print(names())
    server.reset()
    print(names())
    server.restore("seeded")
    print(names(), any(one["requests"] for one in server.stats()["counters"]))
    try:
        server.restore("missing")
    except rocktable.Error as error:
        print(error.status, error)
"""
    *lines, last = environment.script(script).splitlines()
    assert lines == ["['customers']", "[]", "['customers'] True"]
    assert last.startswith("404 ") and "missing" in last


def test_a_server_that_cannot_start_says_why(environment, tmp_path):
    wrong = tmp_path / "wrong.ndjson"
    wrong.write_text('{"PartitionKey":"p","RowKey":"r","N@odata.type":"Edm.Int64","N":"many"}\n')
    script = f"""
import rocktable
for options in ({{"seed": {str(wrong)!r}}}, {{"no_such_option": True}}, {{"table_port": "x"}}):
    try:
        rocktable.start(**options)
    except rocktable.Error as error:
        print(error)
"""
    assert environment.script(script).splitlines() == [
        refusal(1, "--inMemoryPersistence", "--seed", wrong),
        refusal(2, "--noSuchOption"),
        refusal(2, "--tablePort=x"),
    ]
    missing = "import rocktable\ntry: rocktable.start()\nexcept rocktable.Error as error: print(error)"
    told = environment.script(missing, environment={"ROCKTABLE_BINARY": "/missing"})
    assert told == "/missing cannot be executed: No such file or directory\n"


def test_options_become_flags_and_variables_do_not(environment, tmp_path):
    arguments = tmp_path / "arguments"
    recorder = tmp_path / "recorder"
    recorder.write_text(f'#!/bin/sh\nfor word; do echo "$word"; done > {arguments}\nenv >> {arguments}\n'
                        f'exec {environment.program} "$@"\n')
    recorder.chmod(0o755)
    script = f"""
import rocktable
options = {{"tls": "auto", "tls_name": ["a", "b"], "location": {str(tmp_path / "data")!r}}}
rocktable.start(explain_auth=True, insight_headers=False, head_timeout=7, trace=None, **options).stop()
try:
    rocktable.start(ready_file="x")
except TypeError as error:
    print(error)
"""
    variables = {"ROCKTABLE_BINARY": str(recorder), "ROCKTABLE_TABLE_PORT": "1", "ROCKTABLE_SYNC": "true"}
    assert environment.script(script, environment=variables) == "start() sets the option readyFile itself\n"
    words = arguments.read_text().splitlines()
    for flag in ("--explainAuth", "--headTimeout=7", "--tlsName=a", "--tlsName=b"):
        assert flag in words
    absent = ("--insightHeaders", "--trace", "--inMemoryPersistence", "ROCKTABLE_")
    assert not [word for word in words if word.startswith(absent)]


def test_warnings_of_the_server_are_shown(environment):
    told = environment.run("python", "-c", "import rocktable; rocktable.start(table_host='0.0.0.0').stop()").stderr
    assert "UserWarning: rocktable: everybody who can reach 0.0.0.0" in told


def test_a_control_token_is_sent(environment):
    script = "import rocktable; s = rocktable.start(control_token='secret'); print(s.stats()); s.stop()"
    assert environment.script(script) == "{'counters': []}\n"


def test_a_server_that_was_killed_is_reported(environment):
    script = """
import os, rocktable, signal
server = rocktable.start()
pid = server._process.ready["pid"]
os.kill(pid, signal.SIGKILL)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
for call in (server.reset, server.stop, server.stop):
    try:
        call()
        print("nothing to stop")
    except rocktable.Error as error:
        print(error)
"""
    refused, killed, again = environment.script(script).splitlines()
    assert refused.startswith("the server does not answer: ")
    assert (killed, again) == ("the server ended by SIGKILL", "nothing to stop")


# SIGKILL gives Python no chance to stop the server, and the forked process has a copy of the pipe.
def test_a_killed_runner_leaves_no_server_although_its_forked_processes_live(environment):
    script = """
import os, rocktable, time
server = rocktable.start()
child = os.fork()
if child:
    print(child, flush=True)
time.sleep(60)
"""
    command = environment.command("python", "-c", script)
    with subprocess.Popen(command, env=environment.variables(), stdout=subprocess.PIPE, text=True) as runner:
        child = int(runner.stdout.readline())
        try:
            assert len(running(environment.program)) == 1
            runner.kill()
            wait_until(lambda: not running(environment.program), SECONDS, "the server still runs")
            os.kill(child, 0)
        finally:
            os.kill(child, signal.SIGKILL)


def test_a_forked_process_uses_the_server_but_does_not_stop_it(environment):
    script = """
import os, rocktable
with rocktable.start() as server:
    child = os.fork()
    if child == 0:
        with server:
            server.reset()
        os._exit(0)
    print(os.waitpid(child, 0)[1])
    server.reset()
"""
    assert environment.script(script) == "0\n"


def test_the_server_ends_with_a_program_that_does_not_stop_it(environment):
    environment.script("import rocktable; server = rocktable.start()")
    wait_until(lambda: not running(environment.program), SECONDS, "the server still runs")


def test_asyncio_has_the_same_fixtures(environment, seed):
    script = f"""
import asyncio, rocktable.aio
async def main():
    async with rocktable.aio.start(seed={str(seed)!r}) as server:
        await server.snapshot("seeded")
        accounts = await asyncio.gather(*(server.account() for _ in range(10)))
        print(len({{account.endpoint for account in accounts}}), server.port == int(server.url.rsplit(":")[-1]))
        await server.reset()
        try:
            await server.account()
        except rocktable.aio.Error as error:
            print(error.status)
        await server.restore("seeded")
        print(len((await server.stats())["counters"]) >= 0, (await server.account()).name != accounts[0].name)
    server = await rocktable.aio.start()
    await server.stop()
    try:
        await rocktable.aio.start(seed="/missing")
    except rocktable.aio.Error as error:
        print(error)
asyncio.run(main())
"""
    assert environment.script(script).splitlines() == [
        "10 True", "404", "True True", refusal(1, "--inMemoryPersistence", "--seed", "/missing"),
    ]


def test_a_cancelled_start_leaves_no_server(environment, tmp_path):
    slow = tmp_path / "slow"
    ended = tmp_path / "ended"
    slow.write_text(f'#!/bin/sh\nsleep 0.5\n{environment.program} "$@"\necho $? > {ended}\n')
    slow.chmod(0o755)
    script = """
import asyncio, os, rocktable.aio, sys, time
async def main():
    try:
        await asyncio.wait_for(rocktable.aio.start(), 0.1)
    except asyncio.TimeoutError:
        print("cancelled", flush=True)
asyncio.run(main())
time.sleep(60)
"""
    command = environment.command("python", "-c", script)
    variables = environment.variables({"ROCKTABLE_BINARY": str(slow)})
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True) as runner:
        try:
            assert runner.stdout.readline() == "cancelled\n"
            wait_until(lambda: ended.exists() and ended.read_text() == "0\n", SECONDS, "the server still runs")
        finally:
            runner.kill()
