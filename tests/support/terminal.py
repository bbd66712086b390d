"""Runs a command at a pseudo-terminal of so many columns."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

CLEAR = "\r\x1b[K"


class Terminal:
    """Standard input and error are the terminal; so is standard output, unless it is given."""

    def __init__(self, words, columns=80, environment=None, stdout=None):
        self._master, slave = pty.openpty()
        self._text = ""
        self.resize(columns)
        self.process = subprocess.Popen([str(word) for word in words], stdin=slave, stderr=slave,
                                        stdout=slave if stdout is None else stdout, env=environment,
                                        start_new_session=True)
        os.close(slave)

    def resize(self, columns):
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def type(self, text):
        os.write(self._master, text.encode())

    def read_until(self, pattern, seconds=30):
        """Waits until the end of the output matches the pattern, and returns the output so far."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self._text):
            left = deadline - time.monotonic()
            assert left > 0, f"{pattern} does not come: {self._text!r}"
            assert self._read(left) or re.search(pattern, self._text), f"{pattern} did not come: {self._text!r}"
        return self._text

    def _read(self, seconds):
        """Reads output. Returns False at the end."""
        if not select.select([self._master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other side is closed
            data = b""
        self._text += data.decode("utf-8", "replace")
        return bool(data)

    def finish(self, seconds=30):
        """Returns (exit code, output)."""
        deadline = time.monotonic() + seconds
        while self._read(max(deadline - time.monotonic(), 0)):
            assert time.monotonic() < deadline, self._text
        os.close(self._master)
        return self.process.wait(seconds), self._text.replace("\r\n", "\n")


def drawn(text):
    """Returns the lines that were drawn over each other, in order."""
    return [part for part in re.split(r"\r\x1b\[K|\n", text) if part]
