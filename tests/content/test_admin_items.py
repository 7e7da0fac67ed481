"""Items in the admin: drafts, publishing, versions, previews, deletion, and refusals at the right field."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.content.models import ContentItem
from cms_api.content.services.items import publish_item
from cms_api.content.services.types import save_type
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from tests import people
from tests.builders import field, make_item, make_type
from tests.client import Api

from .test_admin_forms import edit_url, open_form, sent_by

pytestmark = pytest.mark.django_db

PUBLISH = {"action-publish": "1"}


def add(client: Client, item_type: Any, **typed: Any) -> Any:
    url = f"/admin/content/items/add/?type={item_type.slug}"
    return client.post(url, open_form(client, url, **typed))


def save(client: Client, item: ContentItem, **typed: Any) -> Any:
    return client.post(edit_url(item), open_form(client, edit_url(item), **typed))


def local(moment: dt.datetime) -> str:
    return timezone.localtime(moment).strftime("%Y-%m-%d %H:%M")


def reloaded(item: ContentItem) -> ContentItem:
    return ContentItem.objects.get(pk=item.pk)


def test_a_draft_is_made_and_stays_in_the_editor(admin_client: Client) -> None:
    item_type = make_type(field("body", "text", required=True))
    answer = add(admin_client, item_type, data__title="Hello there")
    item = ContentItem.objects.get(type=item_type)
    assert answer.url == edit_url(item)
    assert (item.status, item.title, item.slug) == ("draft", "Hello there", "hello-there")
    assert item.data == {"title": "Hello there", "body": None}


def test_publishing_needs_what_the_type_requires_and_leaves_nothing_behind(admin_client: Client) -> None:
    item_type = make_type(field("body", "text", required=True))
    answer = add(admin_client, item_type, data__title="Hello", **PUBLISH)
    assert answer.status_code == 200
    assert answer.context["form"].errors == {"data__body": ["This field is required."]}
    assert not ContentItem.objects.filter(type=item_type).exists()


def test_publishing(admin_client: Client, api: Api) -> None:
    item_type = make_type()
    answer = add(admin_client, item_type, data__title="News", meta_title="For engines", slug="own-slug", **PUBLISH)
    assert answer.url == f"/admin/content/items/?type={item_type.slug}"
    item = ContentItem.objects.get(type=item_type)
    record = api.data(f"/content-items/{item.pk}")
    assert (record["status"], record["slug"], record["meta_title"]) == ("published", "own-slug", "For engines")
    actions = ModelLogEntry.objects.filter(object_id=str(item.pk)).values_list("action", flat=True)
    assert set(actions) == {"wagtail.create", "wagtail.publish"}


def test_a_draft_of_a_public_item_changes_nothing_for_readers(admin_client: Client, api: Api) -> None:
    item_type = make_type(field("body", "text"))
    item = make_item(item_type, data={"body": "public"})
    before = api.data(f"/content-items/{item.pk}")
    later = local(timezone.now() + dt.timedelta(days=3))
    assert save(admin_client, item, data__body="draft", slug="other", excerpt="New", published_at=later).status_code == 302
    assert api.data(f"/content-items/{item.pk}") == before
    assert reloaded(item).has_unpublished_changes
    shown = sent_by(admin_client.get(edit_url(item)))
    assert (shown["data__body"], shown["slug"], shown["excerpt"]) == (["draft"], ["other"], ["New"])
    assert shown["published_at"] == [later]


def test_a_second_draft_keeps_what_the_first_one_changed(admin_client: Client) -> None:
    item = make_item(make_type(field("one", "text"), field("two", "text")), data={"one": "1", "two": "2"})
    save(admin_client, item, data__one="changed")
    save(admin_client, item, data__two="changed")
    assert reloaded(item).data["one"] == "1"
    save(admin_client, item, **PUBLISH)
    assert reloaded(item).data == {"title": item.title, "one": "changed", "two": "changed"}


def test_scheduling_and_calling_it_off(admin_client: Client) -> None:
    item_type = make_type()
    later = timezone.now().replace(second=0, microsecond=0) + dt.timedelta(days=2)
    add(admin_client, item_type, data__title="Later", published_at=local(later), **PUBLISH)
    item = ContentItem.objects.get(type=item_type)
    assert (item.status, item.published_at) == ("scheduled", later)
    page = admin_client.get(edit_url(item)).content.decode()
    assert "This item will be published on" in page
    assert "No publishing schedule set" not in page
    assert f"/admin/content/items/unpublish/{item.pk}/" in page
    assert admin_client.post(f"/admin/content/items/unpublish/{item.pk}/").status_code == 302
    assert reloaded(item).status == "unpublished"


def test_a_scheduled_item_can_be_published_now(admin_client: Client) -> None:
    item = make_item(make_type(), status="scheduled", published_at=timezone.now() + dt.timedelta(days=2))
    assert save(admin_client, item, published_at="", **PUBLISH).status_code == 302
    assert reloaded(item).status == "published"
    assert reloaded(item).published_at <= timezone.now()


def test_a_scheduled_item_published_with_a_date_in_the_past(admin_client: Client) -> None:
    item = make_item(make_type(), status="scheduled", published_at=timezone.now() + dt.timedelta(days=2))
    assert save(admin_client, item, published_at="2026-01-01 10:00", **PUBLISH).status_code == 302
    assert (reloaded(item).status, local(reloaded(item).published_at)) == ("published", "2026-01-01 10:00")


def test_saving_keeps_the_seconds_of_the_date(admin_client: Client) -> None:
    moment = timezone.now() - dt.timedelta(days=1, seconds=17)
    item = make_item(make_type(), published_at=moment)
    save(admin_client, item, **PUBLISH)
    assert reloaded(item).published_at == moment


def test_an_item_of_an_hour_that_comes_twice_can_be_saved(admin_client: Client) -> None:
    set_setting(key="site.timezone", value="Europe/Paris")
    for hour in (0, 1):
        moment = dt.datetime(2026, 10, 25, hour, 30, tzinfo=dt.UTC)
        item = make_item(make_type(), published_at=moment)
        assert save(admin_client, item, **PUBLISH).status_code == 302
        assert reloaded(item).published_at == moment


def test_unpublishing(admin_client: Client, api: Api) -> None:
    item = make_item(make_type())
    assert admin_client.get(f"/admin/content/items/unpublish/{item.pk}/").status_code == 200
    admin_client.post(f"/admin/content/items/unpublish/{item.pk}/")
    assert api.data(f"/content-items/{item.pk}")["status"] == "unpublished"


def test_deleting(admin_client: Client, api: Api) -> None:
    linked = make_item(make_type())
    source = make_item(make_type(field("to", "relation")), data={"to": linked.pk})
    url = f"/admin/content/items/delete/{linked.pk}/"
    assert admin_client.get(url).status_code == 200
    assert admin_client.post(url).status_code == 302
    assert api.get(f"/content-items/{linked.pk}").status_code == 404
    assert reloaded(source).data["to"] is None


def test_deleting_several(admin_client: Client) -> None:
    item_type = make_type()
    first, second, third = make_item(item_type), make_item(item_type), make_item()
    listing = f"/admin/content/items/?type={item_type.slug}"
    base = "/admin/bulk/content/contentitem/delete/"
    assert admin_client.get(base, {"id": [first.pk], "next": listing}).status_code == 200
    admin_client.post(f"{base}?id={first.pk}&next={listing}")
    assert set(ContentItem.objects.all()) == {second, third}
    admin_client.post(f"{base}?id=all&type=nonsense&next={listing}")
    assert ContentItem.objects.count() == 2
    admin_client.post(f"{base}?id=all&type={item_type.slug}&q=nothing&next={listing}")
    assert ContentItem.objects.count() == 2
    admin_client.post(f"{base}?id=all&type={item_type.slug}&next={listing}")
    assert set(ContentItem.objects.all()) == {third}


def bulk(client: Client, action: str, *items: ContentItem) -> str:
    """Do something with items of the list, and return the messages of the page that follows."""
    chosen = "&".join(f"id={item.pk}" for item in items)
    url = f"/admin/bulk/content/contentitem/{action}/?{chosen}&next=/admin/content/items/"
    assert client.get(url).status_code == 200
    page = client.post(url, follow=True)
    return " ".join(str(message) for message in page.context["messages"])


def test_publishing_several_reports_those_that_are_refused(admin_client: Client) -> None:
    item_type = make_type(field("body", "text", required=True), name="Blog post", name_plural="Blog")
    whole = [make_item(item_type, status=status, data={"body": "Text"}) for status in ("draft", "unpublished", "published")]
    add(admin_client, item_type, data__title="Half a post")
    half = ContentItem.objects.get(title="Half a post")
    said = bulk(admin_client, "publish", *whole, half)
    assert "2 blog posts published. 1 unchanged." in said
    assert "1 blog post could not be published. Half a post: The body field is required." in said
    assert [reloaded(item).status for item in (*whole, half)] == ["published"] * 3 + ["draft"]
    assert ModelLogEntry.objects.filter(object_id=str(whole[0].pk), action="wagtail.publish").exists()


def test_publishing_several_publishes_their_drafts_and_keeps_their_dates(admin_client: Client) -> None:
    item_type = make_type(field("body", "text"))
    changed = make_item(item_type, data={"body": "public"})
    save(admin_client, changed, data__body="draft")
    dated = make_item(item_type, status="draft", published_at=timezone.now() + dt.timedelta(days=2))
    scheduled = make_item(item_type, status="scheduled", published_at=timezone.now() + dt.timedelta(days=2))
    bulk(admin_client, "publish", changed, dated, scheduled)
    assert reloaded(changed).data["body"] == "draft"
    assert not reloaded(changed).has_unpublished_changes
    assert (reloaded(dated).status, reloaded(scheduled).status) == ("scheduled", "scheduled")


def test_an_item_that_was_changed_since_it_was_read_is_not_published(admin_client: Client) -> None:
    item = make_item(make_type(field("body", "text")), data={"body": "public"})
    save(admin_client, item, data__body="first")
    stale = ContentItem.objects.get(pk=item.pk)
    save(admin_client, item, data__body="second")
    with pytest.raises(Invalid, match="changed meanwhile"):
        publish_item(item=stale)
    assert publish_item(item=reloaded(item))
    assert reloaded(item).data["body"] == "second"


def test_unpublishing_and_deleting_several(admin_client: Client) -> None:
    item_type, other = make_type(name="Review", name_plural="Reviews"), make_type()
    items = [make_item(item_type), make_item(item_type, status="draft")]
    assert "1 review unpublished. 1 unchanged." in bulk(admin_client, "unpublish", *items)
    assert reloaded(items[0]).status == "unpublished"
    assert "3 content items deleted." in bulk(admin_client, "delete", *items, make_item(other))
    assert not ContentItem.objects.exists()


def test_only_those_who_may_publish_do_so(sign_in: Callable[[Any], Client]) -> None:
    writer = people.bob()
    Permission.objects.get(codename="publish_contentitem").group_set.clear()
    item = make_item(status="draft")
    client = sign_in(writer)
    client.post(f"/admin/bulk/content/contentitem/publish/?id={item.pk}&next=/admin/content/items/")
    assert reloaded(item).status == "draft"


def test_the_list_shows_statuses_as_tags(admin_client: Client) -> None:
    item = make_item()
    save(admin_client, item, data__title="Another title")
    page = admin_client.get("/admin/content/items/").content.decode()
    assert re.search(r'class="w-status records__tag--positive">\s*Published\s*</span>', page)
    assert "Unpublished changes" in page


def test_an_empty_type_offers_to_create_its_first_item(admin_client: Client) -> None:
    item_type = make_type(name="Open day", name_plural="Open days")
    url = f"/admin/content/items/?type={item_type.slug}"
    assert "Create the first open day" in admin_client.get(url).content.decode()
    make_item(item_type)
    page = admin_client.get(f"{url}&status=draft").content.decode()
    assert "Create the first" not in page


def test_a_refused_form_opens_the_tab_with_the_first_mistake(admin_client: Client) -> None:
    item_type = make_type(field("mail", "email"))
    item = make_item(item_type)
    make_item(item_type, slug="taken")
    opened = 'data-w-tabs-active-panel-id-value="tab-{}"'.format
    assert "data-w-tabs-active-panel-id-value" not in admin_client.get(edit_url(item)).content.decode()
    assert opened("promote") in save(admin_client, item, slug="taken").content.decode()
    assert opened("content") in save(admin_client, item, slug="taken", data__mail="nonsense").content.decode()


@pytest.mark.parametrize("action", [{}, PUBLISH])
def test_a_refusal_stands_at_its_field(admin_client: Client, action: dict[str, str]) -> None:
    item_type = make_type(field("mail", "email"), field("when", "datetime"), field("where", "address"))
    make_item(item_type, slug="taken")
    item = make_item(item_type)
    typed = {"data__mail": "nonsense", "data__when-start_time": "10:00", "data__where-latitude": "91", "slug": "taken"}
    answer = save(admin_client, item, **typed, **action)
    assert answer.status_code == 200
    assert set(answer.context["form"].errors) == {"data__mail", "data__when", "data__where", "slug"}
    assert answer.context["form"].errors["slug"] == ["The slug has already been taken."]
    assert "The mail field must be a valid email address." in answer.content.decode()


def test_a_refusal_found_only_while_saving_stands_at_its_field(admin_client: Client) -> None:
    item_type = make_type(field("code", "text", unique=True))
    make_item(item_type, data={"code": "X"})
    answer = add(admin_client, item_type, data__title="Other", data__code="X", **PUBLISH)
    assert answer.context["form"].errors == {"data__code": ["The code has already been taken."]}
    item = make_item(item_type, data={"code": "Y"})
    answer = save(admin_client, item, data__code="X", **PUBLISH)
    assert answer.context["form"].errors == {"data__code": ["The code has already been taken."]}
    assert sent_by(answer)["data__code"] == ["X"]
    sent = open_form(admin_client, edit_url(item), data__code="X", **PUBLISH)
    answer = admin_client.post(edit_url(item), sent, HTTP_ACCEPT="application/json")
    assert (answer.status_code, answer.json()["error_code"]) == (400, "validation_error")
    assert ContentItem.objects.filter(type=item_type).count() == 2


def test_formatting_that_was_not_kept_is_named(admin_client: Client, api: Api) -> None:
    item = make_item(make_type(field("body", "richtext_tiptap")), data={"body": "<p>first</p>"})
    answer = save(admin_client, item, data__body='<p style="color:red"><font>a</font></p>')
    page = admin_client.get(answer.url).content.decode()
    assert "Body: &lt;p style&gt;, &lt;font&gt; was not kept." in page
    sent = api.patch(f"/content-items/{item.pk}", {"data": {"body": '<p onclick="x"><font>a</font> <del>b</del></p>'}}).json()
    assert sent["data"]["fields"]["body"] == "<p>a <del>b</del></p>"
    assert sent["meta"]["ignored"] == ["data.body.<p onclick>", "data.body.<font>"]


def test_comparing_and_reverting(admin_client: Client) -> None:
    item_type = make_type(field("body", "richtext_tiptap"), field("tags", "checkbox", options=[{"value": "a", "label": "Apple"}]))
    item = make_item(item_type, data={"body": "<p>first version</p>"})
    first = item.latest_revision
    save(admin_client, item, data__body="<p>second version</p>", data__tags=["a"], **PUBLISH)
    second = reloaded(item).latest_revision
    base = f"/admin/content/items/history/{item.pk}/"
    assert "second" in admin_client.get(f"{base}revisions/compare/{first.pk}...{second.pk}/").content.decode()
    assert "Apple" in admin_client.get(f"{base}revisions/compare/earliest...live/").content.decode()
    assert admin_client.get(base).status_code == 200
    revert = f"{base}revisions/{first.pk}/revert/"
    data = open_form(admin_client, revert)
    assert data["data__body"] == ["<p>first version</p>"]
    assert admin_client.post(revert, {**data, **PUBLISH}).status_code == 302
    assert reloaded(item).data["body"] == "<p>first version</p>"
    assert reloaded(item).data["tags"] == []


def test_reverting_to_a_draft_leaves_the_public_version(admin_client: Client) -> None:
    item = make_item(make_type(field("body", "text")), data={"body": "1"})
    first = item.latest_revision
    save(admin_client, item, data__body="2", **PUBLISH)
    revert = f"/admin/content/items/history/{item.pk}/revisions/{first.pk}/revert/"
    admin_client.post(revert, open_form(admin_client, revert))
    assert reloaded(item).data["body"] == "2"
    assert reloaded(item).get_latest_revision_as_object().data["body"] == "1"


def test_previewing_what_is_typed(admin_client: Client) -> None:
    item_type = make_type(field("body", "richtext_tiptap"))
    item = make_item(item_type)
    for url, form_url in (
        (f"/admin/content/items/preview/?type={item_type.slug}", f"/admin/content/items/add/?type={item_type.slug}"),
        (f"/admin/content/items/preview/{item.pk}/", edit_url(item)),
    ):
        typed = open_form(admin_client, form_url, data__title="Shown", data__body="<p>As typed<script>x()</script></p>")
        assert admin_client.post(url, typed).json() == {"is_valid": True, "is_available": True}
        page = admin_client.get(url).content.decode()
        assert "As typed" in page
        assert "x()" not in page
    view = f"/admin/content/items/history/{item.pk}/revisions/{item.latest_revision_id}/view/"
    assert item.title in admin_client.get(view).content.decode()
    assert not ContentItem.objects.filter(title="Shown").exists()


def test_copying_begins_a_new_item_with_the_content(admin_client: Client) -> None:
    item = make_item(make_type(field("body", "text")), data={"body": "text"}, excerpt="Short", slug="first")
    shown = sent_by(admin_client.get(f"/admin/content/items/copy/{item.pk}/"))
    assert (shown["data__body"], shown["excerpt"], shown["slug"]) == (["text"], ["Short"], [""])
    admin_client.post(f"/admin/content/items/add/?type={item.type.slug}", shown)
    copy = ContentItem.objects.exclude(pk=item.pk).get()
    assert (copy.data, copy.status) == (item.data, "draft")


def test_autosave_keeps_drafts_of_public_items_only(admin_client: Client, api: Api) -> None:
    item_type = make_type(field("mail", "email"))
    item = make_item(item_type)
    page = admin_client.get(edit_url(item))
    assert "data-w-autosave-interval-value" in page.content.decode()
    json = {"HTTP_ACCEPT": "application/json"}
    first = admin_client.post(edit_url(item), open_form(admin_client, edit_url(item), data__title="New"), **json).json()
    assert first["success"]
    again = {"data__title": "Newer", "overwrite_revision_id": first["revision_id"]}
    second = admin_client.post(edit_url(item), open_form(admin_client, edit_url(item), **again), **json).json()
    assert second["revision_id"] == first["revision_id"]
    assert api.data(f"/content-items/{item.pk}")["title"] == item.title
    refused = admin_client.post(edit_url(item), open_form(admin_client, edit_url(item), data__mail="x"), **json)
    assert (refused.status_code, refused.json()["error_code"]) == (400, "validation_error")
    for url in (f"/admin/content/items/add/?type={item_type.slug}", edit_url(make_item(item_type, status="draft"))):
        assert "data-w-autosave-interval-value" not in admin_client.get(url).content.decode()


def test_autosave_never_overwrites_what_is_public(admin_client: Client) -> None:
    item = make_item(make_type())
    item.latest_revision.user_id = int(admin_client.session["_auth_user_id"])
    item.latest_revision.save()
    save(admin_client, item, data__title="Draft", overwrite_revision_id=str(item.latest_revision_id))
    assert reloaded(item).live_revision.content["title"] == item.title
    assert reloaded(item).latest_revision.content["title"] == "Draft"


@pytest.mark.both_databases
def test_listing_finds_and_filters(admin_client: Client) -> None:
    item_type, other = make_type(), make_type()
    found = make_item(item_type, title="Éclair au chocolat")
    make_item(item_type, title="Draft thing", status="draft")
    make_item(other, title="Elsewhere")
    owned = make_item(item_type, title="Occurrence")
    ContentItem.objects.filter(pk=owned.pk).update(owner=found)

    def listed(**query: str) -> set[str]:
        page = admin_client.get("/admin/content/items/", query)
        return {item.title for item in page.context["object_list"]}

    assert listed() == {"Éclair au chocolat", "Draft thing", "Elsewhere"}
    assert listed(type=item_type.slug) == {"Éclair au chocolat", "Draft thing"}
    assert listed(type=item_type.slug, status="draft") == {"Draft thing"}
    assert listed(q="eclair CHOC") == {"Éclair au chocolat"}
    assert admin_client.get("/admin/content/items/results/", {"q": "eclair"}).status_code == 200
    assert admin_client.get(edit_url(owned)).status_code == 404


def test_listing_takes_the_same_queries_for_many(admin_client: Client, django_assert_num_queries: Any) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    item_type = make_type()
    counts = []
    for _ in range(2):
        for _ in range(5):
            make_item(item_type)
        admin_client.get("/admin/content/items/")
        with CaptureQueriesContext(connection) as seen:
            admin_client.get("/admin/content/items/")
        counts.append(len(seen))
    assert counts[0] == counts[1]


def test_the_chooser_offers_items_by_type_and_words(admin_client: Client) -> None:
    item_type = make_type()
    item, other = make_item(item_type, title="Wanted thing"), make_item(title="Other")
    page = admin_client.get("/admin/content/items/choose/", {"q": "want"}).json()["html"]
    assert "Wanted thing" in page
    assert "Other" not in page
    results = admin_client.get("/admin/content/items/choose/results/", {"type": item_type.pk}).content.decode()
    assert "Wanted thing" in results
    assert other.title not in results
    chosen = admin_client.get(f"/admin/content/items/choose/chosen/{item.pk}/").json()["result"]
    assert chosen == {"id": str(item.pk), "string": f"Wanted thing ({item_type.name})", "edit_url": edit_url(item)}


def test_a_type_without_pages_has_no_preview(admin_client: Client) -> None:
    item = make_item(make_type(has_detail=False))
    assert "w-preview" not in admin_client.get(edit_url(item)).content.decode()


def test_a_new_item_begins_with_the_defaults(admin_client: Client) -> None:
    item_type = make_type(field("note", "text", default="Begin"), field("on", "boolean", default=True))
    shown = sent_by(admin_client.get(f"/admin/content/items/add/?type={item_type.slug}"))
    assert (shown["data__note"], shown["data__on"]) == (["Begin"], ["on"])


def test_the_type_can_be_changed_while_an_item_is_edited(admin_client: Client) -> None:
    item_type = make_type(field("gone", "text"))
    item = make_item(item_type, data={"gone": "kept"})
    data = open_form(admin_client, edit_url(item), data__title="After", **PUBLISH)
    save_type(item_type=item_type, values={"fields": item_type.fields[:1]})
    assert admin_client.post(edit_url(item), data).status_code == 302
    assert reloaded(item).data == {"title": "After", "gone": "kept"}


def test_an_item_without_versions_can_be_edited(admin_client: Client) -> None:
    item = make_item(make_type(field("body", "text")), data={"body": "1"})
    item.revisions.all().delete()
    assert save(admin_client, item, data__body="2").status_code == 302
    assert reloaded(item).data["body"] == "1"
    assert save(admin_client, item, **PUBLISH).status_code == 302
    assert reloaded(item).data["body"] == "2"
