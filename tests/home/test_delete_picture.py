"""A picture that is deleted leaves every page: those it was chosen for, those an integration put it on, and drafts."""

from typing import Any

import pytest
from django.test import Client
from wagtail.models import Page

from cms_api.media.services.library import delete_media, references
from home.models import PageImage, Row, SharedRow, Theme
from home.services import set_page_image
from tests.builders import make_image, make_page, make_shared_row

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]


def hero(**values: Any) -> dict[str, Any]:
    return {"type": "hero", "value": {"heading": "By the river", **values}}


def seen(client: Client, path: str = "/about/") -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def stored(page: Any) -> Any:
    return Page.objects.get(pk=page.pk).specific


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    image = make_image(width=900, height=600)
    page = make_page(hero(image=image.pk), title="About")
    assert "site/slots/hero.svg" not in seen(client)
    assert [(found.label, found.use) for found in references(media=image)] == [("About", "Hero: Picture")]
    delete_media(media=image)
    assert "site/slots/hero.svg" in seen(client)
    assert stored(page).rows[0].value["image"] is None
    assert Row.objects.get(kind="hero").slots[0]["media_id"] is None


def test_what_an_integration_had_set_gives_way_to_the_rows_own(client: Client) -> None:
    own, other = make_image(width=900, height=600), make_image(width=900, height=600)
    page = make_page(hero(image=own.pk), title="About")
    set_page_image(row=Row.objects.get(kind="hero"), key="image", media_id=other.pk)
    seen(client)
    (found,) = references(media=other)
    assert (found.label, found.use, found.address) == ("About", "Set by an integration", f"/admin/pages/{page.pk}/edit/")
    delete_media(media=other)
    assert not PageImage.objects.exists()
    html = seen(client)
    assert any(rendition.file.name in html for rendition in own.renditions.all())


def test_a_shared_row_loses_it_on_every_page(client: Client) -> None:
    image = make_image(width=900, height=600)
    row = make_shared_row(hero(image=image.pk), name="Visit")
    for title in ("One", "Two"):
        make_page({"type": "shared", "value": {"row": row.pk}}, title=title)
        seen(client, f"/{title.lower()}/")
    assert [found.label for found in references(media=image)] == ["Visit"]
    delete_media(media=image)
    assert SharedRow.objects.get().rows[0].value["image"] is None
    for path in ("/one/", "/two/"):
        assert "site/slots/hero.svg" in seen(client, path)


def test_a_draft_does_not_bring_it_back() -> None:
    image = make_image()
    page = make_page(hero(), title="About")
    page.rows[0].value["image"] = image
    page.rows[0].value["heading"] = "A draft"
    page.save_revision()
    assert [found.label for found in references(media=image)] == ["About"]
    delete_media(media=image)
    draft = stored(page).get_latest_revision_as_object()
    assert draft.rows[0].value["image"] is None
    assert draft.rows[0].value["heading"] == "A draft"
    draft.save_revision().publish()
    assert stored(page).rows[0].value["heading"] == "A draft"


def test_parts_of_a_row(client: Client) -> None:
    image, kept = make_image(), make_image()
    pictures = [{"picture": image.pk, "alt": "", "caption": ""}, {"picture": kept.pk, "alt": "", "caption": ""}]
    page = make_page({"type": "gallery", "value": {"heading": "", "pictures": pictures}}, title="About")
    assert [found.use for found in references(media=image)] == ["Gallery: Picture 1"]
    delete_media(media=image)
    left = stored(page).rows[0].value["pictures"]
    assert [part["picture"] for part in left] == [None, kept]


def test_a_logo(client: Client) -> None:
    image = make_image(width=90, height=60)
    make_page(title="About")
    theme = Theme.load()
    theme.logo = image
    theme.save()
    assert "variants" in seen(client)
    assert [found.use for found in references(media=image)] == ["Logo"]
    delete_media(media=image)
    assert "variants" not in seen(client)


def test_what_uses_another_is_left_alone() -> None:
    image, other = make_image(), make_image()
    page = make_page(hero(image=other.pk), title="About")
    before = stored(page).latest_revision_id, Row.objects.values().get(kind="hero")
    delete_media(media=image)
    assert stored(page).rows[0].value["image"].pk == other.pk
    assert (stored(page).latest_revision_id, Row.objects.values().get(kind="hero")) == before


@pytest.mark.both_databases
def test_a_change_of_the_picture_shows_at_once(client: Client) -> None:
    image = make_image(width=900, height=600)
    make_page(hero(image=image.pk), title="About")
    assert 'alt="A heron"' not in seen(client)
    image.alt = "A heron"
    image.save()
    assert 'alt="A heron"' in seen(client)
