"""The text of licences that packages hold: the notice of each library, without what only Debian needs."""
import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "packages"))
import third_party

APACHE = (third_party.COMMON / "Apache-2.0").read_text().strip("\n")
HERE = third_party.libraries_of("linux")


@pytest.fixture(scope="module")
def text():
    return third_party.license_texts("linux")


@pytest.mark.parametrize("library", HERE, ids=lambda library: library.name)
def test_each_holder_and_each_term_of_a_library_is_there(library, text):
    package, _ = third_party.installed_package(library)
    source = pathlib.Path("/usr/share/doc", package, "copyright").read_text(errors="replace")
    assert f"\n{library.name} {third_party.version_of(library)} ({library.license})\n===" in text
    lines, skipped = {line.strip() for line in text.splitlines()}, False
    for line in source.splitlines():
        if not line.startswith(" "):
            skipped = source.startswith("Format: ") and line.startswith("Files:")
        assert skipped or lines & {line.strip(), line.removeprefix("Copyright:").strip()}


def test_a_licence_to_which_a_notice_refers_is_there(text):
    assert APACHE in text
    assert "\nLGPL-2.1\n========\n" in text and "\nGPL-3.0\n=======\n" in text


def test_the_notices_for_debian_leave_out_the_licences_that_each_of_its_systems_has(text):
    notices = third_party.license_texts("linux", common=False)
    assert text.startswith(notices) and APACHE not in notices
    for library in HERE:
        assert f"\n{library.name} {third_party.version_of(library)} (" in notices


def test_it_does_not_list_the_files_of_a_library(text):
    assert len(text) < 400_000 and "\nFiles:" not in text


def test_holders_under_one_licence_are_in_one_notice():
    short = third_party.without_file_lists(
        "Format: https://example.com/\n\nFiles: a.h b.h\n c.h\nCopyright: 2001 Ada\n 2002 Bo\nLicense: MIT\n\n"
        "Files: d.h\nCopyright: 2001 Ada\n 2003 Cy\nLicense: MIT\n\nLicense: MIT\n Permission is granted.\n .\n Free.")
    assert short == ("Format: https://example.com/\n\nCopyright:\n 2001 Ada\n 2002 Bo\n 2003 Cy\nLicense: MIT\n\n"
                     "License: MIT\n Permission is granted.\n .\n Free.")


def test_a_text_of_another_form_stays_as_it_is():
    assert third_party.without_file_lists("Files: all\nCopyright: Ada") == "Files: all\nCopyright: Ada"
