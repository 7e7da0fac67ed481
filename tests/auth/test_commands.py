"""`manage.py create_token` and `manage.py revoke_token`."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from cms_api.auth.models import ApiToken
from cms_api.auth.types import digest, is_well_formed
from cms_api.core.vocabulary import ABILITIES
from tests.builders import make_token
from tests.client import Api

pytestmark = pytest.mark.django_db


def run(*command: str) -> str:
    out = StringIO()
    call_command(*command, stdout=out)
    return out.getvalue()


@pytest.mark.both_databases
def test_it_works(api_on: None) -> None:
    printed = run("create_token", "shop", "--ability", "content:read", "--ability", "media:read")
    plaintext = printed.removesuffix("\n")
    assert is_well_formed(plaintext)
    token = ApiToken.objects.get(digest=digest(plaintext))
    assert (token.name, token.abilities, token.expires_at) == ("shop", ["content:read", "media:read"], None)
    assert Api(plaintext).get("/content-items").status_code == 200


def test_all_abilities() -> None:
    plaintext = run("create_token", "shop", "--all-abilities").strip()
    assert ApiToken.objects.get(digest=digest(plaintext)).abilities == list(ABILITIES)


@pytest.mark.parametrize(("expires", "days"), [("30d", 30), ("90d", 90), ("1y", 365)])
def test_expiry(expires: str, days: int) -> None:
    plaintext = run("create_token", "shop", "--all-abilities", "--expires", expires).strip()
    found = ApiToken.objects.get(digest=digest(plaintext)).expires_at
    assert found is not None
    assert abs(found - timezone.now() - timedelta(days=days)) < timedelta(minutes=1)
    assert (
        ApiToken.objects.get(digest=digest(run("create_token", "x", "--all-abilities", "--expires", "never").strip())).expires_at
        is None
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["shop"],
        ["shop", "--ability", "content:fly"],
        ["shop", "--ability", "content:read", "--all-abilities"],
        ["shop", "--all-abilities", "--expires", "2d"],
        ["", "--all-abilities"],
        ["a" * 101, "--all-abilities"],
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        run("create_token", *arguments)
    assert not ApiToken.objects.exists()


def test_revoke_by_name(api_on: None) -> None:
    one, same, other = (make_token("content:read", name=name) for name in ("shop", "shop", "other"))
    printed = run("revoke_token", "shop")
    assert one[-4:] in printed
    assert same[-4:] in printed
    assert [Api(token).get("/content-items").status_code for token in (one, same, other)] == [401, 401, 200]
    assert run("revoke_token", "shop") == ""


@pytest.mark.both_databases
def test_revoke_by_id(api_on: None) -> None:
    plaintext = make_token("content:read")
    run("revoke_token", str(ApiToken.objects.get().pk))
    assert Api(plaintext).get("/content-items").status_code == 401


@pytest.mark.both_databases
def test_a_name_of_digits_goes_before_an_id(api_on: None) -> None:
    first = make_token("content:read", name="first")
    named = make_token("content:read", name=str(ApiToken.objects.get().pk))
    run("revoke_token", str(ApiToken.objects.get(name="first").pk))
    assert [Api(token).get("/content-items").status_code for token in (first, named)] == [200, 401]


@pytest.mark.parametrize("reference", ["nothing", "987654321", "9" * 30, "\u0661", ""])
@pytest.mark.both_databases
def test_an_unknown_token(reference: str) -> None:
    with pytest.raises(CommandError, match="There is no token"):
        run("revoke_token", reference)
