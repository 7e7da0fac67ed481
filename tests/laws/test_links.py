"""Every link that works without a password signs a random key: after a restore, it never opens somebody else's record."""

import re
from collections.abc import Callable
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core import signing
from django.core.management.color import no_style
from django.db import connection, transaction
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.core.not_found import NotFound
from cms_api.flags.services import set_setting
from cms_api.http.renewing import renew_link
from cms_api.http.secret_urls import routes_of
from cms_api.http.signed_links import SignedLink
from commerce.projects.models import Project
from commerce.ticketing.models import Reservation
from tests import people
from tests.features import switch_all_on
from tests.modules import viewsets

from .linked import MAKERS

pytestmark = pytest.mark.django_db

# Declared by the modules that the addresses of the site lead to.
assert get_resolver().url_patterns
LINKS = {purpose: link for purpose, link in SignedLink.registered.items() if not purpose.startswith("tests.")}
#: Routes of links; passwords are reset by links of their own.
ROUTES = sorted(
    each for each in set(routes_of(get_resolver().url_patterns)) if "<secret:token>" in each and "<secret:uid" not in each
)
FORGED = ("x", "1", "1:x", "-1:x", ":::", "%00", "1:%00", "1:é", "%F0%9F%98%80", "9" * 5000)
KEYED = sorted(purpose for purpose, link in LINKS.items() if link.field == "link_key")


@pytest.fixture(autouse=True)
def _everything_on(db: None) -> None:
    switch_all_on()
    set_setting(key="payments.allow_test_payments", value=True)


def signed(link: SignedLink[Any], value: str) -> str:
    return signing.Signer(salt=purpose_of(link)).sign(value)


def purpose_of(link: SignedLink[Any]) -> str:
    return next(purpose for purpose, each in LINKS.items() if each is link)


def restore_numbers(record: Any) -> None:
    """Give the next record the number that the last one had, as after a restore. SQLite does so by rolling back."""
    for statement in connection.ops.sequence_reset_sql(no_style(), [type(record)]):
        with connection.cursor() as cursor:
            cursor.execute(statement)


def test_it_works() -> None:
    assert {link.model for link in LINKS.values()} == set(MAKERS)


@pytest.mark.parametrize("purpose", sorted(LINKS))
def test_a_restored_site_does_not_open_the_record_of_another_person(purpose: str, client: Client, settings: Any) -> None:
    # Accounts are made in the transaction that is lost.
    settings.REFUSES_SLOW_WORK_IN_TRANSACTIONS = False
    make_password("loaded before")
    link = LINKS[purpose]
    with transaction.atomic():
        lost = MAKERS[link.model]("ada")
        path, old = link.path(lost), signed(link, str(lost.pk))
        assert link.find(link.model.objects.all(), link.token(lost)) == lost
        transaction.set_rollback(True)
    restore_numbers(lost)
    mine = MAKERS[link.model]("ben")
    assert mine.pk == lost.pk
    assert client.get(link.path(mine)).status_code != 404
    for token in (path.rsplit("/")[-1], old):
        assert link.find(link.model.objects.all(), token) is None
    assert client.get(path).status_code == 404
    assert client.get(path.replace(link.token(lost), old)).status_code == 404


@pytest.mark.parametrize("purpose", KEYED)
def test_links_made_before_there_were_keys_work_for_a_limited_time_and_another_key_ends_all(purpose: str, client: Client) -> None:
    link = LINKS[purpose]
    record = MAKERS[link.model]("ada")
    records, now = link.model.objects.filter(pk=record.pk), timezone.now()
    old = link.path(record).replace(link.token(record), signed(link, str(record.pk)))
    records.update(old_links_until=now - timedelta(days=1))
    assert client.get(old).status_code == 404
    records.update(old_links_until=now + timedelta(days=1))
    assert client.get(old).status_code != 404
    former = [link.path(record), old]
    record.refresh_from_db()
    record = renew_link(record=record)
    assert [client.get(each).status_code for each in former] == [404, 404]
    assert client.get(link.path(record)).status_code != 404


class Loaded(HTMLParser):
    """The addresses that a browser requests, or connects to, for a page by itself: all but those of links to follow."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses = re.findall(r"url\(['\"]?([^'\")]+)", page)
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in {"src", "srcset", "poster", "data", "background"} or (name == "href" and tag not in {"a", "area"}):
                self.addresses += [part.split()[0] for part in (value or "").split(",") if part.strip()]


@pytest.mark.parametrize("purpose", sorted(LINKS))
def test_a_page_with_a_secret_loads_nothing_of_others_and_sends_no_referrer(purpose: str, client: Client) -> None:
    """Nor do addresses beside it give the secret away, as mail programs and people cut and lengthen links.

    They are the redirect, and the page that says that there is nothing.
    """
    link = LINKS[purpose]
    path = link.path(MAKERS[link.model]("ada"))
    answer = client.get(path)
    assert answer.status_code in {200, 302, 303}
    page = answer.content.decode()
    # With no referrer at all, a form would not send its origin, which protects from forged requests.
    assert answer["Referrer-Policy"] == ("same-origin" if "csrfmiddlewaretoken" in page else "no-referrer")
    addresses = Loaded(page).addresses
    assert answer.status_code != 200 or addresses
    assert {urlsplit(address).netloc for address in addresses} <= {"", "testserver", urlsplit(settings.BASE_URL).netloc}
    for beside in (path.rstrip("/"), f"{path.rstrip('/')}/", f"{path}/no/such", f"/no{path}"):
        answer = client.get(beside)
        assert answer["Cache-Control"] == "no-store, private", (beside, answer.status_code)
        assert answer["X-Robots-Tag"] == "noindex, nofollow"
        assert answer["Referrer-Policy"] in {"no-referrer", "same-origin"}
        assert b"visit.js" not in answer.content


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.both_databases
def test_a_token_that_nobody_signed_opens_nothing(route: str, client: Client) -> None:
    for token in FORGED:
        path = re.sub(r"<id:\w+>", "1", re.sub(r"<str:\w+>", "CN-1001", route.replace("<secret:token>", token)))
        codes = {client.get(path).status_code, client.post(path).status_code}
        assert 404 in codes <= {404, 405}, path


@pytest.mark.parametrize("purpose", sorted(LINKS))
def test_a_token_is_good_for_its_own_record_and_purpose(purpose: str) -> None:
    link = LINKS[purpose]
    own, other = (MAKERS[link.model](name) for name in ("ada", "ben"))
    value, _, signature = link.token(own).partition(":")
    assert link.find(link.model.objects.all(), f"{value}:{signature}") == own
    swapped = f"{link.token(other).partition(':')[0]}:{signature}"
    for token in (swapped, signing.Signer(salt="tests.other").sign(value), signature, value, link.token(own)[:-1]):
        assert link.find(link.model.objects.all(), token) is None
        with pytest.raises(NotFound):
            link.get(link.model.objects.all(), token)


def test_other_unknown_addresses_are_answered_as_before(client: Client) -> None:
    for path in ("/no/such/page", "/shop/no-such", "/media/images/0123456789abcdef0123456789abcdef.png"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "X-Robots-Tag" not in answer


def test_keys_are_random() -> None:
    keys = [MAKERS[Project](f"n{number}").link_key for number in range(3)]
    assert len(set(keys)) == 3
    assert all(isinstance(key, UUID) and key.int.bit_length() > 64 for key in keys)


@pytest.mark.parametrize("field", ["pk", "id", "name", "status"])
def test_a_planted_link_to_what_may_be_given_to_another_record_is_refused(field: str) -> None:
    column = "id" if field == "pk" else field
    with pytest.raises(ValueError, match="random key"):
        SignedLink("tests.planted", Project, view="project_page", field=column)
    assert "tests.planted" not in SignedLink.registered


def renewals() -> dict[type[Any], Any]:
    """The viewsets whose records have the button "Renew link", by their model."""
    found = {each.model: each for each in viewsets() if any(one.name == "renew_link" for one in getattr(each, "transitions", ()))}
    assert found
    return found


def test_every_record_with_a_link_has_a_button_to_renew_it() -> None:
    # A reservation lives for minutes, and belongs to a browser.
    assert {each._meta.concrete_model for each in renewals()} == set(MAKERS) - {Reservation}


@pytest.mark.parametrize("model", sorted(set(MAKERS) - {Reservation}, key=lambda model: model.__name__))
def test_the_button_renews_a_link(model: type[Any], without_menu: None, sign_in: Callable[[Any], Client]) -> None:
    link = next(each for each in LINKS.values() if each.model is model)
    record, viewset = MAKERS[model]("ada"), renewals()[model]
    token = link.token(record)
    button = reverse(viewset.get_url_name("renew_link"), args=[record.pk])
    assert sign_in(people.charlie()).post(button).status_code != 200
    assert link.find(model.objects.all(), token) == record
    admin = sign_in(people.alice())
    page = admin.get(viewset.url(record)).content.decode()
    assert button in page
    assert "Renew link" in page
    assert admin.get(button).status_code == 200
    assert admin.post(button).status_code == 302
    assert link.find(model.objects.all(), token) is None
    entries = ModelLogEntry.objects.filter(action__in=("links.renew", "ticketing.renew_code"))
    assert entries.get().user == people.alice()
