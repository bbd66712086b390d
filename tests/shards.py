"""Runs a doctest program as several processes at the same time, each with a share of the test cases. Most test cases
wait more than they compute.

    tests/shards.py NUMBER PROGRAM [OPTION...]

Prints the output of each process, one after the other. The last line is `test cases: N passed, N failed` for all
processes. The exit code is the first one that is not 0.
"""

import re
import subprocess
import sys
import tempfile


def main():
    number, command = int(sys.argv[1]), sys.argv[2:]
    listed = subprocess.run([*command, "--count"], capture_output=True, text=True, check=True).stdout
    cases = int(re.search(r"(\d+)\s*$", listed).group(1))
    # The slow cases of a file are neighbours. A random order with a fixed seed spreads them over the shards.
    command += ["--order-by=rand", "--rand-seed=1"]
    bounds = [cases * shard // number for shard in range(number + 1)]
    shards = []
    for first, end in zip(bounds, bounds[1:]):
        if first < end:  # an empty range means all
            output = tempfile.TemporaryFile()
            share = [f"--first={first + 1}", f"--last={end}"]
            shards.append((end - first, output, subprocess.Popen([*command, *share], stdout=output, stderr=subprocess.STDOUT)))
    passed = failed = status = 0
    for share, output, process in shards:
        status = process.wait() or status
        with output:
            output.seek(0)
            text = output.read().decode(errors="replace")
        print(text, end="", flush=True)
        # doctest counts the cases outside of the range as passed. A process that crashed did not write this line.
        if told := re.search(r"^\[doctest\] test cases:.* (\d+) failed", text, re.MULTILINE):
            failed += int(told.group(1))
            passed += share - int(told.group(1))
        else:
            failed += 1
    print(f"test cases: {passed} passed, {failed} failed")
    return status


if __name__ == "__main__":
    sys.exit(main())
