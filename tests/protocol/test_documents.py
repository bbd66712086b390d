"""The documents: links resolve, lines are short, the entry pages are short, every page and every option is listed."""
import functools
import os
import pathlib
import re
import subprocess

import pytest

from rocktable_server import BINARY

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_OURS = {"build", "node_modules"}


def pages_in(folder):
    """Returns all documents, including those of the source folders."""
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in NOT_OURS and not name.startswith("."))
        yield from (pathlib.Path(path) / name for name in sorted(names) if name.endswith(".md"))


PAGES = list(pages_in(ROOT))
GENERATED = "docs/compatibility.md"  # by tests/compatibility.py
LONGEST_LINE = 120
FENCE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")


def name_of(page):
    return str(page.relative_to(ROOT))


def is_generated(page):
    """Also reports that tests expect."""
    return name_of(page) == GENERATED or page.parent.name == "golden" or page.stem == "expected"


@functools.cache
def prose_of(page):
    """Returns the text with code blocks replaced by empty lines."""
    return FENCE.sub(lambda block: "\n" * block[0].count("\n"), page.read_text())


@functools.cache
def anchors_of(page):
    """Returns the anchors that GitHub makes of the headings."""
    found = set()
    for title in re.findall(r"^#+ (.*)$", prose_of(page), re.MULTILINE):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        anchor = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        number = 0
        while (unique := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(unique)
    return found


def broken_links(page):
    for target in LINK.findall(prose_of(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{target}: no such file"
        elif anchor and (file.suffix != ".md" or anchor not in anchors_of(file)):
            yield f"{target}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page):
    assert list(broken_links(page)) == []


@pytest.mark.parametrize("page", [page for page in PAGES if not is_generated(page)], ids=name_of)
def test_lines_are_short(page):
    """Lines are short, except rows of tables, code, and lines with a URL."""
    long = [f"{number}: {line[:60]}" for number, line in enumerate(prose_of(page).splitlines(), 1)
            if len(line) > LONGEST_LINE and not line.startswith("|") and "://" not in line]
    assert long == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_entry_pages_are_short(page):
    assert len((ROOT / page).read_text().splitlines()) <= 150


def row_of(page, title):
    """Returns the cells of the table row that begins with `title`, without emphasis."""
    rows = [[cell.strip().strip("*") for cell in line.strip("|").split("|")]
            for line in (ROOT / page).read_text().splitlines() if line.startswith("|")]
    return next(cells[1:] for cells in rows if cells[0].startswith(title))


@pytest.mark.parametrize("in_readme, page, there, columns", [
    ("cases that pass with the Python SDK", "docs/compatibility.md", "[`azure-data-tables`]", (2, 3)),
    ("cases that pass with the JavaScript SDK", "docs/compatibility.md", "[`@azure/data-tables`]", (2, 3)),
    ("cases that pass with the .NET SDK", "docs/compatibility.md", "[`Azure.Data.Tables`]", (2, 3)),
    ("start with an empty store", "docs/performance.md", "start with an empty store", (0, 1)),
    ("reads of single entities, 32", "docs/performance.md", "single entities read by 32 connections", (0, 1)),
    ("inserts, 32 connections", "docs/performance.md", "inserts, 32 connections", (0, 1)),
    ("a filter on a property over 100,000", "docs/performance.md", "a filter on a property over 100,000", (0, 1)),
])
def test_the_readme_has_the_figures_of_the_pages(in_readme, page, there, columns):
    cells = row_of(page, there)
    assert row_of("README.md", in_readme) == [cells[column] for column in columns]


def test_the_readme_has_the_memory_and_the_versions_of_the_pages():
    memory = [cell.split(" / ")[1] for cell in row_of("docs/performance.md", "memory, idle / with 100,000 entities")[:2]]
    assert row_of("README.md", "memory with 100,000 entities") == memory
    cases = re.search(r"Azurite: (\d+\.\d+)\.", (ROOT / "docs/compatibility.md").read_text())[1]
    speed = re.search(r"azurite (\d+\.\d+)", (ROOT / "docs/performance.md").read_text())[1]
    assert f"| Azurite {cases} (speed: {speed}) |" in (ROOT / "README.md").read_text()


def test_azurite_is_started_so_that_it_answers_libraries_newer_than_itself():
    text = (ROOT / "docs/ci.md").read_text() + (ROOT / "docs/ci/compose.yaml").read_text()
    starts = re.findall(r"\bazurite(?:-blob|-queue)? --[^&\n]*", text)
    assert len(starts) == 3 and all("--skipApiVersionCheck" in start for start in starts)


def test_the_table_of_contents_has_every_page():
    pages = {page.name for page in PAGES if page.parent == ROOT / "docs"} - {"README.md"}
    assert pages == set(re.findall(r"^- \[([\w-]+\.md)\]\(\1\)", (ROOT / "docs/README.md").read_text(), re.MULTILINE))


@pytest.mark.skipif(not BINARY.exists(), reason="there is no program to ask")
def test_the_page_of_options_has_every_option():
    told = subprocess.run([BINARY, "--help"], capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"--\w+", told.partition("\nCommands")[0]))
    text = (ROOT / "docs/configuration.md").read_text()
    assert sorted(option for option in options if f"{option}`" not in text and f"{option} " not in text) == []
