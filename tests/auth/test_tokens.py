"""Tokens: their form, what is stored of them, expiry, revocation and the note of their last use."""

import re
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.auth import selectors
from cms_api.auth.models import ApiToken
from cms_api.auth.services import tokens
from cms_api.auth.services.tokens import create_token, revoke_token
from cms_api.auth.types import ALPHABET, checksum, digest, is_well_formed, new_token
from cms_api.core import versions
from cms_api.core.errors import Invalid
from cms_api.core.vocabulary import ABILITIES
from tests import people
from tests.builders import make_token
from tests.client import Api

pytestmark = pytest.mark.django_db


def row(plaintext: str) -> ApiToken:
    return ApiToken.objects.get(digest=digest(plaintext))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Moves the time by which tokens are over."""

    def move(by: timedelta) -> None:
        moved = timezone.now() + by
        monkeypatch.setattr(selectors, "timezone", SimpleNamespace(now=lambda: moved))

    return move


@pytest.mark.both_databases
def test_it_works(api_on: None) -> None:
    assert Api(make_token("content:read")).get("/content-items").status_code == 200


def test_the_form() -> None:
    plaintext = new_token()
    assert re.fullmatch(r"swt_[0-9A-Za-z]{40}", plaintext)
    number, digits = zlib.crc32(plaintext[4:38].encode("ascii")), ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[digit] + digits
    assert (plaintext[38:], number) == (digits, 0)


@pytest.mark.parametrize("secret", ["0" * 34, "a" * 34, "Zz09" * 8 + "aA"])
def test_the_checksum_is_crc32_in_base62(secret: str) -> None:
    value = 0
    for character in checksum(secret):
        value = value * 62 + ALPHABET.index(character)
    assert (value, len(checksum(secret))) == (zlib.crc32(secret.encode()), 6)


def test_a_small_checksum_is_padded() -> None:
    numbers = (str(number).rjust(34, "0") for number in range(200_000))
    assert checksum(next(secret for secret in numbers if zlib.crc32(secret.encode()) < 62**4)).startswith("00")


def test_no_two_are_alike() -> None:
    assert len({new_token() for _ in range(1000)}) == 1000


@pytest.mark.parametrize(
    "spoil",
    [
        lambda token: token[:-1],
        lambda token: token + "0",
        lambda token: token[:-1] + ("0" if token[-1] != "0" else "1"),
        lambda token: token[:10] + ("a" if token[10] != "a" else "b") + token[11:],
        lambda token: token[:10] + token[11] + token[10] + token[12:] if token[10] != token[11] else "",
        lambda token: "SWT_" + token[4:],
        lambda token: "swt-" + token[4:],
        lambda token: token[4:],
        lambda token: token[:20] + " " + token[21:],
        lambda token: token[:20] + "\u0661" + token[21:],
        lambda token: token[:20] + "_" + token[21:],
        lambda token: "",
        lambda token: "swt_" + "0" * 40,
        lambda token: token * 100,
    ],
)
def test_a_mistyped_one_is_refused_without_looking_for_it(api_on: None, spoil: Callable[[str], str]) -> None:
    spoiled = spoil(make_token("content:read"))
    assert not is_well_formed(spoiled)
    with CaptureQueriesContext(connection) as captured:
        assert Api().request("GET", "/content-items", authorization=f"Bearer {spoiled}").status_code == 401
    assert not any("tokens_apitoken" in query["sql"] for query in captured.captured_queries)


def test_the_scheme_may_be_spelt_as_one_likes(api_on: None) -> None:
    token = make_token("content:read")
    for header in (f"bearer {token}", f"BEARER {token}", f"Bearer   {token} "):
        assert Api().request("GET", "/content-items", authorization=header).status_code == 200


def test_the_plaintext_is_stored_nowhere() -> None:
    token, plaintext = create_token(name="one", abilities=["content:read"])
    assert token.digest == digest(plaintext) == row(plaintext).digest
    assert re.fullmatch(r"[0-9a-f]{64}", token.digest)
    assert token.last_four == plaintext[-4:]
    everything = connection.creation.serialize_db_to_string()
    assert token.digest in everything
    assert plaintext not in everything
    assert plaintext[4:38] not in everything


def test_lifetimes() -> None:
    days = {"30d": 30, "90d": 90, "1y": 365}
    for lifetime, expected in days.items():
        expires = create_token(name="one", abilities=["content:read"], lifetime=lifetime)[0].expires_at
        assert expires is not None
        assert abs(expires - timezone.now() - timedelta(days=expected)) < timedelta(minutes=1)
    assert create_token(name="one", abilities=["content:read"])[0].expires_at is None


def test_an_expired_one_is_refused_also_by_a_process_that_knows_it(api_on: None, clock: Callable[[timedelta], None]) -> None:
    api = Api(make_token("content:read", lifetime="30d"))
    assert api.get("/content-items").status_code == 200
    clock(timedelta(days=29))
    assert api.get("/content-items").status_code == 200
    clock(timedelta(days=31))
    refused = api.get("/content-items")
    assert (refused.status_code, refused.json()) == (401, {"message": "Unauthenticated."})
    versions._cached.clear()
    assert api.get("/content-items").status_code == 401


def test_a_revoked_one_is_refused_with_the_next_request(api_on: None) -> None:
    plaintext, other = make_token("content:read"), make_token("content:read")
    api = Api(plaintext)
    assert api.get("/content-items").status_code == 200
    assert revoke_token(token=row(plaintext)) is True
    assert api.get("/content-items").status_code == 401
    assert Api(other).get("/content-items").status_code == 200
    assert revoke_token(token=row(plaintext)) is False


@pytest.mark.both_databases
def test_a_deleted_one_is_refused_by_a_process_that_does_not_know_it(api_on: None) -> None:
    plaintext = make_token("content:read")
    row(plaintext).delete()
    assert Api(plaintext).get("/content-items").status_code == 401


def test_abilities_are_looked_at_one_by_one(api_on: None) -> None:
    reader, writer = Api(make_token("content:read")), Api(make_token("content:write"))
    assert reader.get("/content-items").status_code == 200
    assert writer.get("/content-items").json()["required_ability"] == "content:read"
    assert reader.post("/content-items").json()["required_ability"] == "content:write"
    assert writer.post("/content-items").status_code == 422


@pytest.mark.both_databases
def test_the_state() -> None:
    plaintext = make_token("content:read", lifetime="30d")
    token = row(plaintext)
    assert token.state == "active"
    token.expires_at = timezone.now() - timedelta(seconds=1)
    assert token.state == "expired"
    revoke_token(token=row(plaintext))
    assert row(plaintext).state == "revoked"
    assert not ApiToken.objects.usable().exists()


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"name": " "}, "name"),
        ({"name": "a" * 101}, "name"),
        ({"abilities": []}, "abilities"),
        ({"abilities": ["content:fly"]}, "abilities"),
        ({"abilities": ["*"]}, "abilities"),
        ({"lifetime": "2d"}, "expires"),
        ({"lifetime": ""}, "expires"),
    ],
)
def test_a_token_that_makes_no_sense_is_refused(changes: dict[str, Any], path: str) -> None:
    with pytest.raises(Invalid) as refused:
        create_token(**{"name": "one", "abilities": ["content:read"], **changes})
    assert list(refused.value.errors) == [path]
    assert not ApiToken.objects.exists()


def test_abilities_are_kept_once_and_in_order() -> None:
    token, _ = create_token(name=" one ", abilities=["webhooks:manage", "content:read", "content:read"])
    assert (token.name, token.abilities) == ("one", ["content:read", "webhooks:manage"])
    assert create_token(name="all", abilities=list(ABILITIES))[0].abilities == list(ABILITIES)


@pytest.mark.both_databases
def test_who_made_and_revoked_it_is_in_the_log() -> None:
    alice = people.alice()
    token, plaintext = create_token(name="one", abilities=["content:read"], user=alice)
    revoke_token(token=token, user=alice)
    assert row(plaintext).created_by == alice
    entries = ModelLogEntry.objects.for_instance(token).order_by("timestamp")
    assert [(entry.action, entry.user) for entry in entries] == [("wagtail.create", alice), ("tokens.revoke", alice)]
    assert plaintext not in str([entry.data for entry in entries])


def last_used(plaintext: str) -> datetime | None:
    return row(plaintext).last_used_at


def stamps(api: Api) -> int:
    """How many statements that note a use a request takes."""
    with CaptureQueriesContext(connection) as captured:
        api.get("/content-items")
    return sum(query["sql"].startswith('UPDATE "tokens_apitoken"') for query in captured.captured_queries)


@pytest.mark.both_databases
def test_the_last_use_is_noted_at_most_once_a_minute(api_on: None) -> None:
    plaintext = make_token("content:read")
    api = Api(plaintext)
    assert last_used(plaintext) is None
    assert stamps(api) == 1
    first = last_used(plaintext)
    assert first is not None
    assert abs(first - timezone.now()) < timedelta(minutes=1)
    assert stamps(api) == 0
    tokens._stamped.clear()
    assert stamps(api) == 1
    assert last_used(plaintext) == first, "Another process has noted it within the minute."
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(seconds=61))
    tokens._stamped.clear()
    api.get("/content-items")
    again = last_used(plaintext)
    assert again is not None
    assert again > first


def test_a_use_without_the_ability_is_a_use(api_on: None) -> None:
    plaintext = make_token("crm:read")
    assert Api(plaintext).get("/content-items").status_code == 403
    assert last_used(plaintext) is not None


def test_a_refused_token_is_not_noted(api_on: None) -> None:
    plaintext = make_token("content:read")
    revoke_token(token=row(plaintext))
    Api(plaintext).get("/content-items")
    assert last_used(plaintext) is None
