"""Runs programs in a folder as their whole system."""
import os
import subprocess


class Root:
    """A folder that programs have as their root. They run as `user` (a number) in `cwd`. Needs the rights of root."""

    def __init__(self, folder, user=0, cwd="/"):
        self.folder = folder
        self._user = user
        self._cwd = cwd

    def _enter(self):
        os.chroot(self.folder)
        os.chdir(self._cwd)
        os.setgroups([])
        os.setgid(self._user)
        os.setuid(self._user)

    def start(self, *words, environment=None, **options):
        """Searches the first word in PATH of `environment`, below the folder."""
        return subprocess.Popen([str(word) for word in words], preexec_fn=self._enter, env=environment or {}, **options)

    def run(self, *words, code=0, environment=None):
        """Checks the exit code, and returns the output and the error output."""
        with self.start(*words, environment=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            output, errors = process.communicate(timeout=60)
        assert process.returncode == code, f"{words}\n{output}\n{errors}"
        return output, errors
