"""GET /content-items: every filter."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.content.models import ContentItem, ContentType, Tally
from cms_api.flags.services import switch_feature
from tests.builders import blog_post, field, make_item, make_term, make_type
from tests.client import Api

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

INVALID = "The selected type is invalid."


def titles(api: Api, **query: Any) -> set[str]:
    """The titles of a list, which both ways of paging, the total and the ETag's owner must agree on."""
    found = api.get("/content-items", **query).json()
    listed = [record["title"] for record in found["data"]]
    assert found["meta"]["total"] == len(listed)
    assert [record["title"] for record in api.data("/content-items", cursor="", **query)] == listed
    return set(listed)


def refusal(api: Api, **query: Any) -> dict[str, list[str]]:
    refused = api.get("/content-items", **query)
    assert refused.status_code == 422
    errors: dict[str, list[str]] = refused.json()["errors"]
    return errors


def own(item: ContentItem, owner: ContentItem) -> None:
    """Makes an item one that another owns, as repeating events do."""
    ContentItem.objects.filter(pk=item.pk).update(owner=owner, cached_epoch=0)
    Tally.objects.filter(type=item.type, status=item.status, owned=False).update(
        total=ContentItem.objects.filter(owner=None).count()
    )
    Tally.objects.update_or_create(type=item.type, status=item.status, owned=True, defaults={"total": 1})
    make_type()


def test_it_works_without_any(api: Api) -> None:
    make_item(title="One")
    make_item(title="Hidden", status="draft")
    assert titles(api) == {"One"}


def test_type(api: Api) -> None:
    make_item(title="One")
    make_item(make_type(slug="other"), title="Two")
    assert titles(api, type="other") == {"Two"}
    assert titles(api, type="blog-post") == {"One"}
    assert list(refusal(api, type="")) == ["type"]
    assert refusal(api, type="nothing") == {"type": [f"{INVALID} Valid values: blog-post, other, projects, service."]}


def test_a_type_that_is_off_is_absent_and_unknown(api: Api) -> None:
    item_type = make_type(slug="fairs", feature="events")
    make_item(title="One")
    switch_feature(name="events", on=True)
    make_item(item_type, title="Fair")
    assert titles(api) == {"One", "Fair"}
    switch_feature(name="events", on=False)
    assert titles(api) == {"One"}
    assert titles(api, search="fair") == set()
    assert refusal(api, type="fairs") == {"type": [f"{INVALID} Valid values: blog-post, projects, service."]}


def test_status(api: Api) -> None:
    later = timezone.now() + timedelta(days=1)
    for status, date in {"draft": None, "published": None, "scheduled": later, "unpublished": None}.items():
        make_item(title=status, status=status, published_at=date)
    for status in ("draft", "published", "scheduled", "unpublished"):
        assert titles(api, status=status) == {status}
    assert titles(api, status="all") == {"draft", "published", "scheduled", "unpublished"}
    for unknown in ("gone", ""):
        valid = "Valid values: draft, published, scheduled, unpublished, all."
        assert refusal(api, status=unknown) == {"status": [f"The selected status is invalid. {valid}"]}


def test_slug(api: Api) -> None:
    make_item(title="One")
    make_item(make_type(slug="other"), title="One")
    make_item(title="One more")
    assert len(api.data("/content-items", slug="one")) == 2
    assert titles(api, slug="one", type="other") == {"One"}
    assert titles(api, slug="One") == set()
    assert titles(api, slug="on") == set()


def test_owned_items_are_left_out_unless_asked_for(api: Api) -> None:
    parent, child = make_item(title="Parent"), make_item(title="Child")
    own(child, parent)
    assert titles(api) == {"Parent"}
    for flag in ("1", "true", "True"):
        assert titles(api, include_owned=flag) == {"Parent", "Child"}
    for flag in ("0", "false"):
        assert titles(api, include_owned=flag) == {"Parent"}
    assert titles(api, include_owned="1", owner_id=parent.pk) == {"Child"}
    assert titles(api, include_owned="1", owner_id=child.pk) == set()
    assert titles(api, owner_id=parent.pk) == set()
    assert api.data(f"/content-items/{child.pk}")["owner_id"] == parent.pk
    assert list(refusal(api, include_owned="maybe")) == ["include_owned"]
    assert list(refusal(api, owner_id="x")) == ["owner_id"]


@pytest.fixture
def vocabulary(db: None) -> ContentType:
    """Three posts: News, News and Sport, none."""
    posts = blog_post()
    news, sport = make_term(posts, name="News"), make_term(posts, name="Sport")
    green = make_term(posts, "tags", "Green")
    make_item(title="One", data={"category": [news.pk]})
    make_item(title="Two", data={"category": [news.pk, sport.pk], "tags": [green.pk]})
    make_item(title="Three", data={"tags": [green.pk]})
    return posts


@pytest.mark.usefixtures("vocabulary")
def test_terms(api: Api) -> None:
    assert titles(api, **{"term.category": "news"}) == {"One", "Two"}
    assert titles(api, **{"term.category": "sport"}) == {"Two"}
    assert titles(api, **{"term.category": "nothing"}) == set()
    assert titles(api, **{"term.tags": "green", "type": "blog-post"}) == {"Two", "Three"}
    assert titles(api, **{"term.tags": "green", "term.category": "news"}) == {"Two"}
    assert titles(api, **{"term.tags": "green", "term.category": "nothing"}) == set()


@pytest.mark.usefixtures("vocabulary")
def test_terms_of_a_taxonomy_that_is_not_there(api: Api) -> None:
    assert list(refusal(api, **{"term.colour": "red"})) == ["term.colour"]
    assert list(refusal(api, **{"term.title": "red"})) == ["term.title"]
    assert set(refusal(api, **{"term.a": "b", "term.c": "d"})) == {"term.a", "term.c"}
    assert list(refusal(api, **{"term.category": "news", "type": make_type().slug})) == ["term.category"]


@pytest.mark.usefixtures("vocabulary")
def test_a_term_that_two_types_have(api: Api) -> None:
    other = make_type(field("category", "taxonomy"), slug="other")
    make_item(other, title="Four", data={"category": make_term(other, name="News").pk})
    assert titles(api, **{"term.category": "news"}) == {"One", "Two", "Four"}
    assert titles(api, **{"term.category": "news", "type": "other"}) == {"Four"}


@pytest.fixture
def fairs(db: None) -> ContentType:
    """Fairs of yesterday, of now, of tomorrow, and one without a date. The site's zone is Europe/Paris."""
    fairs = make_type(field("doors", "datetime"), field("when", "datetime", facet=True), slug="fairs")
    now = timezone.now()
    for title, begin, end in (("Past", -30, -28), ("Now", -1, 1), ("Next", 24, None)):
        date = {"start": (now + timedelta(hours=begin)).isoformat(timespec="minutes")}
        if end is not None:
            date["end"] = (now + timedelta(hours=end)).isoformat(timespec="minutes")
        make_item(fairs, title=title, data={"when": date, "doors": {"start": "2001-01-01T10:00"}})
    make_item(fairs, title="Some day")
    return fairs


@pytest.mark.usefixtures("fairs")
def test_upcoming_is_what_is_not_over(api: Api) -> None:
    assert titles(api, type="fairs", when="upcoming") == {"Now", "Next"}
    assert titles(api, type="fairs", when="past") == {"Past"}
    assert titles(api, when="past") == {"Past"}
    assert titles(api, type="fairs") == {"Past", "Now", "Next", "Some day"}
    assert refusal(api, type="fairs", when="") == {"when": ["The selected when is invalid. Valid values: upcoming, past."]}
    assert list(refusal(api, when="now")) == ["when"]


@pytest.mark.usefixtures("fairs")
def test_upcoming_turns_to_past_by_itself(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has to be written; until then, clients have what is current."""
    query = {"type": "fairs", "when": "upcoming"}
    assert titles(api, when="past") == {"Past"}
    tag = api.get("/content-items", **query).headers["ETag"]
    assert api.request("GET", "/content-items", query=query, if_none_match=tag).status_code == 304
    end = ContentItem.objects.get(title="Now").lasts_until
    for moment, expected in ((end, ["Next", "Now"]), (end + timedelta(microseconds=1), ["Next"])):
        monkeypatch.setattr(timezone, "now", lambda moment=moment: moment)
        again = api.request("GET", "/content-items", query=query, if_none_match=tag)
        assert again.status_code == (304 if "Now" in expected else 200)
        assert [record["title"] for record in api.data("/content-items", sort="title", **query)] == expected
    assert again.json()["meta"]["total"] == 1
    assert titles(api, when="past") == {"Past", "Now"}


@pytest.fixture
def dated(db: None) -> ContentType:
    """One of an evening, one of three days, one of a whole day; the site's zone is Europe/Paris."""
    dated = make_type(field("when", "datetime"), slug="dated")
    make_item(dated, title="Evening", data={"when": {"start": "2026-03-10T18:00", "end": "2026-03-10T20:00"}})
    make_item(dated, title="Camp", data={"when": {"start": "2026-03-12T09:00", "end": "2026-03-14T17:00"}})
    make_item(dated, title="Day", data={"when": {"start": "2026-03-20", "all_day": True}})
    make_item(dated, title="New York", data={"when": {"start": "2026-03-25T22:00", "tz": "America/New_York"}})
    return dated


WINDOWS: list[tuple[dict[str, str], set[str]]] = [
    ({"from": "2026-03-10"}, {"Evening", "Camp", "Day", "New York"}),
    ({"from": "2026-03-10T19:00:00Z"}, {"Evening", "Camp", "Day", "New York"}),
    ({"from": "2026-03-10T19:00:01Z"}, {"Camp", "Day", "New York"}),
    ({"from": "2026-03-13", "to": "2026-03-13"}, {"Camp"}),
    ({"to": "2026-03-09"}, set()),
    ({"to": "2026-03-10"}, {"Evening"}),
    ({"to": "2026-03-10T16:59:59Z"}, set()),
    ({"to": "2026-03-10T17:00:00Z"}, {"Evening"}),
    ({"from": "2026-03-20", "to": "2026-03-20"}, {"Day"}),
    ({"from": "2026-03-19T22:59:59Z", "to": "2026-03-19T23:00:00Z"}, {"Day"}),
    ({"from": "2026-03-19", "to": "2026-03-19T22:59:59Z"}, set()),
    ({"from": "2026-03-26T00:00:00Z"}, {"New York"}),
    ({"from": "2026-03-26"}, {"New York"}),
    ({"to": "2026-03-25"}, {"Evening", "Camp", "Day"}),
    ({"from": "2026-03-15", "to": "2026-03-14"}, set()),
]


@pytest.mark.usefixtures("dated")
def test_a_window_over_the_dates(api: Api) -> None:
    for window, expected in WINDOWS:
        assert titles(api, type="dated", **window) == expected, window


@pytest.mark.usefixtures("dated")
def test_a_plus_sign_may_arrive_as_a_blank(api: Api) -> None:
    found = api.request("GET", "/content-items?type=dated&to=2026-03-10T18:00:00+01:00")
    assert [record["title"] for record in found.json()["data"]] == ["Evening"]


@pytest.mark.parametrize("name", ["from", "to"])
@pytest.mark.parametrize("value", ["", "soon", "2024-02-30", "10/03/2026", "1700000000", "2026-03"])
def test_a_date_that_is_none_is_refused(api: Api, name: str, value: str) -> None:
    assert refusal(api, **{name: value}) == {name: [f"The {name} is not a valid date."]}


def test_filters_go_together(api: Api, vocabulary: ContentType) -> None:
    make_item(title="Two drafts", status="draft", data={"category": ["news"]})
    both = {"type": "blog-post", "term.category": "news", "search": "two"}
    assert titles(api, **both) == {"Two"}
    assert titles(api, **both, status="all") == {"Two", "Two drafts"}
    assert titles(api, **both, slug="two", **{"term.tags": "green"}) == {"Two"}
