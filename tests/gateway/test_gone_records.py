"""The admin's answers about a record that somebody else deletes while a page is open or a form is on its way."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from cms_api.content.admin import items as item_pages
from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item
from cms_api.core.not_found import NotFound
from cms_api.media.models import MediaImage
from cms_api.media.services import library
from tests.builders import make_item
from tests.content.test_public_pages import make_image

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.usefixtures("without_menu")]


def said(answer: Any) -> list[str]:
    return [str(message).strip() for message in get_messages(answer.wsgi_request)]


def test_a_record_that_is_changed_is_not_found(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(**named: Any) -> None:
        raise NotFound

    item = make_item()
    monkeypatch.setattr(item_pages.items, "unpublish_item", gone)
    assert admin_client.post(f"/admin/content/items/unpublish/{item.pk}/").status_code == 404


def test_a_second_click_on_delete_leads_to_the_list(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    item = make_item(title="Harbour")

    def meanwhile(*, item: ContentItem, user: Any) -> None:
        delete_item(item=ContentItem.objects.get(pk=item.pk))
        delete_item(item=item, user=user)

    monkeypatch.setattr(item_pages.items, "delete_item", meanwhile)
    answer = admin_client.post(f"/admin/content/items/delete/{item.pk}/")
    assert (answer.status_code, said(answer)) == (302, ["“Harbour” was already deleted."])
    assert answer.headers["Location"].startswith("/admin/content/items/")


def test_files_are_deleted_although_one_of_them_is_gone(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    images = [make_image(title=f"Picture {number}") for number in range(3)]
    deleted: list[int] = []
    delete: Callable[..., None] = library.delete_media

    def meanwhile(*, media: Any) -> None:
        if not deleted:
            delete(media=MediaImage.objects.get(pk=media.pk))
        deleted.append(media.pk)
        delete(media=media)

    monkeypatch.setattr(library, "delete_media", meanwhile)
    ids = "&".join(f"id={image.pk}" for image in images)
    assert admin_client.post(f"/admin/bulk/media/mediaimage/delete/?{ids}&next=/admin/images/").status_code == 302
    assert deleted == [image.pk for image in images]
    assert not MediaImage.objects.exists()


def test_a_file_that_is_gone_is_not_found(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    image = make_image()

    def gone(*, media: Any) -> None:
        raise NotFound

    monkeypatch.setattr(library, "delete_media", gone)
    assert admin_client.post(f"/admin/images/{image.pk}/delete/").status_code == 404
