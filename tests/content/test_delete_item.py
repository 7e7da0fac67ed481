"""DELETE /content-items/{idOrSlug}."""

from typing import Any

import pytest
from wagtail.models import ModelLogEntry, ReferenceIndex, Revision
from wagtail.search.models import IndexEntry

from cms_api.content.models import ContentItem, ItemLink, ItemTerm, ItemUnique
from tests.builders import blog_post, field, make_image, make_item, make_term, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works(api: Api) -> None:
    item, other = make_item(), make_item()
    gone = api.delete(f"/content-items/{item.pk}")
    assert (gone.status_code, gone.json()) == (200, {"data": {"id": item.pk, "deleted": True}})
    assert api.get(f"/content-items/{item.pk}").status_code == 404
    assert [record["id"] for record in api.data("/content-items")] == [other.pk]


@pytest.mark.both_databases
def test_a_second_time_it_is_not_found(api: Api) -> None:
    item = make_item()
    api.delete(f"/content-items/{item.pk}")
    assert api.delete(f"/content-items/{item.pk}").status_code == 404


def test_by_slug_and_type(api: Api) -> None:
    make_item(title="Hello")
    assert api.delete("/content-items/hello").status_code == 404
    assert api.delete("/content-items/hello?type=nothing").status_code == 404
    assert api.delete("/content-items/hello?type=blog-post").status_code == 200


@pytest.mark.parametrize("status", ["draft", "published", "unpublished"])
def test_in_every_status(api: Api, status: str) -> None:
    item = make_item(status=status)
    assert api.delete(f"/content-items/{item.pk}").status_code == 200
    assert api.get("/content-items", status="all").json()["meta"]["total"] == 0


def test_what_it_owns_goes_with_it(api: Api) -> None:
    parent, child, other = make_item(), make_item(), make_item()
    ContentItem.objects.filter(pk=child.pk).update(owner=parent)
    assert api.delete(f"/content-items/{parent.pk}").status_code == 200
    assert list(ContentItem.objects.values_list("pk", flat=True)) == [other.pk]


@pytest.mark.both_databases
def test_an_owned_item_cannot_be_deleted_by_itself(api: Api) -> None:
    parent, child = make_item(), make_item()
    ContentItem.objects.filter(pk=child.pk).update(owner=parent)
    refused = api.delete(f"/content-items/{child.pk}")
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["owner_id"])
    assert ContentItem.objects.filter(pk=child.pk).exists()


def test_items_that_point_to_it_lose_the_link(api: Api) -> None:
    item_type = make_type(field("one", "relation"), field("many", "relation", multiple=True), field("other", "relation"))
    target, kept = make_item(), make_item()
    pointing = make_item(item_type, data={"one": target.pk, "many": [kept.pk, target.pk], "other": kept.pk})
    draft = make_item(item_type, status="draft", data={"one": target.pk})
    api.delete(f"/content-items/{target.pk}")
    fields = api.data(f"/content-items/{pointing.pk}")["fields"]
    assert (fields["one"], fields["many"], fields["other"]) == (None, [kept.pk], kept.pk)
    assert api.data(f"/content-items/{draft.pk}")["fields"]["one"] is None
    assert list(ItemLink.objects.values_list("source_id", "target_id")) == [(pointing.pk, kept.pk)]
    stored = ContentItem.objects.get(pk=pointing.pk).data
    assert (stored["one"], stored["many"]) == (None, [kept.pk])


def test_items_that_point_to_what_it_owns_lose_the_link_too(api: Api) -> None:
    item_type = make_type(field("one", "relation"))
    parent, child = make_item(), make_item()
    ContentItem.objects.filter(pk=child.pk).update(owner=parent)
    pointing = make_item(item_type, data={"one": child.pk})
    api.delete(f"/content-items/{parent.pk}")
    assert api.data(f"/content-items/{pointing.pk}")["fields"]["one"] is None


def test_items_that_point_to_each_other_and_themselves(api: Api) -> None:
    item_type = make_type(field("one", "relation"))
    a = make_item(item_type)
    b = make_item(item_type, data={"one": a.pk})
    api.patch(f"/content-items/{a.pk}", {"data": {"one": b.pk}})
    selfish = make_item(item_type)
    api.patch(f"/content-items/{selfish.pk}", {"data": {"one": selfish.pk}})
    for item in (a, b, selfish):
        assert api.delete(f"/content-items/{item.pk}").status_code == 200
    assert not ContentItem.objects.exists()


def test_the_answers_that_show_the_link_are_new(api: Api) -> None:
    item_type = make_type(field("one", "relation"))
    target = make_item()
    make_item(item_type, data={"one": target.pk})
    tag = api.get("/content-items", type=item_type.slug).headers["ETag"]
    api.delete(f"/content-items/{target.pk}")
    again = api.request("GET", "/content-items", query={"type": item_type.slug}, if_none_match=tag)
    assert again.status_code == 200


def test_nothing_of_it_is_left(api: Api) -> None:
    models: list[Any] = [ContentItem, ItemTerm, ItemLink, ItemUnique, Revision, IndexEntry, ReferenceIndex]
    item_type = make_type(field("sku", "text", unique=True), field("one", "relation"), field("genre", "taxonomy"))
    make_term(item_type, "genre", "Jazz")
    picture, target = make_image(), make_item()
    before = [model.objects.count() for model in models]
    data = {"sku": "A", "one": target.pk, "genre": "jazz"}
    item = make_item(item_type, data=data, featured_media_id=picture.pk)
    api.patch(f"/content-items/{item.pk}", {"data": {"title": "Changed"}})
    api.delete(f"/content-items/{item.pk}")
    assert [model.objects.count() for model in models] == before
    again = make_item(item_type, title="Changed", data=data)
    assert again.data["sku"] == "A"


def test_the_history_tells_of_it(api: Api) -> None:
    item = make_item(title="Hello")
    api.delete(f"/content-items/{item.pk}")
    entry = ModelLogEntry.objects.filter(object_id=str(item.pk), action="wagtail.delete").get()
    assert (entry.deleted, entry.label) == (True, "Hello")


@pytest.mark.both_databases
def test_an_unknown_item(api: Api) -> None:
    blog_post()
    for path in ("/content-items/987654321", "/content-items/nothing?type=blog-post", "/content-items/0"):
        assert api.delete(path).content == b'{"message":"Not Found."}'
