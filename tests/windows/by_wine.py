"""Runs the program for Windows by Wine as if it were one of Linux, so that tests of the other systems can start it.

    by_wine.py NAME PROGRAM [ARGUMENT...]

NAME is the file that was started. If its name is not `rocktable`, the program is started by that name, too. Input,
output and exit code are those of the program. Absolute paths of Linux work, because the folder of the start is on
drive Z:. SIGTERM and SIGINT become Ctrl-C. Both processes end if one of them is killed.
"""
import contextlib
import os
import signal
import sys

name, program, *arguments = sys.argv[1:]
if os.path.basename(name) != "rocktable":
    with contextlib.suppress(FileExistsError):
        os.symlink(program, f"{name}.exe")
    program = f"{name}.exe"
child = os.fork()
if child == 0:
    os.setsid()  # Ctrl-C goes to a group
    os.execvp("setpriv", ["setpriv", "--pdeathsig", "KILL", "wine", program, *arguments])


def interrupt(*_):
    with contextlib.suppress(ProcessLookupError):  # it has no group yet, or has ended
        os.killpg(child, signal.SIGINT)


for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, interrupt)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
sys.exit(code)
