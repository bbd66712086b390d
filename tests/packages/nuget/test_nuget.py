"""The NuGet packages: the .NET tool, and the library Rocktable.Testing in a program that uses it."""
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import zipfile

import packages
from packages import running
from process import wait_until
from program import refusal
from rocktable_server import BINARY, Server

SECONDS = 20


def test_there_are_packages_for_each_platform(made, dotnet):
    version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    assert [package.name for package in made] == [
        f"{name}.{version}.nupkg"
        for name in ("Rocktable.Native.linux-arm64", "Rocktable.Native.linux-x64", "Rocktable.Native.win-x64",
                     "Rocktable.Testing", "rocktable", "rocktable.linux-arm64", "rocktable.linux-x64", "rocktable.win-x64")
    ]
    for package in made:
        assert package.stat().st_size < packages.MAXIMUM_BYTES
        with zipfile.ZipFile(package) as archive:
            names = archive.namelist()
            assert {"README.md", "LICENSE"} <= set(names)
            (nuspec,) = (archive.read(name).decode() for name in names if name.endswith(".nuspec"))
            assert f"<version>{version}</version>" in nuspec and "RID" not in nuspec
            program = "rocktable.exe" if "win" in package.name else "rocktable"
            has_program = "linux" in package.name or "win" in package.name
            for file in (program, "THIRD-PARTY-LICENSES"):
                assert sum(name.rpartition("/")[2] == file for name in names) == has_program
            for settings in (name for name in names if name.endswith("DotnetToolSettings.xml")):
                text = archive.read(settings).decode()
                assert "PROGRAM" not in text and (f'EntryPoint="{program}"' in text) == has_program


def test_the_program_for_windows_is_beside_applications_of_net_framework(made):
    for package in (one for one in made if one.name.startswith("Rocktable.Native.")):
        with zipfile.ZipFile(package) as archive:
            names = {name for name in archive.namelist() if name.startswith("build")}
            assert names == ({"buildTransitive/net461/Rocktable.Native.win-x64.targets", "buildTransitive/netstandard2.0/_._"}
                             if "win-x64" in package.name else set())
            for name in (one for one in names if one.endswith(".targets")):
                assert "runtimes/win-x64/native/rocktable.exe" in archive.read(name).decode()
                assert "runtimes/win-x64/native/rocktable.exe" in archive.namelist()


def test_the_same_commit_gives_the_same_bytes(made, program, windows_program, tmp_path):
    again = packages.make_with_other_umask("nuget", tmp_path, program, windows_program)
    assert [one.name for one in again if one.read_bytes() not in [two.read_bytes() for two in made]] == []


def test_names_that_the_sdk_chose_at_random_are_replaced(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(packages.ROOT / "packages")
    found = importlib.util.spec_from_file_location("make_nuget", packages.ROOT / "packages/nuget/make.py")
    make_nuget = importlib.util.module_from_spec(found)
    found.loader.exec_module(make_nuget)
    contents = []
    for number, name in enumerate(("0a1b", "ffff")):
        package = tmp_path / name
        with zipfile.ZipFile(package, "w") as archive:
            properties = f"package/services/metadata/core-properties/{name}.psmdcp"
            archive.writestr(zipfile.ZipInfo(properties, (2020 + number, 1, 1, 0, 0, 0)), "<properties />")
            archive.writestr("_rels/.rels", f'<Relationship Target="/{properties}" Id="R{name}" />')
        make_nuget.normalize(package, 1_700_000_000)
        with zipfile.ZipFile(package) as archive:
            assert archive.read("_rels/.rels").decode().partition('"/')[2].partition('"')[0] in archive.namelist()
        contents.append(package.read_bytes())
    assert contents[0] == contents[1]


# --- the tool -------------------------------------------------------------------------------------


def test_the_tool_is_the_program(dotnet, tool):
    assert dotnet.run(tool, "--version") == dotnet.run(BINARY, "--version")
    dotnet.run(tool, "exec", "--", "sh", "-c", "exit 7", code=7)
    with subprocess.Popen([tool, "--inMemoryPersistence", "--tablePort", "0", "--readyFile", "-"],
                          env=dotnet.variables(), stdout=subprocess.PIPE, text=True) as process:
        assert json.loads(process.stdout.readline())["pid"] == process.pid
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == 0


def test_dnx_runs_the_tool_without_installing_it(dotnet):
    dnx = pathlib.Path(shutil.which("dotnet")).resolve().parent / "dnx"
    words = [dnx, "rocktable", "--yes", "--", "exec", "--", "sh", "-c", "echo $ROCKTABLE_PORT; exit 7"]
    assert int(dotnet.run(*words, code=7)) > 0


def test_exec_serves_an_unmodified_sdk(tool, built, seed):
    assert built.dotnet.run(tool, "exec", "--seed", seed, "--", *built.command, "connect") == "2\n"


def test_copy_reaches_a_second_instance_over_https(dotnet, tool, seed, tmp_path):
    target = Server("--tls", "auto", location=tmp_path / "target")
    try:
        copy = [tool, "copy", "--all", "--to", target.connection_string]
        trust = ["--caFile", target.ready["certificateAuthority"]]
        dotnet.run(tool, "exec", "--seed", seed, "--", *copy, code=1)
        dotnet.run(tool, "exec", "--seed", seed, "--", *copy, *trust)
        export = [tool, "export", "--from", target.connection_string, "--to", "-", "--table", "customers"]
        read = dotnet.run(*export, *trust)
        assert [json.loads(line)["Name"] for line in read.splitlines()] == ["Anna"]
    finally:
        target.stop()


# --- the library ----------------------------------------------------------------------------------


def test_accounts_are_copies_of_the_seed_and_share_nothing(built, seed):
    assert built.run("accounts", seed).splitlines() == ["|customers|customers", "True", "True", ""]


def test_data_can_be_reset_and_restored(built, seed):
    empty, restored, counted, refused = built.run("data", seed).splitlines()
    assert (empty, restored, counted) == ("", "customers", "True")
    assert refused.startswith("404: ") and "missing" in refused


def test_the_template_must_be_chosen_if_the_seed_fills_several_accounts(built, seed):
    (seed / "other").mkdir()
    (seed / "other" / "orders.ndjson").write_text('{"PartitionKey":"p","RowKey":"r"}\n')
    assert built.run("template", seed).splitlines() == [
        ": the seed filled the accounts devstoreaccount1, other: choose one with Template", "orders",
    ]


def test_a_server_that_cannot_start_says_why(built, tmp_path):
    wrong = tmp_path / "a wrong.ndjson"
    wrong.write_text('{"PartitionKey":"p","RowKey":"r","N@odata.type":"Edm.Int64","N":"many"}\n')
    *told, missing, reserved = built.run("refusals", wrong).splitlines()
    assert told == [
        ": " + refusal(1, "--inMemoryPersistence", "--seed", wrong),
        ": " + refusal(2, "--noSuchOption"),
        ": " + refusal(2, '--tablePort=a "b" \\'),
    ]
    assert missing.startswith(": /missing cannot be executed: ")
    assert reserved == "StartAsync sets the option readyFile itself"


def test_options_become_flags_and_variables_do_not(built, tmp_path):
    assert built.run("options", tmp_path) == "https True\n"


def test_a_hundred_parallel_tests_have_their_own_accounts(built, seed):
    assert built.run("parallel", seed) == "100\n"


# SIGKILL gives .NET no chance to stop the server. A process that the runner started later still runs.
def test_a_killed_runner_leaves_no_server(built):
    command, variables = [*built.command, "wait"], built.dotnet.variables()
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True) as runner:
        other = int(runner.stdout.readline())
        try:
            assert len(running(built.program)) == 1
            runner.kill()
            wait_until(lambda: not running(built.program), SECONDS, "the server still runs")
            os.kill(other, 0)
        finally:
            os.kill(other, signal.SIGKILL)


def test_the_server_ends_with_a_program_that_does_not_stop_it(built):
    built.run("forget")
    wait_until(lambda: not running(built.program), SECONDS, "the server still runs")


def test_a_cancelled_start_leaves_no_server(built, tmp_path):
    slow = tmp_path / "slow"
    sleep = shutil.copy("/usr/bin/sleep", tmp_path / "sleep")
    slow.write_text(f"#!/bin/sh\nexec {sleep} 600\n")
    slow.chmod(0o755)
    assert built.run("cancel", environment={"ROCKTABLE_BINARY": str(slow)}) == "cancelled\n"
    assert running(sleep) == []


def test_the_library_for_net_standard_does_the_same(dotnet, built, seed, tmp_path):
    library = dotnet.folder / "packages/rocktable.testing" / dotnet.version / "lib/netstandard2.0/Rocktable.Testing.dll"
    standard = dotnet.build("standard", f"-p:LibraryFile={library}")
    for words in (["accounts", seed], ["data", seed], ["options", tmp_path / "data"]):
        assert standard.run(*words) == built.run(*words)
