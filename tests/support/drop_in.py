"""What tools that start Azurite check: its lines of output and its ports."""
import contextlib
import os
import re

SERVICES = ("Blob", "Queue", "Table")
LISTENING = r"Azurite {} service is successfully listening at https?://\S+:(\d+)"


def announced_ports(program):
    """Returns the ports of the three services, from the lines of output that tools parse."""
    program.wait_for("Table service is successfully listening")
    return [int(re.search(LISTENING.format(service), program.output())[1]) for service in SERVICES]


def ports_of(pid):
    """Returns the TCP ports on which a process listens."""
    folder, mine = f"/proc/{pid}/fd", set()
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            mine.add(os.readlink(f"{folder}/{name}"))
    lines = [line.split() for name in ("tcp", "tcp6") for line in open(f"/proc/net/{name}", encoding="ascii")]
    return {int(line[1].rsplit(":", 1)[1], 16) for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in mine}
