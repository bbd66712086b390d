"""A few rounds of each scenario of script/crash. Run that for hundreds."""
import secrets

import pytest

from crash import SCENARIOS, NoSmallDisk, Run

ROUNDS = {"writes": 5, "stop": 3, "deletion": 2, "start": 4, "fixtures": 8, "full": 20}


@pytest.mark.parametrize("sync", [False, True], ids=["without sync", "with sync"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_was_acknowledged_survives_a_kill(scenario, sync, tmp_path):
    # No limit on the time of a start: other tests or a sanitizer may slow it down.
    run = Run(tmp_path, secrets.randbelow(10**6), sync, start_limit=20)
    print(f"script/crash {ROUNDS[scenario]} --scenario {scenario} --seed {run.seed}{' --sync' * sync}")
    try:
        SCENARIOS[scenario](run, ROUNDS[scenario])
    except NoSmallDisk as reason:
        pytest.skip(str(reason))
    finally:
        run.end()
    assert run.kills or run.refused
