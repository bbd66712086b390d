"""The fixture of the npm package: servers that a program starts and uses."""
import json
import os
import signal

import pytest

from packages import running
from process import wait_until
from rocktable_server import BINARY

SECONDS = 20
START = 'import { start } from "rocktable";\n'
SDK = """
import { TableClient, TableServiceClient } from "@azure/data-tables";
const insecure = { allowInsecureConnection: true };
const clientOf = ({ connectionString }, table) => TableClient.fromConnectionString(connectionString, table, insecure);
const serviceOf = ({ connectionString }) => TableServiceClient.fromConnectionString(connectionString, insecure);
"""
# A test file: all its tests run at the same time, on tables of the same name.
PARALLEL = """
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connect } from "rocktable";
import { TableClient } from "@azure/data-tables";

const server = connect();
describe("customers", { concurrency: true }, () => {
  for (let number = 0; number < 20; ++number)
    test(`number ${number}`, async () => {
      const { connectionString } = await server.account();
      const table = TableClient.fromConnectionString(connectionString, "customers", { allowInsecureConnection: true });
      await table.createEntity({ partitionKey: "de", rowKey: "2", Name: `Guest ${number}` });
      const names = [];
      for await (const { Name } of table.listEntities()) names.push(Name);
      assert.deepEqual(names, ["Anna", `Guest ${number}`]);
    });
});
"""


def node_options(node):
    """The SDK needs the global `crypto`, which Node 18 has only with a flag."""
    return {"NODE_OPTIONS": "--experimental-global-webcrypto"} if "node-18" in str(node) else {}


def test_a_client_uses_a_new_account_of_a_seeded_server(project, node, seed):
    output = project.script(START + SDK + f"""
        const server = await start({{ seed: {json.dumps(str(seed))} }});
        const [first, second] = [await server.account(), await server.account()];
        await clientOf(first, "customers").deleteEntity("de", "1");
        for (const account of [server, first, second]) {{
          const names = [];
          for await (const {{ Name }} of clientOf(account, "customers").listEntities()) names.push(Name);
          console.log(names.join());
        }}
        console.log(server.url === `http://127.0.0.1:${{server.port}}`);
        console.log(first.endpoint === `${{server.url}}/${{first.name}}`);
        await server.stop();
        await server.stop();
        """, node=node, environment=node_options(node))
    assert output == "Anna\n\nAnna\ntrue\ntrue\n"
    assert not running(project.program)


def test_require_loads_it(project, node):
    text = 'const { connect, start } = require("rocktable"); console.log(typeof connect, typeof start);'
    assert project.run(node, "-e", text).stdout == "function function\n"


def test_without_seed_an_account_is_empty(project):
    assert project.script(START + SDK + """
        const server = await start();
        await clientOf(server, "orders").createTable();
        for (const account of [await server.account(), await server.account({ template: "devstoreaccount1" })]) {
          const tables = [];
          for await (const { name } of serviceOf(account).listTables()) tables.push(name);
          console.log(tables.join());
        }
        await server.stop();
        """) == "\norders\n"


def test_the_account_that_is_copied_is_the_one_that_the_seed_fills(project, seed, tmp_path):
    for account in ("template", "other"):
        (tmp_path / "two" / account).mkdir(parents=True)
        (tmp_path / "two" / account / f"{account}.ndjson").write_text('{"PartitionKey":"p","RowKey":"r"}\n')
    (tmp_path / "one").mkdir()
    (tmp_path / "two" / "template").rename(tmp_path / "one" / "template")
    (tmp_path / "two" / "template").symlink_to(tmp_path / "one" / "template")
    assert project.script(START + f"""
        async function tell(options, copy) {{
          const server = await start(options);
          try {{
            const {{ name }} = await server.account(copy);
            const {{ accounts }} = await (await fetch(`${{server.url}}/_rocktable/contents`)).json();
            const tables = accounts.find(({{ account }}) => account === name)?.tables ?? "empty";
            console.log(tables, server.endpoint.split("/")[3]);
          }} catch (error) {{
            console.log(error.message);
          }}
          await server.stop();
        }}
        const [seed, one, two] = {json.dumps([str(seed), str(tmp_path / "one"), str(tmp_path / "two")])};
        await tell({{ seed, account: "shop" }});
        await tell({{ seed: one }});
        await tell({{ seed: two }});
        await tell({{ seed: two, template: "other" }});
        await tell({{ seed: two }}, {{ template: null }});
        """).splitlines() == [
            "1 shop", "1 devstoreaccount1",
            "the seed fills the accounts other, template: choose one by the option template",
            "1 devstoreaccount1", "empty devstoreaccount1",
        ]


def test_options_are_those_of_the_program(project):
    said = project.script(START + """
        async function tell(options) {
          try {
            await (await start(options)).stop();
            console.log("started");
          } catch (error) {
            console.log(`${error.name}: ${error.message}`);
          }
        }
        await tell({ explainAuth: true, sync: false, headTimeout: 5, trace: undefined, args: ["--strictApiVersion"] });
        await tell({ tls: "auto", tlsName: ["a.example", "b.example"] });
        await tell({ tablePort: 70000 });
        await tell({ wrong: true });
        await tell({ silent: false });
        await tell({ seed: { a: 1 } });
        await tell({ "--seed": "x" });
        """).splitlines()
    assert said == [
        "started", "started",
        "Error: --tablePort 70000: must be 0 to 65535 (see rocktable --help)",
        "Error: there is no option --wrong (see rocktable --help)",
        "TypeError: start() sets the option silent itself",
        "TypeError: the value of the option seed must be text, a number, true, false, a URL, or a list of these",
        'TypeError: "--seed" is not the name of an option',
    ]


def test_the_option_reaches_the_server(project):
    """explainAuth adds a header to refusals."""
    assert project.script(START + """
        for (const explainAuth of [true, false]) {
          const server = await start({ explainAuth });
          console.log((await fetch(`${server.endpoint}/Tables`)).headers.has("x-rocktable-explain"));
          await server.stop();
        }
        """) == "true\nfalse\n"


def test_no_variable_configures_the_server(project, tmp_path):
    environment = {"ROCKTABLE_EXPLAIN_AUTH": "true", "ROCKTABLE_TABLE_PORT": "1",
                   "ROCKTABLE_SEED": str(tmp_path / "none"), "ROCKTABLE_LOCATION": str(tmp_path / "data")}
    ended = project.run("node", project.write("variables.mjs", START + """
        const server = await start();
        console.log((await fetch(`${server.endpoint}/Tables`)).headers.has("x-rocktable-explain"));
        await server.stop();
        """), environment=environment)
    assert (ended.stdout, ended.stderr) == ("false\n", "")
    assert not (tmp_path / "data").exists()


def test_with_a_location_data_are_kept(project, tmp_path):
    text = START + SDK + f"""
        const server = await start({{ location: {json.dumps(str(tmp_path / "data"))} }});
        const kept = clientOf(server, "kept");
        await kept.createTable(); // succeeds also if it exists
        const entity = {{ partitionKey: "p", rowKey: "r" }};
        await kept.createEntity(entity).then(() => console.log("new"), (error) => console.log(error.statusCode));
        await server.stop();
        """
    assert [project.script(text) for _ in range(2)] == ["new\n", "409\n"]


def test_what_the_control_api_refuses_is_an_error_with_its_status(project):
    assert project.script("""
        import { ControlError, start } from "rocktable";
        const server = await start({ controlToken: "secret" });
        const described = (error) => [error instanceof ControlError, error.status, error.message].join();
        const tell = async (what) => console.log(await what.catch(described));
        await tell(server.account({ template: "nobody" }));
        await tell(server.restore("nothing"));
        console.log((await server.snapshot("first")).name, (await server.snapshot("first", { replace: true })).tables);
        await tell(server.snapshot("first"));
        await server.restore("first");
        await server.reset({ account: "devstoreaccount1" });
        console.log(typeof (await server.stats()).counters);
        await server.stop();
        await server.stats().catch((error) => console.log(error.code));
        """).splitlines() == [
            "true,404,The account nobody has no tables.",
            "true,404,There is no snapshot nothing.",
            "first 0",
            "true,409,The snapshot first already exists. Use ?replace=true to replace it.",
            "object",
            "ECONNREFUSED",
        ]


def test_reset_and_restore_change_the_data(project, seed):
    assert project.script(START + SDK + f"""
        const server = await start({{ seed: {json.dumps(str(seed))} }});
        const anna = () => clientOf(server, "customers").getEntity("de", "1");
        const tell = async () => console.log(await anna().then(({{ Name }}) => Name, ({{ statusCode }}) => statusCode));
        await server.snapshot("seeded");
        await server.reset();
        await tell();
        await server.restore("seeded");
        await tell();
        await server.reset({{ account: "devstoreaccount1", table: "customers" }});
        await tell();
        await server.stop();
        """) == "404\nAnna\n404\n"


def test_a_wrong_seed_is_an_error_with_the_sentence_of_the_program(project, tmp_path):
    seed = tmp_path / "broken.ndjson"
    seed.write_text('{"PartitionKey":"p","RowKey":"r","N@odata.type":"Edm.Int64","N":"x"}\n')
    text = START + f"await start({{ seed: {json.dumps(str(seed))} }}).catch((error) => console.log(error.message));"
    ended = project.run("node", project.write("broken.mjs", text))
    assert (ended.stdout, ended.stderr) == (f'{seed}:1:65: the value of "N" is not an Int64\n', "")


def test_a_server_that_was_killed_is_an_error_of_stop(project):
    assert project.script(START + f"""
        import {{ execFileSync }} from "node:child_process";
        const server = await start();
        execFileSync("pkill", ["-KILL", "-P", String(process.pid), "rocktable"]);
        await server.stop().catch((error) => console.log(error.message));
        """) == "the server ended unexpectedly: SIGKILL\n"


def test_it_does_not_keep_the_program_running_and_ends_with_it(project, node):
    assert project.script(START + "await start(); console.log(process.exitCode);", node=node) == "undefined\n"
    wait_until(lambda: not running(project.program), SECONDS, "the server outlives the program")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_when_the_program_is_killed_no_process_remains(project, node, number):
    script = project.write("killed.mjs", START + "await start(); console.log('started'); setInterval(() => {}, 1000);")
    with project.start(node, script) as process:
        assert process.stdout.readline() == "started\n"
        assert len(running(project.program)) == 1
        process.send_signal(number)
        assert process.wait(SECONDS) == -number
    wait_until(lambda: not running(project.program), SECONDS, "the server outlives the program")


def test_when_the_program_is_killed_during_the_start_no_process_remains(project):
    script = project.write("early.mjs", START + "start(); console.log('starting'); setInterval(() => {}, 1000);")
    with project.start("node", script) as process:
        process.stdout.readline()
        process.kill()
    wait_until(lambda: not running(project.program), SECONDS, "the server outlives the program")


def test_a_copy_to_a_second_server_over_https(project, seed):
    """The command of the package copies; the SDK reads the result, trusting the authority."""
    project.write("read.mjs", SDK + """
        const account = { connectionString: process.env.CONNECTION };
        console.log((await clientOf(account, "customers").getEntity("de", "1")).Name);
        """)
    assert project.script(START + f"""
        import {{ execFileSync }} from "node:child_process";
        import {{ existsSync }} from "node:fs";
        const run = (command, ...words) => execFileSync(command, words, {{ encoding: "utf8", env }});
        const from = await start({{ seed: {json.dumps(str(seed))} }});
        const to = await start({{ tls: "auto" }});
        const target = await to.account();
        const trust = {{ NODE_EXTRA_CA_CERTS: to.certificateAuthority }};
        const env = {{ ...process.env, CONNECTION: target.connectionString, ...trust }};
        run("npx", "--no-install", "rocktable", "copy", "--all", "--from", from.connectionString,
            "--to", target.connectionString, "--caFile", to.certificateAuthority);
        process.stdout.write(run("node", "read.mjs"));
        console.log(target.endpoint.startsWith("https:"), existsSync(to.certificateAuthority));
        await to.stop();
        console.log(existsSync(to.certificateAuthority));
        await from.stop();
        """) == "Anna\ntrue true\nfalse\n"


def test_npx_exec_gives_the_server_to_tests(project, seed):
    project.write("exec/customers.test.mjs", PARALLEL.replace("connect()", 'connect({ template: "devstoreaccount1" })'))
    output = project.run("npx", "--no-install", "rocktable", "exec", "--anyAccount", "--seed", seed, "--",
                         "node", "--test", "--test-reporter=tap", "exec/customers.test.mjs").stdout
    assert "# pass 20" in output and "# fail 0" in output


def test_a_hundred_tests_in_several_processes_each_have_their_own_account(project, seed):
    for number in range(5):
        project.write(f"parallel/{number}.test.mjs", PARALLEL)
    output = project.script(START + f"""
        import {{ readdirSync }} from "node:fs";
        import {{ run }} from "node:test";
        import {{ tap }} from "node:test/reporters";
        const server = await start({{ seed: {json.dumps(str(seed))} }});
        Object.assign(process.env, server.environment);
        const files = readdirSync("parallel").map((name) => `parallel/${{name}}`);
        run({{ files, concurrency: files.length }}).compose(tap).pipe(process.stdout);
        """)
    assert "# pass 100" in output and "# fail 0" in output, output[-2000:]


def test_connect_says_where_a_server_comes_from(project):
    text = 'import { connect } from "rocktable"; try { connect(); } catch (error) { console.log(error.message); }'
    assert project.script(text).startswith("there is no server: ROCKTABLE_URL is not set; use the global set-up ")
    cloud = "AccountName=a;AccountKey=eA==;TableEndpoint=https://a.table.core.windows.net/;"
    environment = {"ROCKTABLE_URL": "http://127.0.0.1:1", "AZURE_TABLES_CONNECTION_STRING": cloud}
    assert project.script(text, environment=environment) == (
        "AZURE_TABLES_CONNECTION_STRING names another service than ROCKTABLE_URL, http://127.0.0.1:1\n"
    )


def test_a_variable_can_name_another_program(project, tmp_path):
    script = START + "await start().catch((error) => console.log(error.message));"
    missing = tmp_path / "missing"
    environment = {"ROCKTABLE_BINARY": str(missing)}
    assert project.script(script, environment=environment).startswith(f"cannot run {missing}: ENOENT")
    missing.symlink_to(os.path.abspath(BINARY))
    assert project.script(START + "const server = await start(); console.log(server.port > 0); await server.stop();",
                          environment=environment) == "true\n"
