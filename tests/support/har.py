"""Reads traces in the format HTTP archive, and checks each entry against HAR 1.2.

Source: w3c.github.io/web-performance/specs/HAR/Overview.html
"""
import base64
import datetime
import json
import re
import time
import urllib.parse

SECONDS = 10
TEXT, NUMBER, LIST = str, (int, float), list
MESSAGE = {"httpVersion": TEXT, "cookies": LIST, "headers": LIST, "headersSize": int, "bodySize": int}


def check_members(value, members):
    for name, kind in members.items():
        assert isinstance(value[name], kind), (name, value)


def check_pairs(pairs):
    for pair in pairs:
        assert set(pair) == {"name", "value"}
        check_members(pair, {"name": TEXT, "value": TEXT})


def check_entry(entry):
    check_members(entry, {"startedDateTime": TEXT, "time": NUMBER, "request": dict, "response": dict, "cache": dict,
                          "timings": dict, "serverIPAddress": TEXT, "connection": TEXT, "_rocktable": dict})
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["startedDateTime"])
    request, response, timings = entry["request"], entry["response"], entry["timings"]
    check_members(request, MESSAGE | {"method": TEXT, "url": TEXT, "queryString": LIST})
    check_members(response, MESSAGE | {"status": int, "statusText": TEXT, "content": dict, "redirectURL": TEXT})
    check_members(response["content"], {"size": int, "mimeType": TEXT})
    for pairs in (request["headers"], request["queryString"], response["headers"]):
        check_pairs(pairs)
    assert urllib.parse.urlsplit(request["url"]).scheme in ("http", "https")
    assert "postData" in request or request["bodySize"] <= 0
    check_members(timings, {"send": NUMBER, "wait": NUMBER, "receive": NUMBER})
    assert min(timings[name] for name in ("send", "wait", "receive")) >= 0
    assert abs(entry["time"] - sum(time for time in timings.values() if time > 0)) < 0.01


def entries_of(text):
    log = json.loads(text)["log"]
    assert log["version"] == "1.2" and log["creator"]["name"] == "rocktable" and log["creator"]["version"]
    for entry in log["entries"]:
        check_entry(entry)
    return log["entries"]


def read_trace(path):
    return entries_of(path.read_text(encoding="utf-8"))


def wait_for(path, holds, what="the entry is there"):
    """Waits until holds(entries) and returns the entries. A response is sent before its entry is written, and the file
    may grow while it is read."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            entries = read_trace(path)
            if holds(entries):
                return entries
        except (json.JSONDecodeError, FileNotFoundError):
            entries = None
        assert time.monotonic() < deadline, f"not so: {what}: {entries}"
        time.sleep(0.01)


def header(message, name):
    return next((pair["value"] for pair in message["headers"] if pair["name"].lower() == name.lower()), None)


def body_of(part):
    """Returns the bytes of a postData or content."""
    text = part.get("text", "")
    return base64.b64decode(text) if part.get("encoding") == "base64" else text.encode()


def in_order(entries):
    """Sorts entries by connection. Entries of different connections may be in any order, because an entry is written
    after its response."""
    return sorted(entries, key=lambda entry: int(entry["connection"]))


def started(entry):
    return datetime.datetime.fromisoformat(entry["startedDateTime"].replace("Z", "+00:00")).timestamp()
