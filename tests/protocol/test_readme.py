"""README.md: runs its programs unchanged, in a private network, because they need the usual port."""
import json

import pytest

import private_network
from guide import Guide, make_folder, output_of
from own_server import needs_program

GUIDE = Guide("../README.md")
WHY_NOT = private_network.why_not()
pytestmark = [
    needs_program,
    pytest.mark.skipif(WHY_NOT is not None, reason=f"no network of its own for port 10002: {WHY_NOT}"),
]


def test_the_programs_connect_and_write(tmp_path):
    folder = make_folder(tmp_path)
    programs = []
    for number, block in enumerate(GUIDE.runnable("python", "js")):
        language, text = block.values
        name = f"{number}.{'py' if language == 'python' else 'mjs'}"
        (folder / name).write_text(text)
        programs.append(f"{'python3' if language == 'python' else 'node'} {name}")
    assert len(programs) == 2
    command = " && ".join([*programs, 'curl -fsS "$ROCKTABLE_URL/_rocktable/stats"'])
    told = output_of(private_network.words("rocktable", "exec", "--devStorage", "--", "sh", "-ec", command), folder)
    writes = [one["requests"] for one in json.loads(told)["counters"] if one["operation"] == "WriteEntity"]
    assert writes == [2], told
