"""Nothing acknowledged is lost when connections, the database or a front end fail (database.py)."""
import pytest

import database
import postgres

ROUNDS = 3


@pytest.fixture(scope="module")
def server():
    try:
        running = database.FailingPostgres()
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    yield running
    running.stop()


@pytest.mark.embedded("it starts a database of its own")
@pytest.mark.parametrize("fail", [database.end_connections, database.kill_database, database.kill_front_end])
def test_no_acknowledged_write_is_lost_and_nothing_is_done_twice(server, fail):
    farm = database.Farm(server)
    try:
        farm.run(ROUNDS, fail)
        print(f"{farm.acknowledged()} requests acknowledged, {len(farm.failures)} of unknown effect, the longest pause "
              f"{farm.longest_pause:.2f} s")
        assert farm.acknowledged() > 100
        # Deletions leave no trace, so the effect of a few requests cannot be found out.
        assert len(farm.failures) < 10 * ROUNDS * len(farm.writers)
    finally:
        farm.end()
        postgres.drop_database(farm.url)
