"""docs/local-identity.md: its blocks, run unchanged in one folder."""
import pytest

from beside import INSTALLED
from guide import Guide, check_output, output_of
from rocktable_server import BINARY

GUIDE = Guide("local-identity.md")
pytestmark = pytest.mark.skipif(not INSTALLED.exists(), reason="@azure/identity is not installed: script/bootstrap --test")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("guide")
    (made / "bin").mkdir()
    (made / "bin" / "rocktable").symlink_to(BINARY.absolute())
    (made / "node_modules").symlink_to(INSTALLED)
    return made


def test_every_block_does_what_it_says(folder):
    blocks = GUIDE.runnable("sh")
    assert len(blocks) == 6
    for block in blocks:
        _, text = block.values
        check_output(text, output_of(["bash", "-ec", text], folder))
