"""POST /content-items."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from wagtail.models import Revision
from wagtail.search.models import IndexEntry

from cms_api.content.models import ContentItem, ItemLink, ItemTerm, Tally
from cms_api.content.types import check_slug
from cms_api.http import wire
from tests.builders import blog_post, field, make_image, make_item, make_term, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db

UNKNOWN_TYPE = ["The selected type is invalid. Valid values: blog-post, projects, service."]

KEYS = [
    *("id", "type", "title", "slug", "excerpt", "status", "published_at", "url", "featured_media_id", "featured_image"),
    *("meta_title", "meta_description", "fields", "terms", "owner_id", "created_at", "updated_at"),
]


@pytest.fixture(autouse=True)
def _builtin(db: None) -> None:
    blog_post()


def create(
    api: Api, *, type: str = "blog-post", title: str = "Hello there", data: dict[str, Any] | None = None, **sent: Any
) -> Any:
    return api.post("/content-items", {"type": type, "data": {"title": title, **(data or {})}, **sent})


def created(api: Api, **sent: Any) -> dict[str, Any]:
    response = create(api, **sent)
    assert response.status_code == 201, response.content
    record: dict[str, Any] = response.json()["data"]
    return record


def errors(response: Any) -> dict[str, list[str]]:
    assert response.status_code == 422, response.content
    found: dict[str, list[str]] = response.json()["errors"]
    return found


def is_now(text: str) -> bool:
    return abs(datetime.fromisoformat(text) - timezone.now()) < timedelta(minutes=1)


@pytest.mark.both_databases
def test_it_works(api: Api) -> None:
    record = created(api)
    assert list(record) == KEYS
    assert (record["status"], record["title"], record["slug"]) == ("draft", "Hello there", "hello-there")
    assert record["url"] == "http://testserver/blog-post/hello-there"
    assert record["fields"] == {"title": "Hello there", "body": None, "author": None}
    assert record["terms"] == {"category": [], "tags": []}
    nothing = ("excerpt", "published_at", "featured_media_id", "featured_image", "meta_title", "meta_description", "owner_id")
    assert [record[key] for key in nothing] == [None] * len(nothing)
    assert is_now(record["created_at"])
    assert record["updated_at"] == record["created_at"]
    assert api.data(f"/content-items/{record['id']}") == record


def test_the_type_must_exist(api: Api) -> None:
    assert errors(create(api, type="nothing")) == {"type": UNKNOWN_TYPE}


def test_the_type_must_be_sent(api: Api) -> None:
    assert errors(api.post("/content-items", {"data": {"title": "Hello"}})) == {"type": ["The type field is required."]}


def test_data_must_be_sent(api: Api) -> None:
    assert errors(api.post("/content-items", {"type": "blog-post"})) == {"data": ["The data field is required."]}


def test_a_required_field_must_be_sent(api: Api) -> None:
    for data in ({}, {"title": None}, {"title": ""}, {"title": "  "}):
        refused = api.post("/content-items", {"type": "blog-post", "data": data})
        assert errors(refused) == {"data.title": ["The title field is required."]}


def test_a_type_whose_feature_is_off_cannot_be_used(api: Api) -> None:
    item_type = make_type(feature="events")
    assert errors(create(api, type=item_type.slug)) == {"type": UNKNOWN_TYPE}


def test_the_title_comes_from_the_first_text_field(api: Api) -> None:
    fields = [field("number", "integer"), field("headline", "text", required=True), field("subtitle", "text")]
    item_type = make_type(fields=fields)
    sent = {"number": 7, "subtitle": "Below", "headline": "Above"}
    record = api.post("/content-items", {"type": item_type.slug, "data": sent}).json()["data"]
    assert (record["title"], record["slug"]) == ("Above", "above")


def test_an_item_without_a_title_is_named_after_its_type(api: Api) -> None:
    item_type = make_type(slug="numbers", fields=[field("number", "integer")])
    record = api.post("/content-items", {"type": item_type.slug, "data": {"number": 7}}).json()["data"]
    assert (record["title"], record["slug"]) == ("Numbers", "numbers")


@pytest.mark.both_databases
def test_a_derived_slug_that_is_taken_gets_a_number(api: Api) -> None:
    assert [created(api)["slug"] for _ in range(4)] == ["hello-there", "hello-there-2", "hello-there-3", "hello-there-4"]


@pytest.mark.both_databases
def test_a_derived_slug_passes_by_numbers_that_are_taken(api: Api) -> None:
    for slug in ("hello-there", "hello-there-2", "hello-there-4"):
        created(api, slug=slug)
    assert [created(api)["slug"] for _ in range(2)] == ["hello-there-3", "hello-there-5"]


def test_a_slug_is_derived_from_any_script(api: Api) -> None:
    for title, slug in (
        ("Crème brûlée à l'œuf", "creme-brulee-a-loeuf"),
        ("Straße & Söhne", "strasse-sohne"),
        ("Привет, мир", "privet-mir"),
        ("2024", "blog-post-2024"),
        ("!!!", "blog-post"),
        ("a" * 255, "a" * 200),
        ("../../etc/passwd", "etcpasswd"),
    ):
        assert created(api, title=title)["slug"] == slug


@pytest.mark.parametrize("title", ["a_ b", "a__b", "_a_", "a - b", "a" * 191 + " bcd", "-"])
def test_a_derived_slug_may_be_sent_back(api: Api, title: str) -> None:
    for _ in range(2):
        record = created(api, title=title)
        again = api.patch(f"/content-items/{record['id']}", {"slug": record["slug"]})
        assert (again.status_code, again.json()["data"]["slug"]) == (200, record["slug"])


@pytest.mark.both_databases
def test_an_explicit_slug_is_taken_as_it_is(api: Api) -> None:
    record = created(api, slug="my-own_slug")
    assert (record["title"], record["slug"]) == ("Hello there", "my-own_slug")
    assert check_slug(record["slug"])


@pytest.mark.both_databases
def test_an_explicit_slug_must_be_free_in_its_type(api: Api) -> None:
    created(api, slug="mine")
    assert errors(create(api, slug="mine")) == {"slug": ["The slug has already been taken."]}
    assert created(api, type=make_type().slug, slug="mine")["slug"] == "mine"


def test_an_empty_slug_is_none(api: Api) -> None:
    assert [created(api, slug=slug)["slug"] for slug in ("", "  ", None)] == ["hello-there", "hello-there-2", "hello-there-3"]


@pytest.mark.both_databases
def test_unknown_keys_are_dropped(api: Api) -> None:
    record = created(api, data={"nothing": 1}, nothing=2, id=7, owner_id=8, created_at="2001-01-01", url="x", cached_json="y")
    assert "nothing" not in record
    assert record["fields"] == {"title": "Hello there", "body": None, "author": None}
    assert record["owner_id"] is None
    assert is_now(record["created_at"])
    assert "nothing" not in ContentItem.objects.get(pk=record["id"]).data


def test_text_is_trimmed_and_empty_text_is_null(api: Api) -> None:
    record = created(api, title="  Hello there\t", data={"author": " "}, excerpt="  Short  ", meta_title="", meta_description=" ")
    assert (record["title"], record["fields"]["author"], record["excerpt"]) == ("Hello there", None, "Short")
    assert (record["meta_title"], record["meta_description"]) == (None, None)


def test_publishing_stamps_the_moment(api: Api) -> None:
    record = created(api, status="published")
    assert record["status"] == "published"
    assert is_now(record["published_at"])


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05+00:00"),
        ("2024-01-02T03:04:05.987654+02:00", "2024-01-02T01:04:05+00:00"),
        ("2024-01-02T03:04", "2024-01-02T02:04:00+00:00"),
        ("2024-01-02 03:04:05", "2024-01-02T02:04:05+00:00"),
        ("2024-01-02", "2024-01-01T23:00:00+00:00"),
        (" 2024-07-02 ", "2024-07-01T22:00:00+00:00"),
        ("20240102T030405Z", "2024-01-02T03:04:05+00:00"),
    ],
)
def test_a_date_in_the_past_is_kept_whatever_its_form(api: Api, sent: str, kept: str) -> None:
    assert created(api, status="published", published_at=sent)["published_at"] == kept


@pytest.mark.parametrize("status", ["draft", "unpublished"])
def test_what_is_not_public_keeps_any_date(api: Api, status: str) -> None:
    for date in ("2001-02-03T04:05:06+00:00", "2901-02-03T04:05:06+00:00"):
        record = created(api, status=status, published_at=date)
        assert (record["status"], record["published_at"]) == (status, date)


def test_scheduling_needs_a_date_in_the_future(api: Api) -> None:
    later = wire.instant(timezone.now() + timedelta(hours=1))
    assert created(api, status="scheduled", published_at=later)["published_at"] == later
    sentence = "The published at must be a date in the future when the status is scheduled."
    assert errors(create(api, status="scheduled")) == {"published_at": [sentence]}
    assert errors(create(api, status="scheduled", published_at="2001-01-01")) == {"published_at": [sentence]}


def test_publishing_takes_no_date_in_the_future(api: Api) -> None:
    sentence = "The published at must not be a date in the future when the status is published."
    assert errors(create(api, status="published", published_at="2901-01-01")) == {"published_at": [sentence]}


def test_a_featured_picture(api: Api) -> None:
    picture = make_image("my picture.png")
    record = created(api, featured_media_id=picture.pk)
    assert record["featured_media_id"] == picture.pk
    assert record["featured_image"].startswith("http://testserver/media/media/")
    assert record["featured_image"] == api.data(f"/media/{picture.pk}")["url"]


def test_a_featured_picture_must_exist(api: Api) -> None:
    sentence = "The selected featured media id is invalid."
    assert errors(create(api, featured_media_id=987654321)) == {"featured_media_id": [sentence]}


VALUES: list[tuple[str, dict[str, Any], Any, Any]] = [
    ("text", {}, " One line ", "One line"),
    ("textarea", {}, "Two\r\nlines", "Two\nlines"),
    ("phone", {}, "+33 1 23 45 67 89", "+33 1 23 45 67 89"),
    ("color", {}, "#AABBCC", "#aabbcc"),
    ("richtext_tiptap", {}, "<p onclick='x()'>Hi<script>alert(1)</script></p>", "<p>Hi</p>"),
    (
        "richtext_tiptap",
        {},
        {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "Hi"}]}]},
        "<p>Hi</p>",
    ),
    ("number", {}, 1.5, 1.5),
    ("number", {}, 7, 7),
    ("integer", {}, 7, 7),
    ("boolean", {}, True, True),
    ("boolean", {}, "0", False),
    ("boolean", {}, "true", True),
    ("select", {"options": [{"value": "a", "label": "A"}]}, "a", "a"),
    ("select", {"options": [{"value": "a", "label": "A"}], "multiple": True}, ["a"], ["a"]),
    ("radio", {"options": [{"value": "a", "label": "A"}]}, "a", "a"),
    ("checkbox", {"options": [{"value": "a", "label": "A"}]}, ["a"], ["a"]),
    ("date", {}, "2026-03-01", "2026-03-01"),
    ("time", {}, "18:30", "18:30"),
    ("url", {}, "https://example.com/a?b=c", "https://example.com/a?b=c"),
    ("url", {}, "mailto:someone@example.com", "mailto:someone@example.com"),
    ("email", {}, "someone@example.com", "someone@example.com"),
    ("image", {}, "media/2026/03/x.jpg", "media/2026/03/x.jpg"),
    ("image", {}, ["media/2026/03/x.jpg"], "media/2026/03/x.jpg"),
    ("file", {}, "https://example.com/x.pdf", "https://example.com/x.pdf"),
    ("gallery", {}, ["media/a.jpg", "media/b.jpg"], ["media/a.jpg", "media/b.jpg"]),
    (
        "address",
        {},
        {"street": "Main 1", "latitude": 48.5},
        {
            **dict.fromkeys(("street2", "city", "state", "postal_code", "country", "longitude")),
            "street": "Main 1",
            "latitude": 48.5,
        },
    ),
    (
        "hours",
        {},
        {"mon": [{"open": "09:00", "close": "17:00"}]},
        {"mon": [{"open": "09:00", "close": "17:00"}], "tue": [], "wed": [], "thu": [], "fri": [], "sat": [], "sun": []},
    ),
    (
        "datetime",
        {},
        {"start": "2026-03-01T18:30", "end": "2026-03-01T20:00:00Z"},
        {
            **{"start": "2026-03-01T18:30:00", "end": "2026-03-01T21:00:00", "all_day": False, "tz": "Europe/Paris"},
            **{"repeat": None, "start_utc": "2026-03-01T17:30:00+00:00", "end_utc": "2026-03-01T20:00:00+00:00"},
        },
    ),
    (
        "datetime",
        {},
        {"start": "2026-03-01", "all_day": True},
        {
            **{"start": "2026-03-01", "end": None, "all_day": True, "tz": "Europe/Paris"},
            **{"repeat": None, "start_utc": None, "end_utc": None},
        },
    ),
]


def test_every_field_type(api: Api) -> None:
    item_type = make_type(*(field(f"value{number}", kind, **more) for number, (kind, more, _, _) in enumerate(VALUES)))
    record = created(api, type=item_type.slug, data={f"value{number}": sent for number, (_, _, sent, _) in enumerate(VALUES)})
    for number, (kind, _, sent, answered) in enumerate(VALUES):
        assert record["fields"][f"value{number}"] == answered, (kind, sent)
    assert api.data(f"/content-items/{record['id']}") == record
    # Each may be empty.
    keys = [f"value{number}" for number in range(len(VALUES))]
    for data in ({}, dict.fromkeys(keys), dict.fromkeys(keys, "")):
        fields = created(api, type=item_type.slug, data=data)["fields"]
        assert [key for key in keys if fields[key] is not None] == []


def test_a_field_gets_its_default(api: Api) -> None:
    item_type = make_type(field("colour", "color", default="#00FF00"), field("size", "integer", default=7))
    assert created(api, type=item_type.slug)["fields"] == {"title": "Hello there", "colour": "#00ff00", "size": 7}
    assert created(api, type=item_type.slug, data={"size": None})["fields"]["size"] is None


def test_terms_by_id_or_slug(api: Api) -> None:
    item_type = blog_post()
    news, sport = make_term(item_type, name="News"), make_term(item_type, name="Sport")
    record = created(api, data={"category": ["sport", news.pk, "news"]})
    assert record["terms"]["category"] == [
        {"id": sport.pk, "name": "Sport", "slug": "sport"},
        {"id": news.pk, "name": "News", "slug": "news"},
    ]
    assert "category" not in record["fields"]
    assert ItemTerm.objects.filter(item_id=record["id"]).count() == 2


def test_a_single_term_needs_no_array(api: Api) -> None:
    item_type = make_type(field("genre", "taxonomy"))
    make_term(item_type, "genre", "Jazz")
    make_term(item_type, "genre", "Rock")
    assert [term["slug"] for term in created(api, type=item_type.slug, data={"genre": "jazz"})["terms"]["genre"]] == ["jazz"]
    assert set(errors(create(api, type=item_type.slug, data={"genre": ["jazz", "rock"]}))) == {"data.genre"}


def test_a_term_must_be_of_that_vocabulary(api: Api) -> None:
    tag = make_term(blog_post(), "tags", "Green")
    elsewhere = make_term(make_type(field("category", "taxonomy")), "category", "Elsewhere")
    for term in ("green", tag.pk, "elsewhere", elsewhere.pk, 987654321):
        assert errors(create(api, data={"category": [term]})) == {"data.category": ["The selected category is invalid."]}


def test_relations(api: Api) -> None:
    item_type = make_type(field("one", "relation"), field("many", "relation", multiple=True))
    a, b = make_item(), make_item()
    record = created(api, type=item_type.slug, data={"one": a.pk, "many": [b.pk, a.pk]})
    assert (record["fields"]["one"], record["fields"]["many"]) == (a.pk, [b.pk, a.pk])
    assert set(ItemLink.objects.filter(source_id=record["id"]).values_list("target_id", flat=True)) == {a.pk, b.pk}


def test_a_relation_must_exist(api: Api) -> None:
    item_type = make_type(field("one", "relation"), field("many", "relation", multiple=True))
    refused = errors(create(api, type=item_type.slug, data={"one": 987654321, "many": [make_item().pk, 987654321]}))
    assert refused == {"data.one": ["The selected one is invalid."], "data.many": ["The selected many is invalid."]}


@pytest.mark.both_databases
def test_a_unique_value_is_taken_once(api: Api) -> None:
    item_type = make_type(field("sku", "text", unique=True))
    created(api, type=item_type.slug, data={"sku": "A1"})
    refused = create(api, type=item_type.slug, data={"sku": "A1"})
    assert errors(refused) == {"data.sku": ["The sku has already been taken."]}
    for _ in range(2):
        created(api, type=item_type.slug, data={"sku": None})
    other = make_type(field("sku", "text", unique=True))
    created(api, type=other.slug, data={"sku": "A1"})


def test_a_type_without_detail_pages_has_no_url(api: Api) -> None:
    assert "url" not in created(api, type=make_type(has_detail=False).slug)


def test_a_refused_item_leaves_nothing(api: Api) -> None:
    make_item()

    def everything() -> list[Any]:
        counts = [model.objects.count() for model in (ContentItem, ItemTerm, ItemLink, Revision, IndexEntry)]
        return [counts, list(Tally.objects.values_list("type", "status", "owned", "total").order_by("pk"))]

    before = everything()
    item_type = make_type(field("sku", "text", unique=True))
    assert create(api, slug="no slug").status_code == 422
    assert create(api, data={"category": ["nothing"]}).status_code == 422
    assert everything() == before
    created(api, type=item_type.slug, data={"sku": "A1"})
    before = everything()
    assert create(api, type=item_type.slug, data={"sku": "A1"}).status_code == 422
    assert everything() == before
