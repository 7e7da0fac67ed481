"""Directory listings over the API: the list with its filters and sorts, and one listing."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from cms_api.flags.services import switch_feature
from commerce.directory.models import Listing
from commerce.directory.resources.listings import DirectoryListingResource
from commerce.directory.services.categories import save_category
from commerce.directory.services.saving import save_listing
from tests.builders import make_image, make_token
from tests.client import Api

from .builders import ADDRESS, DAILY, HERE, make_category, make_listing, make_owner
from .conftest import Clock

LIST = "/directory/listings"
pytestmark = pytest.mark.django_db


def names(api: Api, **query: Any) -> list[str]:
    return [row["name"] for row in api.data(LIST, **query)]


@pytest.mark.both_databases
def test_it_works(directory_api: Api, owner: Any, clock: Clock) -> None:
    clock("2026-03-10 12:00")
    crafts, logo = make_category(), make_image("logo.png")
    listing = make_listing(
        description="Stoneware.",
        featured=True,
        expires_at=timezone.now() + timedelta(days=1),
        categories=[crafts.pk],
        logo=logo.pk,
        phone="+1 802 555 0142",
        email="hello@example.com",
        website="https://example.com",
        hours=DAILY,
        owner=owner,
        **ADDRESS,
        **HERE,
    )
    found = directory_api.data(f"{LIST}/{listing.pk}")
    assert found.keys() == DirectoryListingResource.example.keys()
    assert found["logo_url"].startswith("http")
    assert logo.file.name in found.pop("logo_url")
    assert found.pop("url").endswith("/directory/reyes-ceramics")
    assert found == {
        "id": listing.pk,
        "slug": "reyes-ceramics",
        "name": "Reyes Ceramics",
        "description": "Stoneware.",
        "status": "published",
        "featured": True,
        "expires_at": "2026-03-11T12:00:00+00:00",
        "categories": [{"id": crafts.pk, "name": "Crafts", "slug": "crafts"}],
        "cover_url": None,
        **ADDRESS,
        "street2": None,
        **HERE,
        "phone": "+1 802 555 0142",
        "email": "hello@example.com",
        "website": "https://example.com",
        "hours": DAILY,
        "member_id": owner.pk,
        "created_at": "2026-03-10T12:00:00+00:00",
        "updated_at": "2026-03-10T12:00:00+00:00",
    }
    assert (
        directory_api.data(f"{LIST}/reyes-ceramics") == directory_api.data(LIST)[0] == directory_api.data(f"{LIST}/{listing.pk}")
    )


def test_what_is_empty_is_null(directory_api: Api) -> None:
    found = directory_api.data(f"{LIST}/{make_listing().pk}")
    empty = {
        "description",
        "expires_at",
        "logo_url",
        "cover_url",
        *ADDRESS,
        "street2",
        *HERE,
        "phone",
        "email",
        "website",
        "hours",
    }
    assert {key for key, value in found.items() if value is None} == {*empty, "member_id"}
    assert found["categories"] == []


@pytest.mark.both_databases
def test_the_filter_of_statuses(directory_api: Api, clock: Clock) -> None:
    clock("2026-03-10 12:00")
    for status in ("published", "pending", "archived"):
        make_listing(status, status=status)
        make_listing(f"{status}, ended", status=status, expires_at=timezone.now())
    everything = ["archived", "archived, ended", "pending", "pending, ended", "published", "published, ended"]
    assert names(directory_api) == names(directory_api, status="all") == everything
    assert names(directory_api, status="published") == ["published", "published, ended"]
    assert names(directory_api, status="pending") == ["pending", "pending, ended"]
    assert names(directory_api, status="archived") == ["archived", "archived, ended"]
    assert names(directory_api, status="live") == ["published"]


def test_live_to_the_second(directory_api: Api, clock: Clock) -> None:
    """Also while nothing is written in between."""
    clock("2026-03-10 12:00")
    make_listing(expires_at=timezone.now() + timedelta(seconds=30))
    make_listing("Kiln")
    for now, expected in (
        ("2026-03-10 12:00:29", ["Kiln", "Reyes Ceramics"]),
        ("2026-03-10 12:00:30", ["Kiln"]),
        ("2026-03-10 12:00:29", ["Kiln", "Reyes Ceramics"]),
    ):
        clock(now)
        assert names(directory_api, status="live") == expected
        assert names(directory_api, status="published") == ["Kiln", "Reyes Ceramics"]


@pytest.mark.both_databases
def test_the_other_filters(directory_api: Api, owner: Any) -> None:
    crafts, food = make_category("Crafts"), make_category("Food")
    make_listing("Both", categories=[crafts.pk, food.pk], owner=owner, description="Bread and bowls")
    make_listing("Crafts", categories=[crafts.pk], featured=True, city="Åmål")
    make_listing("Neither", owner=make_owner("ruth@example.com"), status="archived")
    assert names(directory_api, category="crafts") == ["Crafts", "Both"]
    assert names(directory_api, category="food") == names(directory_api, search="bre BOWL") == ["Both"]
    assert (
        names(directory_api, category="drink")
        == names(directory_api, search="drink")
        == names(directory_api, member_id=999)
        == []
    )
    assert (
        names(directory_api, featured="true")
        == names(directory_api, featured="1")
        == names(directory_api, search="amal")
        == ["Crafts"]
    )
    assert names(directory_api, featured="false") == ["Both", "Neither"]
    assert names(directory_api, member_id=owner.pk) == ["Both"]
    assert names(directory_api, category="crafts", featured="0", search="food", member_id=owner.pk, status="live") == ["Both"]
    assert names(directory_api, search="crafts", sort="-name") == ["Both", "Crafts"]


@pytest.mark.both_databases
def test_sorting(directory_api: Api, clock: Clock) -> None:
    for second, name in enumerate(("b", "Á", "c", "a", "a")):
        clock(f"2026-03-10 12:00:0{second}")
        make_listing(name, featured=name == "c")
    clock("2026-03-10 13:00")
    save_listing(listing=Listing.objects.get(name="b"), values={"phone": "1"})
    assert names(directory_api) == names(directory_api, sort="name") == ["c", "Á", "a", "a", "b"]
    # By ids where they are the same.
    ids = [row["id"] for row in directory_api.data(LIST)]
    assert ids[1:4] == sorted(ids[1:4])
    assert [row["id"] for row in directory_api.data(LIST, sort="-name")] == ids[::-1]
    assert names(directory_api, sort="created_at") == ["b", "Á", "c", "a", "a"]
    assert names(directory_api, sort="-created_at") == ["a", "a", "c", "Á", "b"]
    assert names(directory_api, sort="-updated_at")[0] == "b"
    assert names(directory_api, sort="updated_at")[-1] == "b"


@pytest.mark.both_databases
def test_pages_and_cursors_have_every_listing_once(directory_api: Api) -> None:
    for number in range(7):
        make_listing("Kiln", featured=number % 3 == 0)
    for sort in ["name", "-name", "created_at", "-created_at", "updated_at", "-updated_at"]:
        expected = [row["id"] for row in directory_api.data(LIST, sort=sort)]
        paged = [row["id"] for page in (1, 2, 3, 4) for row in directory_api.data(LIST, sort=sort, per_page=2, page=page)]
        found, cursor = [], ""
        for _ in range(4):
            answer = directory_api.get(LIST, sort=sort, per_page=2, cursor=cursor).json()
            found += [row["id"] for row in answer["data"]]
            cursor = answer["meta"]["next_cursor"]
        assert paged == found == expected
        assert (len(set(found)), cursor) == (7, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("status", "open"),
        ("status", "LIVE"),
        ("status", ""),
        ("status", "a\0"),
        ("category", "x" * 500),
        ("featured", "yes"),
        ("featured", "2"),
        ("search", "x" * 500),
        ("member_id", "0"),
        ("member_id", "-1"),
        ("member_id", "1.5"),
        ("member_id", "noor"),
        ("member_id", "9" * 30),
        ("sort", "slug"),
        ("sort", "--name"),
        ("per_page", "0"),
        ("per_page", "abc"),
        ("page", "0"),
        ("cursor", "nonsense"),
        ("fields", "owner"),
    ],
)
def test_values_that_are_refused(directory_api: Api, name: str, value: str) -> None:
    answer = directory_api.get(f"{LIST}?{urlencode({name: value})}")
    assert answer.status_code == 422, answer.content
    assert list(answer.json()["errors"]) == [name]


@pytest.mark.parametrize(
    "query", ["category=%00", "search=%00", "search=%ff", "category=%F0%9F%98%80", "search=*:%26|!'\"()", "other=1"]
)
def test_hostile_values_are_never_a_failure(directory_api: Api, query: str) -> None:
    make_listing()
    assert directory_api.get(f"{LIST}?{query}").status_code in {200, 422}


def test_some_fields_only(directory_api: Api) -> None:
    make_listing()
    assert directory_api.get(f"{LIST}?fields=id,name").json()["data"][0].keys() == {"id", "name"}


def test_answers_are_those_of_the_moment(directory_api: Api) -> None:
    """Cached answers are not shown after a change."""
    listing = make_listing(categories=[(category := make_category()).pk])
    answer = directory_api.get(f"{LIST}/{listing.pk}")
    save_listing(listing=listing, values={"name": "Kiln"})
    again = directory_api.request("GET", f"{LIST}/{listing.pk}", if_none_match=answer.headers["ETag"])
    assert (again.status_code, again.json()["data"]["name"]) == (200, "Kiln")
    assert directory_api.request("GET", f"{LIST}/{listing.pk}", if_none_match=again.headers["ETag"]).status_code == 304
    save_category(category=category, values={"name": "Pottery"})
    assert directory_api.data(f"{LIST}/{listing.pk}")["categories"][0]["name"] == "Pottery"


def test_abilities(api_on: None) -> None:
    make_listing()
    for token, statuses in (
        ("directory:read", (200, 200, 403)),
        ("directory:write", (403, 403, 200)),
        ("content:read", (403,) * 3),
    ):
        api = Api(make_token(token))
        answers = (
            api.get(LIST),
            api.get(f"{LIST}/reyes-ceramics"),
            api.post(f"{LIST}/reyes-ceramics/status", {"status": "pending"}),
        )
        assert tuple(answer.status_code for answer in answers) == statuses
    assert Api().get(LIST).status_code == 401


def test_without_the_feature_there_is_nothing(directory_api: Api) -> None:
    make_listing()
    switch_feature(name="directory", on=False)
    for answer in (
        directory_api.get(LIST),
        directory_api.get(f"{LIST}/reyes-ceramics"),
        directory_api.post(f"{LIST}/reyes-ceramics/status", {"status": "archived"}),
    ):
        assert answer.status_code == 404
    assert Listing.objects.get().status == "published"
