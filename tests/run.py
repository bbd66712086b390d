"""Runs the tests of one build, in all languages, and adds up their results.

    tests/run.py PRESET [--PART...] [--quick] [FILTER...]

script/test calls this after the build, and documents the parts. Without a part or a FILTER, this is the gate. The
options of sanitizers come from the test preset. The tests start the program in ROCKTABLE_BINARY. The results of each
client are written to build/compatibility.json and compared with docs/compatibility.md.

No test of the gate runs twice. A failed test of another part runs once more; if it passes, it is listed as unsteady.
Crashes and sanitizer reports always fail the run.

If ROCKTABLE_TEST_STORE names a PostgreSQL server (support/postgres.py), runs only the tests in which the store matters, on
databases of that server; with --quick without clients.
"""

import collections
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import typing
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import compatibility
import shards
from compatibility import Reached

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = ROOT / "tests/clients"
SAMPLE = CLIENTS / "parallel"
PYTHON = "/usr/bin/python3"  # that of the distribution, because it finds the packages of the distribution
TIMEOUT_SECONDS = 900  # of one runner
SANITIZED = ("asan-ubsan", "tsan", "fuzzer")  # presets
RECORDINGS = ROOT.parent / "shared/recordings"  # exchanges of the real service; the project does not need them
UNCONDITIONAL = ("clients", "protocol", "crash", "beside")  # parts that need no more than the gate
MOST_AGAIN = 5  # tests of a runner; more of them have one cause
# Two plugins name the same test by paths from two folders.
RERUN_BY_PYTEST = re.compile(r"^RERUN (?:tests/)?(.+)$", re.MULTILINE)
FAILED_IN_PYTEST = re.compile(r"^(?:FAILED|ERROR) (?:tests/)?(.+?)(?: - .*)?$", re.MULTILINE)
NO_TESTS = 5  # exit code of pytest: it selected none
WORKERS = 2 * (os.cpu_count() or 1)  # tests wait more than they compute

# --quick: sanitizers find errors in code that parses input, uses threads, or moves data.
QUICK = ["bad_input", "batch_answers", "batch_tolerances", "control", "hostile", "hostile_clients", "http", "limits",
         "account_clones", "explorer_api", "requests", "reset", "seed", "snapshots", "transfer", "urls"]

# On another store than the embedded one: the files of tests/protocol in which requests reach the store.
STORE_PROTOCOL = [
    "batch_answers", "batch_tolerances", "entity_answers", "table_answers",  # writes and reads of entities and tables
    "queries", "query_answers", "patterns", "limits", "metadata_levels", "urls",  # scans, pages, keys
    "isolation",  # what concurrent clients see
    "account_clones", "accounts_of_tests", "control", "reset", "seed",  # calls for test suites
    "cors", "front_end", "refusals",  # service properties, signed identifiers
    "behaviour", "faults", "insight", "trace",  # what is told of the store's work, or changes it
    "bad_input", "error_shapes", "explorer_api", "request_headers", "requests",  # what is refused, or shown
    "migrate", "migrate_ways_out", "transfer",  # the commands that write
]
STORE_LONG = {"migrate", "migrate_ways_out", "patterns", "requests", "trace", "transfer"}  # --quick omits them

# Why the other tests do not run on it.
NOT_ON_STORE = {
    "tests/unit outside of storage/, and parts of it without a store": "they use no store",
    "tests/unit/storage/rocksdb/, and the test suite `embedded`": "they are about files and memory of the embedded store; they "
                                                                  "are counted as skipped",
    "tests/protocol with the marker `embedded`": "each has its reason; they are counted as skipped",
    "tests/protocol with the markers `timing` and `alone`": "their limits are those of the embedded store",
    "other files of tests/protocol": "they are about access, options, commands, documents, or sockets, before the store",
    "tests/beside": "Azurite beside a server is for the embedded store",
    "tests/crash, tests/packages, tests/debian, tests/browser": "they are about folders of the embedded store, or about none",
    "the sample project": "`rocktable exec` starts its own server in memory",
}
STORE_UNIT = {  # options of doctest
    "--source-file": "*/unit/storage/*",
    "--source-file-exclude": "*/storage/rocksdb/*,*/storage/format/*,*/storage/mutation_test.cc,*/storage/lazy_entity_test.cc",
    "--test-suite-exclude": "embedded",
}
EMBEDDED_UNIT = [["--source-file=*/storage/rocksdb/*"], ["--test-suite=embedded"]]


def last_number(pattern, text):
    """Returns the group of the last match as a number; 0 if there is no match."""
    found = re.findall(pattern, text, re.MULTILINE)
    return int(found[-1]) if found else 0


class Unit:
    """Runs the C++ tests (doctest)."""

    name = "unit_tests"

    def __init__(self, build, filters, on_store=False, layout=None):
        """`layout`: ROCKTABLE_TEST_LAYOUT."""
        if layout:
            self.name, self.environment = f"unit_tests, {layout}", {"ROCKTABLE_TEST_LAYOUT": layout}
        self.command = [sys.executable, shards.__file__, str(WORKERS), build / "unit_tests", "--no-colors=true"]
        self.omitted = 0
        if on_store:
            self.command += [f"{option}={value}" for option, value in STORE_UNIT.items()]
            self.omitted = 0 if filters or layout else sum(self.number_of(build, *options) for options in EMBEDDED_UNIT)
        if filters:
            self.command.append("--test-case=" + ",".join("*" + f.replace(",", "\\,") + "*" for f in filters))

    @staticmethod
    def number_of(build, *options):
        """Returns the number of test cases that the options select."""
        command = [build / "unit_tests", "--no-colors=true", "--count", *options]
        return last_number(r"(\d+)\s*$", subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def count(self, output):
        return (*(last_number(rf"^test cases:.* (\d+) {word}", output) for word in ("passed", "failed")), self.omitted)


class Check:
    """Runs a command that counts as one test, or as many as the group of `pattern` in its output says."""

    def __init__(self, name, filters, command, pattern=None):
        self.name, self.pattern = name, pattern
        wanted = not filters or any(f.lower() in name for f in filters)
        self.command = command if wanted else None

    def count(self, output):
        return (last_number(self.pattern, output) if self.pattern else 1), 0, 0


class JavaScript:
    """Runs the tests of a JavaScript client or program with the test runner of node."""

    def __init__(self, folder, program, files, filters, scratch):
        self.program = program
        self.name = str((files[0] if len(files) == 1 else folder).relative_to(ROOT))
        self.filtered = bool(filters)
        self.package = folder / "node_modules" / (program or "") / "package.json"
        self.report = Path(scratch) / f"{abs(hash(self.name))}.jsonl"
        told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
        version = tuple(map(int, told.strip().removeprefix("v").split(".")))
        has_crypto = version >= (19,)  # the global `crypto` without a flag
        self.command = ["node", *["--experimental-global-webcrypto"] * (not has_crypto), "--test"]
        if version >= (20, 10):  # else one less than there are cores
            self.command += [f"--test-concurrency={os.cpu_count() or 1}"]
        if version >= (20, 11):  # a file that hangs is named, and the others are reported
            self.command += [f"--test-timeout={TIMEOUT_SECONDS * 1000 // 2}"]
        reporters = {"spec": "stdout", ROOT / "tests/support/outcomes_reporter.mjs": self.report}
        for reporter, destination in reporters.items():
            self.command += [f"--test-reporter={reporter}", f"--test-reporter-destination={destination}"]
        self.command += [f"--test-name-pattern=/{re.escape(f).replace('/', chr(92) + '/')}/i" for f in filters]
        self.command += files

    @classmethod
    def of(cls, folder, filters, scratch):
        """Returns the runners of a folder. If it tests several packages, each test file is named after its package."""
        files = sorted(folder.glob("*.test.mjs"))
        packages = list(json.loads((folder / "package.json").read_text())["devDependencies"])
        if len(packages) == 1:
            return [cls(folder, packages[0], files, filters, scratch)]
        by_stem = {package.lstrip("@").replace("/", "-"): package for package in packages}
        return [cls(folder, by_stem[file.name.removesuffix(".test.mjs")], [file], filters, scratch) for file in files]

    def count(self, output):
        kinds = ("pass", "fail", "cancelled", "skipped", "todo")
        passed, failed, cancelled, skipped, todo = (last_number(rf"^\S+ {kind} (\d+)$", output) for kind in kinds)
        return passed, failed + cancelled, 0 if self.filtered else skipped + todo

    def told(self):
        return [json.loads(line) for line in self.report.read_text().splitlines()]

    def again(self, _output):
        names = [one["name"] for one in self.told() if one["outcome"] == "failed"]
        patterns = [f"--test-name-pattern=/{re.escape(name.split(': ')[-1]).replace('/', chr(92) + '/')}/" for name in names]
        others = [word for word in self.command[1:] if not str(word).startswith("--test-name-pattern")]
        others = [str(word).replace(str(self.report), os.devnull) for word in others]
        return names, ["node", *patterns, *others]

    def passed_again(self, output, number):
        return self.count(output)[0] >= number

    def reached(self, _output, unsteady):
        told = self.told()
        version = json.loads(self.package.read_text())["version"]
        passed = dict.fromkeys(unsteady, "passed")
        return Reached.of(version, [(one["name"], passed.get(one["name"], one["outcome"])) for one in told])


class Python:
    """Runs the Python tests (pytest) that `marked` selects: by as many `workers`, distributed by `spread`
    (pytest-xdist), or one by one."""

    PYTEST = [PYTHON, "-m", "pytest", "-p", "no:cacheprovider"]

    def __init__(self, tests, marked, spread, scratch, again, program=None, workers=WORKERS):
        self.program = program
        self.name = ", ".join(sorted({str(Path(str(t).split("::")[0]).relative_to(ROOT)) for t in tests})[:3])
        self.name += f" ({marked})"
        self.report = Path(scratch) / f"{abs(hash((self.name, marked)))}.xml"
        side_by_side = ["-n", str(workers), "--dist", spread] if spread else []
        self.command = [*self.PYTEST, "-rfEsR", f"--junit-xml={self.report}", "-m", marked, *side_by_side, *tests]
        if again:
            self.command += ["--reruns", "1"]

    @classmethod
    def of(cls, folder, filters, sanitized, scratch, program=None, names=None, spread="loadfile", again=True,
           measuring=False):
        """Returns the runners of a folder, or of the files test_NAME.py in it. `program`: the program that its tests use.
        `again`: a test that fails runs once more, but not with a sanitizer. `measuring`: also tests that measure."""
        files = [folder / f"test_{name}.py" for name in names] if names else [folder]
        again = again and not sanitized
        if filters:  # -k accepts only expressions, not any text
            listed = subprocess.run([*cls.PYTEST, "--collect-only", "-q", *files], capture_output=True, text=True, cwd=ROOT)
            # not a Path, because a name may contain //
            tests = [f"{ROOT}/tests/{line}" for line in listed.stdout.splitlines()
                     if "::" in line and any(f.lower() in line.lower() for f in filters)]
            marked = "not timing" if sanitized else "timing or not timing"
            return [cls(tests, marked, None, scratch, again)] if tests else []
        # By files, because the tests of a file share a server. Those that measure memory and time wait more than they
        # compute, so two files of them do not disturb each other.
        runners = [cls(files, "not timing and not alone", spread, scratch, again, program)]
        if measuring:  # memory and time, which sanitizers change
            marked = "alone and not timing" if sanitized else "timing or alone"
            runners.append(cls(files, marked, "loadfile", scratch, again, workers=2))
        for runner in runners:
            runner.may_be_empty = measuring and bool(names)  # all tests of the files may be of the other runner
        return runners

    def count(self, _output):
        if not self.report.exists():
            return 0, 0, 0
        suite = ElementTree.parse(self.report).getroot().find("testsuite")
        total, failures, errors, skipped = (int(suite.get(k)) for k in ("tests", "failures", "errors", "skipped"))
        return total - failures - errors - skipped, failures + errors, skipped

    def reached(self, _output, _unsteady):
        if self.program == "az":
            told = subprocess.run(["az", "version", "--output", "json"], capture_output=True, text=True, check=True).stdout
            version = json.loads(told)["azure-cli"]
        else:
            code = f"import importlib.metadata as m; print(m.version({self.program!r}))"
            version = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        outcomes = []
        for case in ElementTree.parse(self.report).getroot().iter("testcase"):
            kinds = {child.tag for child in case}
            outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
            outcomes.append((f"{case.get('classname').split('.')[-1]}: {case.get('name')}", outcome))
        return Reached.of(version, outcomes)


class DotNet:
    """Runs the cases of a .NET library: a program that script/test has built."""

    def __init__(self, project, filters):
        self.name = str(project.parent.relative_to(ROOT))
        package = r'<PackageReference Include="([^"]+)" Version="\[([^]]+)\]"'
        self.program, self.version = re.search(package, project.read_text()).groups()
        self.command = ["dotnet", ROOT / f"build/dotnet/bin/{project.stem}/release/{project.stem}.dll", *filters]

    def told(self, output):
        last = output.strip().splitlines()[-1:]
        return json.loads(last[0]) if last and last[0].startswith("{") else {"passed": 0, "failed": []}

    def count(self, output):
        told = self.told(output)
        return told["passed"], len(told["failed"]), 0

    def reached(self, output, _unsteady):
        told = self.told(output)
        return Reached(self.version, told["passed"], 0, told["failed"])


class Page:
    """Compares docs/compatibility.md with the results of this run: one test."""

    name = "docs/compatibility.md"
    command = [sys.executable, compatibility.__file__, "check"]

    def count(self, output):
        return (0, 1, 0) if "differs" in output else (1, 0, 0)


class Sample:
    """Runs the sample project: both its runners at the same time on one instance. Adds their counts."""

    def __init__(self, folder, binary, filters):
        self.name = str(folder.relative_to(ROOT))
        wanted = not filters or any(f.lower() in self.name for f in filters)
        self.command = [binary, "exec", "--anyAccount", "--seed", folder / "seed", "--", folder / "run"] if wanted else None

    def count(self, output):
        lines = re.findall(r"^(?:\S+ (?:pass|fail|cancelled|skipped) \d+|(?:\d+ \w+(?:, )?)+ in .*)$", output, re.MULTILINE)
        words = re.findall(r"(\d+) (passed|failed|errors?|skipped)|(pass|fail|cancelled|skipped) (\d+)", "\n".join(lines))
        totals = {"pass": 0, "fail": 0, "skip": 0}
        for number, word, other, count in words:
            kind = (word or other)[:4]
            totals[kind if kind in totals else "fail"] += int(number or count)
        return tuple(totals.values())


class Debian:
    """Follows the README on a bare Debian. With the option --tests it runs `script/test` there, too."""

    timeout = 4 * 3600

    def __init__(self, filters, *words):
        self.name = " ".join(["script/try-debian", *words])
        wanted = not filters or any(f.lower() in self.name for f in filters)
        self.command = [ROOT / "script/try-debian", *words] if wanted else None

    def count(self, output):
        found = re.findall(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", output, re.MULTILINE)
        return tuple(map(int, found[-1])) if found else (0, 0, 0)


SKIPPED_BY_PYTEST = re.compile(r"^SKIPPED \[(\d+)\] [^ ]+: (.*)$", re.MULTILINE)
SKIPPED_BY_NODE = re.compile(r"^\s*\ufe63 .* # (?:SKIP )?(.*)$", re.MULTILINE)


def skip_reasons(output, skipped):
    """Returns {reason: number} of the skipped tests that a runner reports."""
    reasons = collections.Counter()
    for number, reason in SKIPPED_BY_PYTEST.findall(output):
        reasons[reason.removeprefix("Skipped: ")] += int(number)
    for reason in SKIPPED_BY_NODE.findall(output):
        reasons[reason] += 1
    if skipped > reasons.total():
        reasons["no reason is reported"] += skipped - reasons.total()
    return reasons


def print_skipped(reasons):
    """Prints what was skipped and why, the most frequent reason first."""
    if reasons.total():
        print("skipped:")
    for reason, number in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        print(f"{number:6}  {reason}")


def shown(runner, command, environment):
    """Runs a command of `runner` and shows its output. Returns the output and the exit code."""
    lines = []
    limit = str(getattr(runner, "timeout", TIMEOUT_SECONDS))
    with subprocess.Popen(["timeout", limit, *command], cwd=ROOT, env=environment | getattr(runner, "environment", {}),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return "".join(lines), process.returncode


def unsteady_tests(runner, output, failed, environment):
    """Runs the tests of `runner` that failed again. Returns their names if all pass, else none."""
    names, command = runner.again(output) if 0 < failed <= MOST_AGAIN and hasattr(runner, "again") else ([], [])
    if not names or len(names) != failed:  # a program crashed, or a suite could not start
        return []
    print(f"== again: {', '.join(names)}", flush=True)
    told, status = shown(runner, command, environment)
    return names if status == 0 and runner.passed_again(told, failed) else []


class Outcome(typing.NamedTuple):
    """What a run of a runner tells."""

    counts: tuple  # passed, failed, skipped
    skipped: collections.Counter  # {reason: number}
    unsteady: list  # names of tests that passed only when they ran again
    reached: Reached | None  # the results of its program, if any


def run(runner, environment, filters):
    """Runs `runner` and shows its output. Returns its Outcome."""
    print(f"== {runner.name}", flush=True)
    begin = time.monotonic()
    output, status = shown(runner, runner.command, environment)
    passed, failed, skipped = runner.count(output)
    unsteady = []
    is_empty = status == NO_TESTS and getattr(runner, "may_be_empty", False)
    # A runner that reports no failure but exits with an error, or reports nothing, has crashed.
    if failed == 0 and not is_empty and (status != 0 or (passed + skipped == 0 and not filters)):
        print(f"{runner.name} ended with status {status} and reported {passed} tests passed")
        passed, failed = max(passed - 1, 0), 1
    elif unsteady := unsteady_tests(runner, output, failed, environment):
        passed, failed = passed + failed, 0
    told = getattr(runner, "program", None) and passed + skipped > 0  # a runner that crashed has no results
    reached = runner.reached(output, unsteady) if told else None
    still_failed = FAILED_IN_PYTEST.findall(output)
    rerun = sorted({name for name in RERUN_BY_PYTEST.findall(output) if name not in still_failed})
    reasons = getattr(runner, "skip_reasons", skip_reasons)(output, skipped)
    print("== {} took {}:{:02}".format(runner.name, *divmod(int(time.monotonic() - begin), 60)))
    return Outcome((passed, failed, skipped), reasons, unsteady + rerun, reached)


def wire_runners(filters, build, name=""):
    """Returns the runners that judge all answers of the program in a build: the suite of conformance and, if they exist,
    the recorded exchanges. Each has a new server."""
    report = ROOT / f"build/conformance{name}.json"
    with_server = [PYTHON, ROOT / "tests/support/with_server.py"]
    suite = [*with_server, ROOT / "tests/conformance/run", "--connectionString", "{connectionString}",
             "--serviceProperties", "--require", "100", "--json", report]
    score = [PYTHON, ROOT / "tests/fidelity.py", "check", report]
    runners = [Check(f"conformance{name}", filters, suite, r"^all +(\d+)"), Check(f"fidelity{name}", filters, score)]
    if RECORDINGS.is_dir():
        covered = [PYTHON, ROOT / "tests/coverage-of-recordings", report, *sorted(RECORDINGS.glob("*.jsonl")),
                   "--known", RECORDINGS / "known.txt", "--require", "95"]
        replay = [*with_server, ROOT / "tests/replay", "{endpoint}"]
        runners += [Check(f"coverage-of-recordings{name}", filters, covered),
                    Check(f"replay{name}", filters, replay, r"^sessions (\d+)/")]
    return of_program(build, runners)


def of_program(build, runners):
    """Returns `runners`, which then test the program in this build."""
    for runner in runners:
        runner.environment = {"ROCKTABLE_BINARY": str(build / "rocktable")}
    return runners


def python_runners(filters, sanitized, scratch):
    return Python.of(CLIENTS / "python", filters, sanitized, scratch, "azure-data-tables", again=False)


def client_runners(filters, parts, scratch):
    """Returns the runners of tests/clients that `parts` asks for, except the Python SDK and the sample project."""
    runners = []
    if "clients" in parts:
        folders = [package.parent for package in sorted(CLIENTS.glob("*/package.json")) if package.parent != SAMPLE]
        runners += [runner for folder in folders for runner in JavaScript.of(folder, filters, scratch)]
    if "azure-cli" in parts:
        runners += Python.of(CLIENTS / "azure-cli", filters, False, scratch, "az")
    if "dotnet" in parts:
        runners += [DotNet(project, filters) for project in sorted(CLIENTS.glob("dotnet/*/*.csproj"))]
    return runners


def package_runners(filters, scratch):
    """Returns the runners of tests/packages. They make packages of the static program."""
    build = ROOT / "build/portable"
    folders = sorted({test.parent for test in (ROOT / "tests/packages").glob("*/test_*.py")})
    runners = [runner for folder in folders for runner in Python.of(folder, filters, False, scratch)]
    return wire_runners(filters, build, " of packages") + of_program(build, runners)


def browser_runners(filters, scratch):
    browser = ROOT / "tests/browser"
    files = [*sorted(browser.glob("*.test.mjs")), *sorted(browser.glob("explorer/*.test.mjs"))]
    return [JavaScript(browser, None, files, filters, scratch)]


def debian_runners(filters):
    return [Debian(filters, *words) for words in (("bookworm", "--tests"), ("trixie", "--tests"), ("trixie", "--user"))]


def all_runners(parts, quick, build, filters, sanitized, scratch):
    """Returns the runners of the gate, and of each part in `parts`: {part: names of its files; none: all}."""

    def python(part, **more):
        return Python.of(ROOT / "tests" / part, filters, sanitized, scratch, names=parts.get(part), **more)

    runners = [Unit(build / "tests", filters), Check("layering", filters, [ROOT / "tests/layering"])]
    if quick:
        return runners + Python.of(ROOT / "tests/protocol", filters, sanitized, scratch, names=QUICK, spread="load")
    runners += wire_runners(filters, build) + python_runners(filters, sanitized, scratch)
    runners += client_runners(filters, parts, scratch)
    runners += python("protocol", measuring=True) if "protocol" in parts else []
    for part in ("crash", "beside"):
        runners += python(part) if part in parts else []
    runners += [Sample(SAMPLE, build / "rocktable", filters)] if "clients" in parts else []
    runners += browser_runners(filters, scratch) if "browser" in parts else []
    runners += package_runners(filters, scratch) if "packages" in parts else []
    runners += debian_runners(filters) if "debian" in parts else []
    return runners if sanitized or filters else [*runners, Page()]


def store_runners(parts, quick, build, filters, sanitized, scratch):
    """Returns the runners of the tests in which the store matters."""
    print("== what does not run on this store")
    for what, reason in NOT_ON_STORE.items():
        print(f"{what}: {reason}")
    runners = [Unit(build / "tests", filters, on_store=True, layout=layout) for layout in (None, "distributed")]
    runners += wire_runners(filters, build, " on PostgreSQL")
    if not quick:
        runners += python_runners(filters, sanitized, scratch)
        runners += client_runners(filters, {**parts, "clients": []}, scratch)
    names = [name for name in STORE_PROTOCOL if not quick or name not in STORE_LONG]
    return runners + Python.of(ROOT / "tests/protocol", filters, sanitized, scratch, names=names)


def arguments(words):
    """Returns (parts, quick, filters)."""
    parts, quick = {}, False
    while words and words[0].startswith("--"):
        name, _, files = words.pop(0).removeprefix("--").partition("=")
        if name == "quick":
            quick = True
        else:
            parts[name] = files.split(",") if files else []
    if words and not parts:
        parts = dict.fromkeys(UNCONDITIONAL, [])
    return parts, quick, words


def main():
    preset = sys.argv[1]
    parts, quick, filters = arguments(sys.argv[2:])
    sanitized = preset in SANITIZED
    build = ROOT / "build" / preset
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["testPresets"]
    by_name = {p["name"]: p for p in presets}
    sanitizer = by_name[preset].get("environment") or by_name[by_name[preset]["inherits"]].get("environment", {})
    environment = {**os.environ, **sanitizer, "ROCKTABLE_BINARY": str(build / "rocktable"), "PYTHON": PYTHON}
    if preset in SANITIZED:  # their stack frames are about five times as large; the usual limit is 8 MiB
        resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))

    totals, skipped, unsteady, reached = [0, 0, 0], collections.Counter(), [], {}
    with tempfile.TemporaryDirectory(prefix="rocktable-tests-") as scratch:
        choose = store_runners if "ROCKTABLE_TEST_STORE" in os.environ else all_runners
        for runner in choose(parts, quick, build, filters, sanitized, scratch):
            if isinstance(runner, Page):
                compatibility.save(reached)
            if runner.command:
                outcome = run(runner, environment, filters)
                totals = [a + b for a, b in zip(totals, outcome.counts)]
                skipped.update(outcome.skipped)
                unsteady += outcome.unsteady
                reached |= {runner.program: outcome.reached} if outcome.reached else {}
    if not any(totals):
        print("no test has a name like " + ", ".join(filters))
    print_skipped(skipped)
    for name in unsteady:
        print(f"unsteady, passed only when it ran again: {name}")
    print("{} passed, {} failed, {} skipped".format(*totals))
    return 0 if totals[1] == 0 and any(totals) else 1


if __name__ == "__main__":
    sys.exit(main())
