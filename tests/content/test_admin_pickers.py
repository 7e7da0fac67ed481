"""Pictures and files that are picked from the media library are stored as their paths."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from cms_api.content.admin.inputs.pickers import FileWidget, ImageWidget, ItemWidget
from cms_api.content.models import ContentItem
from cms_api.flags.services import switch_feature
from cms_api.media.models import MediaFile, MediaImage
from tests.builders import field, make_item, make_type

from .test_admin_forms import edit_url, open_form

pytestmark = pytest.mark.django_db


@pytest.fixture
def image(monkeypatch: pytest.MonkeyPatch) -> MediaImage:
    """A picture whose thumbnails need not be made: Wagtail would leave their temporary files open."""
    thumbnail = SimpleNamespace(url="/media/variants/harbour.jpg", width=40, height=30)
    monkeypatch.setattr(MediaImage, "get_rendition", lambda self, spec: thumbnail)
    return MediaImage.objects.create(title="Harbour", alt="The harbour", file="media/2026/03/harbour 1.jpg", width=40, height=30)


@pytest.fixture
def file() -> MediaFile:
    return MediaFile.objects.create(title="Prices", file="media/2026/03/prices.pdf")


def test_what_is_picked_is_stored_as_its_path(admin_client: Client, image: MediaImage, file: MediaFile) -> None:
    item = make_item(make_type(field("pic", "image"), field("doc", "file"), field("pics", "gallery")))
    sent: dict[str, Any] = {
        "data__pic": ["", f"media:{image.pk}"],
        "data__doc": ["", f"media:{file.pk}"],
        "data__pics": ["", "media/2026/03/x.jpg", f"media:{image.pk}"],
        "featured_media": str(image.pk),
        "action-publish": "1",
    }
    assert admin_client.post(edit_url(item), open_form(admin_client, edit_url(item), **sent)).status_code == 302
    item.refresh_from_db()
    path = image.file.name
    assert (item.data["pic"], item.data["doc"]) == (path, file.file.name)
    assert item.data["pics"] == ["media/2026/03/x.jpg", path]
    assert item.featured_media_id == image.pk
    page = admin_client.get(edit_url(item)).content.decode()
    assert f"/admin/images/{image.pk}/" in page
    assert f"/admin/documents/edit/{file.pk}/" in page
    assert page.count("/media/variants/harbour.jpg") == 3


def test_what_is_not_in_the_library_is_refused(admin_client: Client, file: MediaFile) -> None:
    item = make_item(make_type(field("pic", "image"), field("to", "relation")))
    for name, value in {"data__pic": f"media:{file.pk}", "data__to": "999999"}.items():
        sent = {name: ["", value], "action-publish": "1"}
        answer = admin_client.post(edit_url(item), open_form(admin_client, edit_url(item), **sent))
        assert set(answer.context["form"].errors) == {name}
    assert ContentItem.objects.get(pk=item.pk).data["pic"] is None


def test_emptying_a_list(admin_client: Client) -> None:
    other = make_item()
    item = make_item(make_type(field("pics", "gallery"), field("to", "relation")), data={"pics": ["media/a.jpg"], "to": other.pk})
    emptied = {"data__pics": [""], "data__to": [""], "action-publish": "1"}
    admin_client.post(edit_url(item), open_form(admin_client, edit_url(item), **emptied))
    item.refresh_from_db()
    assert (item.data["pics"], item.data["to"]) == ([], None)


def test_an_item_of_a_type_that_is_off_is_kept_without_a_link() -> None:
    shown, hidden = make_item(title="Mill"), make_item(make_type(feature="shop", name="Wares"), title="Vase")
    first, second = ItemWidget(multiple=True).entries([shown.pk, hidden.pk])
    assert (first["title"], first["edit_url"]) == (f"Mill ({shown.type.name})", edit_url(shown))
    assert second == {"value": hidden.pk, "title": "Vase (hidden)", "edit_url": "", "preview": ""}
    switch_feature(name="shop", on=True)
    (entry,) = ItemWidget(multiple=True).entries([hidden.pk])
    assert (entry["title"], entry["edit_url"]) == ("Vase (Wares)", edit_url(hidden))


@pytest.mark.parametrize("widget", [ImageWidget, FileWidget, ItemWidget])
def test_lists_of_any_length_take_the_same_queries(widget: Any, django_assert_num_queries: Any) -> None:
    values: list[Any] = [1, 2, 3] if widget is ItemWidget else ["media/a.jpg", "media/b.jpg"]
    widget(multiple=True).entries(values)
    with django_assert_num_queries(1):
        widget(multiple=True).entries(values)


def test_the_address_of_a_picture_for_rich_text(admin_client: Client, image: MediaImage) -> None:
    answer = admin_client.get(f"/admin/content/items/picture/{image.pk}/")
    assert answer.json() == {"src": "/media/media/2026/03/harbour%201.jpg", "alt": "The harbour"}
