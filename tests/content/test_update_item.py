"""PATCH and PUT /content-items/{idOrSlug}: both change what is sent, and nothing else."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.content.models import ContentItem, ItemLink, ItemTerm
from cms_api.content.services.items import delete_item, update_item
from cms_api.content.services.types import save_type
from cms_api.core.not_found import NotFound
from cms_api.http import wire
from tests.builders import blog_post, field, make_image, make_item, make_term, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db

TIMES = {"updated_at"}


def change(api: Api, item: ContentItem, **sent: Any) -> Any:
    return api.patch(f"/content-items/{item.pk}", sent)


def changed(api: Api, item: ContentItem, **sent: Any) -> dict[str, Any]:
    response = change(api, item, **sent)
    assert response.status_code == 200, response.content
    record: dict[str, Any] = response.json()["data"]
    assert api.data(f"/content-items/{item.pk}") == record
    return record


def refusal(api: Api, item: ContentItem, **sent: Any) -> dict[str, list[str]]:
    """The errors of a change, which has changed nothing."""
    before = api.data(f"/content-items/{item.pk}")
    response = change(api, item, **sent)
    assert response.status_code == 422, response.content
    assert api.data(f"/content-items/{item.pk}") == before
    errors: dict[str, list[str]] = response.json()["errors"]
    return errors


def differences(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    return {key for key in before if before[key] != after.get(key)} - TIMES


def is_now(text: str) -> bool:
    return abs(datetime.fromisoformat(text) - timezone.now()) < timedelta(minutes=1)


@pytest.fixture
def item(db: None) -> ContentItem:
    """A draft with a value everywhere."""
    posts = blog_post()
    news = make_term(posts, name="News")
    return make_item(
        posts,
        title="Hello there",
        data={"body": "<p>Text</p>", "author": "Ann", "category": [news.pk]},
        status="draft",
        excerpt="Short",
        meta_title="Meta",
        meta_description="Description",
        featured_media_id=make_image().pk,
        published_at=timezone.now() - timedelta(days=30),
    )


@pytest.mark.both_databases
def test_it_works(api: Api, item: ContentItem) -> None:
    before = api.data(f"/content-items/{item.pk}")
    record = changed(api, item, excerpt="Changed")
    assert record["excerpt"] == "Changed"
    assert differences(before, record) == {"excerpt"}


def test_put_is_the_same(api: Api, item: ContentItem) -> None:
    before = api.data(f"/content-items/{item.pk}")
    answer = api.put(f"/content-items/{item.pk}", {"excerpt": "Changed"})
    assert answer.status_code == 200
    assert differences(before, answer.json()["data"]) == {"excerpt"}


@pytest.mark.both_databases
def test_nothing_sent_changes_nothing(api: Api, item: ContentItem) -> None:
    before = api.data(f"/content-items/{item.pk}")
    assert differences(before, changed(api, item)) == set()
    assert differences(before, changed(api, item, data={})) == set()
    assert differences(before, changed(api, item, nothing="x", data={"nothing": "y"}, id=1, owner_id=2)) == set()


def test_by_slug_and_type(api: Api, item: ContentItem) -> None:
    answer = api.patch("/content-items/hello-there?type=blog-post", {"excerpt": "Changed"})
    assert (answer.status_code, answer.json()["data"]["id"]) == (200, item.pk)
    assert api.patch("/content-items/hello-there", {"excerpt": "Changed"}).status_code == 404


def test_data_is_merged_by_its_top_keys(api: Api, item: ContentItem) -> None:
    record = changed(api, item, data={"author": "Bob"})
    assert record["fields"] == {"title": "Hello there", "body": "<p>Text</p>", "author": "Bob"}
    assert [term["slug"] for term in record["terms"]["category"]] == ["news"]
    assert changed(api, item, data={"author": None})["fields"]["author"] is None
    assert changed(api, item, data={"category": []})["terms"]["category"] == []
    assert not ItemTerm.objects.filter(item=item).exists()


def test_a_composite_value_is_replaced_whole(api: Api) -> None:
    item_type = make_type(field("place", "address"), field("when", "datetime"), field("week", "hours"))
    data = {
        "place": {"street": "Main 1", "city": "Paris"},
        "when": {"start": "2026-03-01T10:00", "end": "2026-03-01T11:00"},
        "week": {"mon": [{"open": "09:00", "close": "17:00"}]},
    }
    item = make_item(item_type, data=data)
    fields = changed(api, item, data={"place": {"city": "Lyon"}})["fields"]
    assert (fields["place"]["street"], fields["place"]["city"]) == (None, "Lyon")
    assert fields["when"]["end"] == "2026-03-01T11:00:00"
    fields = changed(api, item, data={"when": {"start": "2026-04-01T10:00"}, "week": {}})["fields"]
    assert (fields["when"]["start"], fields["when"]["end"]) == ("2026-04-01T10:00:00", None)
    assert fields["week"]["mon"] == []
    stored = ContentItem.objects.get(pk=item.pk)
    assert stored.starts_at == stored.ends_at == datetime.fromisoformat("2026-04-01T08:00:00+00:00")


def test_the_title_follows_its_field_and_the_slug_stays(api: Api, item: ContentItem) -> None:
    record = changed(api, item, data={"title": "Good bye"})
    assert (record["title"], record["fields"]["title"], record["slug"]) == ("Good bye", "Good bye", "hello-there")
    assert record["url"] == "http://testserver/blog-post/hello-there"


def test_the_title_cannot_be_taken_away(api: Api, item: ContentItem) -> None:
    for title in (None, "", "  "):
        assert refusal(api, item, data={"title": title}) == {"data.title": ["The title field is required."]}


def test_a_slug_can_be_sent(api: Api, item: ContentItem) -> None:
    assert changed(api, item, slug="mine")["slug"] == "mine"
    assert changed(api, item, slug="mine")["slug"] == "mine"
    assert changed(api, item, slug=None)["slug"] == "mine"
    assert changed(api, item, slug=" ")["slug"] == "mine"


@pytest.mark.both_databases
def test_a_slug_must_be_free(api: Api, item: ContentItem) -> None:
    make_item(title="Taken")
    assert refusal(api, item, slug="taken") == {"slug": ["The slug has already been taken."]}
    make_item(make_type(), title="Elsewhere")
    assert changed(api, item, slug="elsewhere")["slug"] == "elsewhere"


def test_the_type_cannot_change(api: Api, item: ContentItem) -> None:
    other = make_type()
    for sent in (other.slug, "nothing"):
        assert list(refusal(api, item, type=sent)) == ["type"]
    assert changed(api, item, type="blog-post")["type"] == "blog-post"


def test_null_clears_and_absence_keeps(api: Api, item: ContentItem) -> None:
    kept = changed(api, item, status="draft")
    assert (kept["excerpt"], kept["meta_title"], kept["meta_description"]) == ("Short", "Meta", "Description")
    cleared = changed(api, item, excerpt=None, meta_title="", meta_description=" ")
    assert (cleared["excerpt"], cleared["meta_title"], cleared["meta_description"]) == (None, None, None)


def test_the_featured_picture(api: Api, item: ContentItem) -> None:
    first = item.featured_media_id
    assert changed(api, item, excerpt="x")["featured_media_id"] == first
    second = make_image("other.png")
    record = changed(api, item, featured_media_id=second.pk)
    assert (record["featured_media_id"], "other" in record["featured_image"]) == (second.pk, True)
    record = changed(api, item, featured_media_id=None)
    assert (record["featured_media_id"], record["featured_image"]) == (None, None)
    assert list(refusal(api, item, featured_media_id=987654321)) == ["featured_media_id"]


def test_publishing_without_a_date_keeps_the_old_one(api: Api, item: ContentItem) -> None:
    before = api.data(f"/content-items/{item.pk}")["published_at"]
    assert changed(api, item, status="published")["published_at"] == before
    assert changed(api, item, status="unpublished")["published_at"] == before
    assert changed(api, item, status="published")["published_at"] == before


def test_publishing_for_the_first_time_stamps_the_moment(api: Api) -> None:
    item = make_item(status="draft")
    record = changed(api, item, status="published")
    assert (record["status"], is_now(record["published_at"])) == ("published", True)


def test_a_date_can_be_set(api: Api, item: ContentItem) -> None:
    assert (
        changed(api, item, status="published", published_at="2020-01-01T00:00:00Z")["published_at"] == "2020-01-01T00:00:00+00:00"
    )
    assert changed(api, item, published_at="2021-01-01T00:00:00Z")["published_at"] == "2021-01-01T00:00:00+00:00"
    assert changed(api, item, published_at=None)["published_at"] == "2021-01-01T00:00:00+00:00"


def test_what_is_published_takes_no_date_in_the_future(api: Api, item: ContentItem) -> None:
    changed(api, item, status="published")
    sentence = "The published at must not be a date in the future when the status is published."
    assert refusal(api, item, published_at="2901-01-01") == {"published_at": [sentence]}
    assert refusal(api, item, status="published", published_at="2901-01-01") == {"published_at": [sentence]}


def test_scheduling(api: Api, item: ContentItem) -> None:
    later = wire.instant(timezone.now() + timedelta(hours=1))
    sentence = "The published at must be a date in the future when the status is scheduled."
    assert refusal(api, item, status="scheduled") == {"published_at": [sentence]}
    assert refusal(api, item, status="scheduled", published_at="2001-01-01") == {"published_at": [sentence]}
    record = changed(api, item, status="scheduled", published_at=later)
    assert (record["status"], record["published_at"]) == ("scheduled", later)
    assert changed(api, item, excerpt="Still")["status"] == "scheduled"
    assert refusal(api, item, published_at="2001-01-01") == {"published_at": [sentence]}


@pytest.mark.both_databases
def test_what_is_scheduled_can_be_published_at_once(api: Api, item: ContentItem) -> None:
    changed(api, item, status="scheduled", published_at="2901-01-01")
    record = changed(api, item, status="published")
    assert (record["status"], is_now(record["published_at"])) == ("published", True)


def test_a_draft_keeps_a_date_of_the_future_until_it_is_published(api: Api, item: ContentItem) -> None:
    changed(api, item, published_at="2901-01-01T00:00:00Z")
    assert changed(api, item, status="unpublished")["published_at"] == "2901-01-01T00:00:00+00:00"
    assert changed(api, item, status="scheduled")["published_at"] == "2901-01-01T00:00:00+00:00"


def test_publishing_demands_what_is_required_by_now(api: Api, item: ContentItem) -> None:
    posts = blog_post()
    fields = [{**each, "required": True} if each["key"] == "author" else each for each in posts.fields]
    save_type(item_type=posts, values={"fields": fields})
    changed(api, item, data={"body": "x"})
    ContentItem.objects.filter(pk=item.pk).update(data={"title": "Hello there"})
    assert changed(api, item, excerpt="A draft may still lack it")["status"] == "draft"
    assert refusal(api, item, status="published") == {"data.author": ["The author field is required."]}
    later = wire.instant(timezone.now() + timedelta(hours=1))
    assert list(refusal(api, item, status="scheduled", published_at=later)) == ["data.author"]
    assert changed(api, item, status="published", data={"author": "Ann"})["status"] == "published"


@pytest.mark.both_databases
def test_terms_are_replaced_in_their_order(api: Api, item: ContentItem) -> None:
    posts = blog_post()
    sport, local = make_term(posts, name="Sport"), make_term(posts, name="Local")
    for wanted in ([sport, local], [local, sport], [local]):
        record = changed(api, item, data={"category": [term.slug for term in wanted]})
        assert [term["id"] for term in record["terms"]["category"]] == [term.pk for term in wanted]
        assert set(ItemTerm.objects.filter(item=item).values_list("term_id", flat=True)) == {term.pk for term in wanted}
    assert list(refusal(api, item, data={"category": ["nothing"]})) == ["data.category"]


def test_relations_are_replaced(api: Api) -> None:
    item_type = make_type(field("many", "relation", multiple=True))
    a, b, c = make_item(), make_item(), make_item()
    item = make_item(item_type, data={"many": [a.pk, b.pk]})
    assert changed(api, item, data={"many": [c.pk, b.pk]})["fields"]["many"] == [c.pk, b.pk]
    assert set(ItemLink.objects.filter(source=item).values_list("target_id", flat=True)) == {b.pk, c.pk}
    assert changed(api, item, data={"many": [item.pk]})["fields"]["many"] == [item.pk]
    assert list(refusal(api, item, data={"many": [987654321]})) == ["data.many"]
    changed(api, item, data={"many": None})
    assert not ItemLink.objects.filter(source=item).exists()


@pytest.mark.both_databases
def test_unique_values_can_be_kept_swapped_and_freed(api: Api) -> None:
    item_type = make_type(field("sku", "text", unique=True))
    a, b = make_item(item_type, data={"sku": "A"}), make_item(item_type, data={"sku": "B"})
    assert changed(api, a, data={"sku": "A"}, excerpt="x")["fields"]["sku"] == "A"
    assert refusal(api, a, data={"sku": "B"}) == {"data.sku": ["The sku has already been taken."]}
    changed(api, b, data={"sku": None})
    assert changed(api, a, data={"sku": "B"})["fields"]["sku"] == "B"
    assert changed(api, b, data={"sku": "A"})["fields"]["sku"] == "A"


def test_only_what_is_sent_is_checked(api: Api) -> None:
    item_type = make_type(field("level", "select", options=[{"value": "b", "label": "B"}]))
    item = make_item(item_type, data={"level": "b"})
    # As in items whose type was changed before options that items have were protected.
    ContentItem.objects.filter(pk=item.pk).update(data={**item.data, "level": "a"})
    assert changed(api, item, excerpt="x")["fields"]["level"] == "a"
    assert list(refusal(api, item, data={"level": "a"})) == ["data.level"]


def test_an_owned_item_cannot_be_changed(api: Api, item: ContentItem) -> None:
    child = make_item()
    ContentItem.objects.filter(pk=child.pk).update(owner=item)
    refused = change(api, child, excerpt="x")
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["owner_id"])


@pytest.mark.both_databases
def test_an_unknown_item(api: Api) -> None:
    blog_post()
    for path in ("/content-items/987654321", "/content-items/nothing?type=blog-post", "/content-items/nothing?type=nothing"):
        assert api.patch(path, {"excerpt": "x"}).content == b'{"message":"Not Found."}'


@pytest.mark.both_databases
def test_an_item_that_is_deleted_meanwhile_is_not_found(item: ContentItem) -> None:
    stale = ContentItem.objects.get(pk=item.pk)
    delete_item(item=item)
    for write in (lambda: update_item(item=stale, values={}), lambda: delete_item(item=stale)):
        with pytest.raises(NotFound):
            write()


def test_the_times(api: Api, item: ContentItem) -> None:
    ago = timezone.now() - timedelta(days=3)
    ContentItem.objects.filter(pk=item.pk).update(created_at=ago, updated_at=ago)
    record = changed(api, item, excerpt="x")
    assert record["created_at"] == wire.instant(ago)
    assert is_now(record["updated_at"])
