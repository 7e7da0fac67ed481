"""Every write keeps a revision, which can be compared, restored and published."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from wagtail.models import ModelLogEntry, Revision

from cms_api.content.models import ContentItem
from cms_api.content.services.items import publish_due_items, publish_revision, save_draft, unpublish_item
from cms_api.core.errors import Invalid
from tests.builders import blog_post, make_image, make_item, make_term
from tests.client import Api

pytestmark = pytest.mark.django_db


def revisions(item: ContentItem) -> list[Revision]:
    return list(Revision.objects.filter(object_id=str(item.pk)).order_by("created_at", "pk"))


def fresh(item: ContentItem) -> ContentItem:
    return ContentItem.objects.get(pk=item.pk)


@pytest.mark.both_databases
def test_it_works(api: Api) -> None:
    blog_post()
    made = api.post("/content-items", {"type": "blog-post", "data": {"title": "One"}, "excerpt": "First"}).json()["data"]
    api.patch(f"/content-items/{made['id']}", {"data": {"title": "Two"}})
    api.patch(f"/content-items/{made['id']}", {"excerpt": "Third"})
    item = ContentItem.objects.get(pk=made["id"])
    kept = [(revision.as_object().title, revision.as_object().excerpt) for revision in revisions(item)]
    assert kept == [("One", "First"), ("Two", "First"), ("Two", "Third")]
    assert item.latest_revision == revisions(item)[-1]
    assert item.live_revision is None


def test_a_revision_holds_all_that_can_be_written(api: Api) -> None:
    term, picture = make_term(blog_post()), make_image()
    values = {"excerpt": "Short", "meta_title": "Meta", "meta_description": "More", "featured_media_id": picture.pk}
    item = make_item(title="One", data={"body": "<p>Text</p>", "category": [term.pk]}, **values)
    restored = revisions(item)[-1].as_object()
    for name in (
        "title",
        "slug",
        "excerpt",
        "meta_title",
        "meta_description",
        "featured_media_id",
        "data",
        "published_at",
        "type_id",
    ):
        assert getattr(restored, name) == getattr(fresh(item), name), name


def test_a_refused_write_keeps_none(api: Api) -> None:
    item = make_item()
    api.patch(f"/content-items/{item.pk}", {"slug": "NOT A SLUG"})
    assert len(revisions(item)) == 1


def test_what_is_public_is_the_latest_revision(api: Api) -> None:
    item = make_item()
    api.patch(f"/content-items/{item.pk}", {"excerpt": "x"})
    stored = fresh(item)
    assert stored.live_revision == stored.latest_revision == revisions(item)[-1]
    assert (stored.live, stored.has_unpublished_changes) == (True, False)


def test_every_write_is_in_the_log(api: Api) -> None:
    item = make_item(title="One", status="draft")
    api.patch(f"/content-items/{item.pk}", {"status": "published"})
    unpublish_item(item=item)
    entries = ModelLogEntry.objects.for_instance(item).order_by("timestamp")
    assert [entry.action for entry in entries] == ["wagtail.create", "wagtail.edit", "wagtail.unpublish"]


def test_an_old_revision_can_be_published_again(api: Api) -> None:
    item = make_item(title="One", data={"author": "Ann"})
    api.patch(f"/content-items/{item.pk}", {"data": {"title": "Two", "author": "Bob"}, "excerpt": "x"})
    publish_revision(item=item, revision=revisions(item)[0])
    record = api.data(f"/content-items/{item.pk}")
    assert (record["title"], record["fields"]["author"], record["excerpt"]) == ("One", "Ann", None)
    assert api.data("/content-items", search="bob") == []
    assert len(api.data("/content-items", search="ann")) == 1


@pytest.mark.both_databases
def test_a_draft_of_a_public_item_changes_nothing_for_the_public(api: Api) -> None:
    item = make_item(title="One")
    before, listed = api.data(f"/content-items/{item.pk}"), api.get("/content-items")
    _, revision = save_draft(item=item, values={"data": {"title": "Two"}, "slug": "two"})
    assert api.data(f"/content-items/{item.pk}") == before
    assert api.get("/content-items").content == listed.content
    assert fresh(item).has_unpublished_changes
    publish_revision(item=item, revision=revision)
    record = api.data(f"/content-items/{item.pk}")
    assert (record["title"], record["slug"], fresh(item).has_unpublished_changes) == ("Two", "two", False)


def test_a_draft_of_what_is_not_public_is_the_item(api: Api) -> None:
    item = make_item(title="One", status="draft")
    save_draft(item=item, values={"data": {"title": "Two"}})
    assert api.data(f"/content-items/{item.pk}")["title"] == "Two"


def test_an_autosave_replaces_its_revision(api: Api) -> None:
    for status in ("draft", "published"):
        item = make_item(title="One", status=status)
        _, revision = save_draft(item=item, values={"data": {"title": "Two"}})
        save_draft(item=item, values={"data": {"title": "Three"}}, overwrite=revision)
        assert [kept.as_object().title for kept in revisions(item)] == ["One", "Three"]
        assert fresh(item).latest_revision_id == revision.pk


def test_a_draft_may_lack_what_is_required_until_it_is_published(api: Api) -> None:
    item = make_item(title="One", status="draft")
    _, revision = save_draft(item=item, values={"data": {"title": ""}})
    assert api.data(f"/content-items/{item.pk}")["title"] == "One"
    with pytest.raises(Invalid):
        publish_revision(item=item, revision=revision)
    assert api.data(f"/content-items/{item.pk}")["status"] == "draft"


def test_a_revision_with_a_date_of_the_future_is_scheduled(api: Api) -> None:
    item = make_item(status="draft")
    _, revision = save_draft(item=item, values={"published_at": timezone.now() + timedelta(hours=1)})
    publish_revision(item=item, revision=revision)
    assert api.data(f"/content-items/{item.pk}")["status"] == "scheduled"


def test_wagtails_own_publishing_goes_the_same_way(api: Api) -> None:
    item = make_item(title="One", status="draft")
    fresh(item).latest_revision.publish()
    assert api.data(f"/content-items/{item.pk}")["status"] == "published"
    fresh(item).unpublish()
    assert api.data(f"/content-items/{item.pk}")["status"] == "unpublished"
    assert api.data("/content-items") == []


def test_unpublishing_what_is_not_public_does_nothing(api: Api) -> None:
    item = make_item(status="draft")
    unpublish_item(item=item)
    assert (fresh(item).status, len(revisions(item))) == ("draft", 1)


def due(item: ContentItem, **changes: Any) -> None:
    ContentItem.objects.filter(pk=item.pk).update(published_at=timezone.now() - timedelta(seconds=1), **changes)


def test_a_scheduled_item_becomes_public_by_itself(api: Api) -> None:
    later = timezone.now() + timedelta(hours=1)
    item, other = make_item(status="scheduled", published_at=later), make_item(status="scheduled", published_at=later)
    assert publish_due_items() == 0
    due(item)
    tag = api.get("/content-items").headers["ETag"]
    assert publish_due_items() == 1
    record = api.data(f"/content-items/{item.pk}")
    assert record["status"] == "published"
    assert api.data("/content-items") == [record]
    assert api.request("GET", "/content-items", if_none_match=tag).status_code == 200
    assert fresh(item).live_revision == revisions(item)[-1]
    assert len(revisions(item)) == 2
    assert api.data(f"/content-items/{other.pk}")["status"] == "scheduled"
    assert publish_due_items() == 0


def test_the_date_stays_when_a_scheduled_item_becomes_public(api: Api) -> None:
    item = make_item(status="scheduled", published_at=timezone.now() + timedelta(hours=1))
    due(item)
    before = api.data(f"/content-items/{item.pk}")["published_at"]
    publish_due_items()
    api.patch(f"/content-items/{item.pk}", {"excerpt": "x"})
    assert api.data(f"/content-items/{item.pk}")["published_at"] is not None
    assert before is not None
    assert fresh(item).published_at < timezone.now()


def test_a_change_to_a_scheduled_item_whose_time_has_come_publishes_it(api: Api) -> None:
    item = make_item(status="scheduled", published_at=timezone.now() + timedelta(hours=1))
    due(item)
    changed = api.patch(f"/content-items/{item.pk}", {"excerpt": "x"})
    assert (changed.status_code, changed.json()["data"]["status"]) == (200, "published")


def test_one_item_that_cannot_be_published_holds_up_no_other(api: Api) -> None:
    later = timezone.now() + timedelta(hours=1)
    items = [make_item(status="scheduled", published_at=later) for _ in range(3)]
    for item in items:
        due(item)
    ContentItem.objects.filter(pk=items[0].pk).update(data={})
    assert publish_due_items() == 3


def test_run_due_publishes_them(api: Api) -> None:
    from django.core.management import call_command

    item = make_item(status="scheduled", published_at=timezone.now() + timedelta(hours=1))
    due(item)
    call_command("run_due", verbosity=0, in_process=True)
    assert api.data(f"/content-items/{item.pk}")["status"] == "published"
