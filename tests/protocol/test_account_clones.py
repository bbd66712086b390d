"""POST /_rocktable/accounts/NAME?from=TEMPLATE: a copy of an account for each test that runs at the same time."""
import concurrent.futures

import pytest

from fixture_control import account_of, contents, control, done, fill, insert, set_document
from own_server import needs_program, own_server_in_each_place
from rocktable_server import Server

pytestmark = needs_program

server = own_server_in_each_place("--anyAccount")


def test_a_copy_is_as_the_template_and_lives_its_own_life(server):
    template = account_of(server, "template")
    fill(template)
    policies = (
        "<SignedIdentifiers><SignedIdentifier><Id>reader</Id><AccessPolicy><Permission>r</Permission>"
        "</AccessPolicy></SignedIdentifier></SignedIdentifiers>"
    )
    set_document(template, "/One?comp=acl", policies)
    before = contents(template)
    assert done(server, "POST", "accounts/test1?from=template") == {"account": "test1", "tables": 2, "entities": 6}
    copy = account_of(server, "test1")
    assert contents(copy) == before
    insert(copy, "One", "p", "new")
    assert contents(template) == before
    done(server, "DELETE", "accounts/test1")
    assert contents(copy)[0] == {}
    assert contents(template) == before
    done(server, "POST", "accounts/test1?from=template")
    assert contents(copy) == before


def test_parallel_tests_stay_apart(server):
    """A hundred tests at once, each in its own account."""
    template = account_of(server, "template")
    fill(template, rows=20)
    before = contents(template)

    def test(number):
        name = f"test{number}"
        done(server, "POST", f"accounts/{name}?from=template")
        account = account_of(server, name)
        assert contents(account)[0] == before[0]
        insert(account, "One", name, "new")
        found = {row["PartitionKey"] for row in contents(account)[0]["One"]}
        assert found == {"p", name}
        done(server, "DELETE", f"accounts/{name}")
        assert contents(account)[0] == {}

    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        list(pool.map(test, range(100)))
    assert contents(template) == before


@pytest.mark.parametrize(
    "method, resource, status",
    [
        ("POST", "accounts/other?from=template", 409),
        ("POST", "accounts/template?from=template", 409),
        ("POST", "accounts/copy?from=nobody", 404),
        ("POST", "accounts/copy", 400),
        ("POST", "accounts/copy?from=", 400),
        ("POST", "accounts/copy?from=template&to=x", 400),
        ("POST", "accounts/NO?from=template", 404),
        ("POST", "accounts/..?from=template", 404),
        ("POST", "accounts/copy?from=a%00b", 404),
        ("POST", "accounts?from=template", 405),
        ("POST", "accounts/?from=template", 404),
        ("GET", "accounts/template", 405),
        ("PUT", "accounts/copy?from=template", 405),
        ("DELETE", "accounts/NO", 404),
        ("DELETE", "accounts/template?force=1", 400),
    ],
)
def test_what_makes_no_sense_is_refused(server, method, resource, status):
    template, other = account_of(server, "template"), account_of(server, "other")
    fill(template)
    fill(other, tables=["Three"])
    before = contents(template), contents(other)
    assert control(server, method, resource).status == status
    assert (contents(template), contents(other)) == before
    assert contents(account_of(server, "copy"))[0] == {}


def test_what_cannot_be_the_name_of_an_account_is_told_so(server):
    rule = "is not an account name: it must have 3 to 24 lower-case letters and digits."
    for method, resource, name in (("POST", "accounts/aa?from=template", "aa"), ("POST", "accounts/copy?from=bb", "bb"),
                                   ("DELETE", "accounts/NO", "NO"), ("POST", "reset?account=a-b", "a-b")):
        answer = control(server, method, resource)
        assert (answer.status, answer.json()["error"]) == (404, f"{name} {rule}")


def test_without_any_account_only_accounts_that_have_a_name_can_be_copied_to():
    server = Server(environment={"AZURITE_ACCOUNTS": "devstoreaccount1:a2V5;second:a2V5"})
    server.key = "a2V5"
    fill(server)
    answer = control(server, "POST", "accounts/test1?from=devstoreaccount1")
    sentence = "This server does not serve the account test1. With --anyAccount it serves every account."
    assert (answer.status, answer.json()["error"]) == (404, sentence)
    assert "bb is not an account name: " in control(server, "POST", "accounts/bb?from=devstoreaccount1").json()["error"]
    done(server, "POST", "accounts/second?from=devstoreaccount1")
    assert contents(account_of(server, "second")) == contents(server)
    server.stop()
