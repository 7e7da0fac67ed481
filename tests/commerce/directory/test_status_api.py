"""Statuses of listings over the API."""

from typing import Any

import pytest

from cms_api.core import versions
from commerce.directory.models import Listing
from commerce.directory.types.listings import VERSION
from tests.client import Api

from .builders import buy, make_listing, make_plan, reloaded, sent, submit
from .conftest import Clock

pytestmark = pytest.mark.django_db

STATUSES = ("published", "pending", "archived")


def post(api: Api, listing: Listing, body: Any) -> Any:
    return api.post(f"/directory/listings/{listing.pk}/status", body)


def version() -> int:
    versions.forget()
    return versions.version(VERSION)


@pytest.mark.both_databases
def test_it_works(directory_api: Api, owner: Any, clock: Clock) -> None:
    clock("2026-03-10 12:00")
    plan = make_plan()
    listing = submit(owner)
    buy(listing, plan)
    clock("2026-03-20 12:00")
    before = version()
    answer = directory_api.post("/directory/listings/noors-bakery/status", {"status": "published", "featured": True})
    data = answer.json()["data"]
    assert (answer.status_code, data["status"], data["featured"]) == (200, "published", True)
    assert (data["expires_at"], data["updated_at"]) == ("2027-03-20T12:00:00+00:00", "2026-03-20T12:00:00+00:00")
    assert data == directory_api.data(f"/directory/listings/{listing.pk}")
    assert version() != before
    assert sent()[-1] == ("listing_published", "noor@example.com")


@pytest.mark.parametrize(
    ("before", "after", "featured", "was_featured"),
    [
        *((before, after, None, False) for before in STATUSES for after in STATUSES),
        *(("pending", "published", featured, was_featured) for featured in (None, True, False) for was_featured in (True, False)),
    ],
)
def test_every_move(directory_api: Api, before: str, after: str, featured: bool | None, was_featured: bool) -> None:
    listing = make_listing(status=before, featured=was_featured)
    version_before = version()
    body = {"status": after} | ({} if featured is None else {"featured": featured})
    for _ in range(2):
        data = post(directory_api, listing, body).json()["data"]
        assert (data["status"], data["featured"]) == (after, was_featured if featured is None else featured)
    is_changed = (after, data["featured"]) != (before, was_featured)
    assert (version() != version_before) is is_changed


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ({}, ["status"]),
        ({"featured": True}, ["status"]),
        ({"status": None}, ["status"]),
        ({"status": "live"}, ["status"]),
        ({"status": "Published"}, ["status"]),
        ({"status": ["published"]}, ["status"]),
        ({"status": {}}, ["status"]),
        ({"status": True}, ["status"]),
        ({"status": "a\0"}, ["status"]),
        ({"status": "archived", "featured": "maybe"}, ["featured"]),
        ({"status": "archived", "featured": 2}, ["featured"]),
        ({"status": "archived", "featured": []}, ["featured"]),
        ({"status": 10**30}, ["status"]),
    ],
)
def test_bodies_that_are_refused(directory_api: Api, body: Any, paths: list[str]) -> None:
    listing = make_listing()
    answer = post(directory_api, listing, body)
    assert answer.status_code in {400, 422}, answer.content
    if answer.status_code == 422:
        assert list(answer.json()["errors"]) == paths
    assert (reloaded(listing).status, reloaded(listing).featured) == ("published", False)


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b'"archived"', b"{", b'{"status": "\\ud800"}', b"\xff", b'{"status":NaN}', b"[" * 9999]
)
def test_bodies_that_are_no_object(directory_api: Api, body: bytes) -> None:
    listing = make_listing()
    assert 400 <= post(directory_api, listing, body).status_code < 500
    assert reloaded(listing).status == "published"


def test_a_body_in_another_format(directory_api: Api) -> None:
    listing = make_listing()
    answer = directory_api.post(
        f"/directory/listings/{listing.pk}/status", "status=archived", content_type="application/x-www-form-urlencoded"
    )
    assert (answer.status_code, reloaded(listing).status) == (415, "published")


def test_other_methods(directory_api: Api) -> None:
    listing = make_listing()
    for method, path in (
        ("DELETE", f"/{listing.pk}"),
        ("PATCH", f"/{listing.pk}"),
        ("POST", ""),
        ("GET", f"/{listing.pk}/status"),
    ):
        assert directory_api.request(method, f"/directory/listings{path}").status_code in {404, 405}
    assert reloaded(listing).status == "published"


@pytest.mark.both_databases
def test_the_same_key_moves_once(directory_api: Api) -> None:
    listing = make_listing()
    path, key = f"/directory/listings/{listing.pk}/status", {"idempotency_key": "one"}
    first = directory_api.post(path, {"status": "archived"}, **key)
    post(directory_api, listing, {"status": "published"})
    again = directory_api.post(path, {"status": "archived"}, **key)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert reloaded(listing).status == "published"
