"""Writes docs/compatibility.md: the results of programs on rocktable and on Azurite, from recorded runs.

    tests/compatibility.py check             compares the results of the last complete run with the recorded ones
    tests/compatibility.py record            records it, and writes the page
    tests/compatibility.py azurite VERSION [--azure-cli] [--dotnet]
        runs the same cases against Azurite VERSION from npm, records the results, and writes the page

The recorded results are in tests/clients/measured/. A run of tests/run.py without a filter writes its results to
build/compatibility.json. Programs that were not part of a run keep their recorded results.
"""
import dataclasses
import datetime
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/compatibility.md"
LAST_RUN = ROOT / "build/compatibility.json"
MEASURED = ROOT / "tests/clients/measured"
START_DEADLINE = 60.0

# The programs in the order of the page: name, kind, folder of their cases.
PROGRAMS = {
    "@azure/data-tables": ("JavaScript SDK", "tests/clients/javascript"),
    "azure-storage": ("legacy JavaScript SDK", "tests/clients/legacy-javascript"),
    "azure-data-tables": ("Python SDK", "tests/clients/python"),
    "az": ("Azure CLI: `az storage table`, `az storage entity`", "tests/clients/azure-cli"),
    "Azure.Data.Tables": (".NET SDK", "tests/clients/dotnet"),
    "Microsoft.Azure.Cosmos.Table": (".NET SDK before the current one", "tests/clients/dotnet"),
    "WindowsAzure.Storage": ("legacy .NET SDK", "tests/clients/dotnet"),
    "unstorage": ("key-value store, driver `azure-storage-table`", "tests/clients/programs"),
    "@auth/azure-tables-adapter": ("users and sessions of Auth.js", "tests/clients/programs"),
    "keyv-azuretable": ("tables behind Keyv 4", "tests/clients/programs"),
    "eventstore": ("event sourcing, type `azuretable`", "tests/clients/programs"),
}

HEAD = """\
# Compatibility

Unmodified programs and SDKs run test cases through their published API. A case expects what the documentation and the
recordings of the real service say; no case is made for one emulator. The tests generate this page
(`tests/compatibility.py`), and fail if it differs from their results.

"""

NOTES = """
## What to know of these programs

- `unstorage`: its driver only takes an HTTPS endpoint, such as that of `rocktable exec --tls auto`. Removing a missing
  key is an error, and `clear()` empties the whole table, regardless of the driver's partition key.
- `keyv-azuretable` and `@auth/azure-tables-adapter` take a client or its options; set `allowInsecureConnection` there.
- `eventstore`: `storageTableHost` is the endpoint with the account, `http://127.0.0.1:10002/devstoreaccount1`. Pages of
  `getEvents` are in the order of keys, which are random. `getUndispatchedEvents` with more than one condition sends a
  filter without `and`, which is refused.
- `Microsoft.Azure.Cosmos.Table` sends infinite doubles and NaN as text without a type, so the service stores text. It does not
  send its option `ServerTimeout` with every operation. It sends batches to the primary location only. None of
  this holds for `WindowsAzure.Storage`.
- Both older .NET libraries support JSON at each of its three levels of metadata; these versions do not offer AtomPub. Both
  refuse on the client side 101 operations in a batch, a sixth access policy, and a signature for HTTPS only over HTTP.
- `Azure.Data.Tables` stores an enum as text, and a LINQ filter of it compares with the number: `c.Grade == Grade.Gold` becomes
  `Grade eq 2`, which finds nothing, here as in the cloud. Filter with `$"Grade eq 'Gold'"`. It refuses infinite doubles and
  NaN by itself. It reads the error code of JSON answers alone; the front end's refusals, which are XML, have an empty
  `ErrorCode`.
"""


@dataclasses.dataclass
class Reached:
    """The results of the cases of one program. `failed` contains names."""

    version: str
    passed: int
    skipped: int
    failed: list

    @classmethod
    def of(cls, version, outcomes):
        """Counts results. `outcomes`: pairs of the name of a case and `passed`, `failed` or `skipped`."""
        kinds = [outcome for _, outcome in outcomes]
        failed = [name for name, outcome in outcomes if outcome == "failed"]
        return cls(version, kinds.count("passed"), kinds.count("skipped"), failed)

    @property
    def cases(self):
        return self.passed + self.skipped + len(self.failed)


def save(reached):
    """Writes the results of a run: {program: Reached}."""
    LAST_RUN.parent.mkdir(exist_ok=True)
    LAST_RUN.write_text(json.dumps({program: dataclasses.asdict(one) for program, one in reached.items()}))


def last_run():
    return {program: Reached(**one) for program, one in json.loads(LAST_RUN.read_text()).items()}


def recorded(emulator):
    """Returns (version and date of the run, {program: Reached})."""
    told = json.loads((MEASURED / f"{emulator}.json").read_text())
    return told["measured"], {program: Reached(**one) for program, one in told["programs"].items()}


def write_record(emulator, measured, reached):
    programs = {program: dataclasses.asdict(reached[program]) for program in PROGRAMS if program in reached}
    MEASURED.mkdir(exist_ok=True)
    text = json.dumps({"measured": measured, "programs": programs}, indent=1, ensure_ascii=False)
    (MEASURED / f"{emulator}.json").write_text(text + "\n")


def differences(found, known):
    """Returns a sentence for each program whose results in `found` differ from `known`. Its version may differ."""
    told = []
    for program, one in found.items():
        other = known.get(program)
        if other is None:
            told.append(f"{program} is not recorded")
        elif one.version != other.version:
            print(f"{program} is {one.version} here; recorded is {other.version}")
        elif (one.cases, one.failed) != (other.cases, other.failed):
            told.append(f"{program}: {one.cases} cases, failed: {one.failed}; "
                        f"recorded are {other.cases}, failed: {other.failed}")
    return told


def page():
    """Returns the complete text of docs/compatibility.md."""
    _, ours = recorded("rocktable")
    measured, theirs = recorded("azurite")
    lines = ["| program | version | what it is | rocktable | Azurite |", "| --- | --- | --- | ---: | ---: |"]
    for program, (what, folder) in PROGRAMS.items():
        if program in ours:
            own, other = ours[program], theirs.get(program)
            lines.append(f"| [`{program}`](../{folder}) | {own.version} | {what} | {share(own)} | {share(other)} |")
    failing = [folded(program, one.failed) for program, one in theirs.items() if one.failed]
    return HEAD + "\n".join(lines) + f"""

A cell has the number of cases that passed, of those that were run. rocktable is tested with every change, except with
`az`, which `script/test --azure-cli` runs. Azurite: {measured}; cases that start a
server of their own, with options of rocktable, were not run there.
{NOTES}
## Cases that fail on Azurite

Azurite describes its table service as a preview. If one of its answers differs from the service's, every case that checks
that answer fails. So the names below tell what a case is about, not how many differences exist. Many cases check
error codes, which few programs use.

""" + "\n".join(failing)


def folded(program, names):
    """Returns a list of names that a reader can unfold. Names are in backticks, so that they are not read as
    Markdown."""
    items = "\n".join(f"- `{' '.join(name.split())}`" for name in names)
    return f"<details><summary>{program}: {len(names)}</summary>\n\n{items}\n\n</details>\n"


def share(one):
    if one is None:
        return "not measured"
    run = one.cases - one.skipped
    return f"{one.passed} of {run}"


def check():
    told = differences(last_run(), recorded("rocktable")[1])
    if PAGE.read_text() != page():
        told.append("the page is not what tests/compatibility.py writes")
    for sentence in told:
        print(f"docs/compatibility.md differs: {sentence}")
    if told:
        print("After a whole run, `tests/compatibility.py record` writes it anew.")
    return 1 if told else 0


def record():
    known = recorded("rocktable")[1] if (MEASURED / "rocktable.json").exists() else {}
    write_record("rocktable", "with every change", known | last_run())
    write_page()


def write_page():
    PAGE.write_text(page())


def measure_azurite(version, options):
    """Runs the cases of all clients against Azurite over HTTP, and those of unstorage over HTTPS."""
    import run as tests  # it imports this module

    peer = ROOT / "build/peer"
    subprocess.run(["npm", "install", "--prefix", peer, "--no-audit", "--no-fund", "--loglevel=error", f"azurite@{version}"], check=True)
    reached = {}
    with tempfile.TemporaryDirectory(prefix="rocktable-azurite-") as scratch:
        scratch = pathlib.Path(scratch)
        openssl = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                   "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", scratch / "key.pem", "-out", scratch / "cert.pem"]
        subprocess.run(openssl, check=True, capture_output=True)
        plain, plain_url = start_azurite(peer, scratch / "http", [])
        secure, secure_url = start_azurite(peer, scratch / "https", ["--cert", scratch / "cert.pem", "--key", scratch / "key.pem"])
        environment = {
            **os.environ,
            "ROCKTABLE_BINARY": str(scratch / "none"),  # a case that starts rocktable must fail here
            "ROCKTABLE_TEST_CONNECTION_STRING": connection_string(plain_url),
            "ROCKTABLE_TEST_HTTPS_CONNECTION_STRING": connection_string(secure_url),
            "ROCKTABLE_TEST_HTTPS_CA": str(scratch / "cert.pem"),
            "PYTHON": tests.PYTHON,
        }
        try:
            parts = ["clients", *(option.removeprefix("--") for option in options)]
            for runner in [*tests.client_runners([], parts, scratch), *tests.python_runners([], False, scratch)]:
                found = tests.run(runner, environment, []).reached
                reached |= {runner.program: found} if found else {}
        finally:
            for process in (plain, secure):
                process.terminate()
                process.wait()
    known = recorded("azurite")[1] if (MEASURED / "azurite.json").exists() else {}
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    write_record("azurite", f"{version} on Node {node[1:]}, {datetime.date.today()}", known | reached)
    write_page()


def start_azurite(peer, location, flags):
    """Starts Azurite, waits until it listens, and returns (process, URL of its tables)."""
    program = peer / "node_modules/azurite/dist/src/table/main.js"
    with socket.socket() as free:  # Azurite does not report the port that it chose for 0
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    always = ["--tablePort", port, "--location", location, "--skipApiVersionCheck", "--disableTelemetry"]
    output = location.with_suffix(".out")
    with output.open("w") as file:
        process = subprocess.Popen(["node", program, *always, *flags], stdout=file, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + START_DEADLINE
    while "successfully" not in output.read_text():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise RuntimeError(f"Azurite did not start: {output.read_text()}")
        time.sleep(0.05)
    return process, f"{'https' if flags else 'http'}://127.0.0.1:{port}/devstoreaccount1"


def connection_string(url):
    key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
    return f"DefaultEndpointsProtocol={url.split(':')[0]};AccountName=devstoreaccount1;AccountKey={key};TableEndpoint={url};"


def main():
    arguments = sys.argv[1:]
    if arguments == ["check"]:
        return check()
    if arguments == ["record"]:
        return record()
    if len(arguments) >= 2 and arguments[0] == "azurite" and set(arguments[2:]) <= {"--azure-cli", "--dotnet"}:
        return measure_azurite(arguments[1], set(arguments[2:]))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
