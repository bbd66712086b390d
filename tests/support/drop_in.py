"""What tools look at that start the peer: its lines, and its ports."""
import contextlib
import os
import re

SERVICES = ("Blob", "Queue", "Table")
LISTENING = r"Azurite {} service is successfully listening at https?://\S+:(\d+)"


def announced_ports(program):
    """Of the three services, once their lines are there, as tools take them."""
    program.wait_for("Table service is successfully listening")
    return [int(re.search(LISTENING.format(service), program.output())[1]) for service in SERVICES]


def ports_of(pid):
    """The TCP ports that a process listens at."""
    folder, mine = f"/proc/{pid}/fd", set()
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            mine.add(os.readlink(f"{folder}/{name}"))
    lines = [line.split() for name in ("tcp", "tcp6") for line in open(f"/proc/net/{name}", encoding="ascii")]
    return {int(line[1].rsplit(":", 1)[1], 16) for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in mine}
