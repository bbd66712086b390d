# Precedes a script: `rocktable` uses its part for Windows, with what the modules of Python have only there.
import os, signal, subprocess

os.O_TEMPORARY, subprocess.CREATE_NO_WINDOW, signal.SIGBREAK = 0, 0, signal.SIGQUIT
from rocktable import _program, _windows

_program.system = _windows
