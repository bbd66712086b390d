"""The part of the wheel for Windows, as far as it can run here. tests/windows starts the program for Windows with it."""
import pathlib

from program import refusal

AS_ON_WINDOWS = (pathlib.Path(__file__).resolve().parent / "as_on_windows.py").read_text()


def test_servers_start_and_their_errors_are_read(environment):
    assert environment.script(AS_ON_WINDOWS + f"""
import rocktable, warnings
program = _program.path().removesuffix(".exe")
os.environ["ROCKTABLE_BINARY"] = program
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with rocktable.start(table_host="0.0.0.0") as server:
        print(len(server._process._new_errors()), os.path.exists(server._process._errors.writer.name))
        print(server.account().endpoint.startswith(server.url))
print([str(one.message)[:20] for one in caught], os.path.exists(server._process._errors.writer.name))
try:
    rocktable.start(no_such_option=True)
except rocktable.Error as error:
    print(error)
""").splitlines() == ["0 True", "True", "['rocktable: everybody'] False", refusal(2, "--noSuchOption")]


def test_the_command_waits_for_the_program_and_has_its_exit_code(environment):
    script = AS_ON_WINDOWS + """
import sys
_windows._end_with_this_process = lambda pid: print("job", pid > 0, flush=True)
os.environ["ROCKTABLE_BINARY"] = _program.path().removesuffix(".exe")
sys.argv[1:] = ["exec", "--", "sh", "-c", "echo $0; exit 7", "a b"]
_program.main()
"""
    assert environment.run("python", "-c", script, code=7).stdout.splitlines() == ["job True", "a b"]
    missing = AS_ON_WINDOWS + 'os.environ["ROCKTABLE_BINARY"] = "/missing"; _program.main()'
    told = environment.run("python", "-c", missing, code=1).stderr
    assert told == "rocktable: /missing cannot be executed: No such file or directory\n"


# JOBOBJECT_EXTENDED_LIMIT_INFORMATION of winnt.h, for 64 bits
def test_the_limits_of_a_job_have_the_layout_of_the_system(environment):
    script = AS_ON_WINDOWS + "import ctypes; print(_windows._Limits.flags.offset, ctypes.sizeof(_windows._Limits))"
    assert environment.script(script) == "16 144\n"
