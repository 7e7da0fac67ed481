"""The panel of a page's form: which pictures integrations have set, and giving a place back to the row's own picture."""

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags
from wagtail.models import GroupPagePermission

from home.models import PageImage, Row
from home.services import set_page_image
from tests import people
from tests.builders import make_image, make_page, make_shared_row

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

HEADING = "Images set through the API"
HERO = {"type": "hero", "value": {"heading": "By the river"}}


@pytest.fixture
def page() -> Any:
    return make_page(HERO, title="About")


def put(row: Row, **values: Any) -> Any:
    image = make_image(width=300, height=200)
    set_page_image(row=row, key="image", media_id=image.pk, **values)
    return image


def form(client: Client, page: Any) -> str:
    answer = client.get(reverse("wagtailadmin_pages:edit", args=[page.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def words(html: str) -> str:
    return " ".join(unescape(strip_tags(html)).split())


def give_back(page: Any, row: Row, key: str = "image") -> str:
    return reverse("page_pictures:give_back", args=[page.pk, row.slug, key])


@pytest.mark.both_databases
def test_it_works(admin_client: Client, page: Any) -> None:
    assert HEADING not in form(admin_client, page)
    row = Row.objects.get(kind="hero")
    image = put(row, alt="A heron", alt_sent=True)
    shown = form(admin_client, page)
    assert HEADING in shown
    assert "Hero (row 1) Picture A heron Reset" in words(shown)
    assert image.get_rendition("max-165x165").url in shown
    address = give_back(page, row)
    assert address in shown
    asked = admin_client.get(address).content.decode()
    assert "Reset to the row's own image?" in asked
    assert "a placeholder until an editor chooses an image" in words(asked)
    assert PageImage.objects.exists()
    before = admin_client.get("/about/").content
    assert b"A heron" in before
    answer = admin_client.post(address)
    assert (answer.status_code, answer["Location"]) == (302, reverse("wagtailadmin_pages:edit", args=[page.pk]))
    assert not PageImage.objects.exists()
    assert HEADING not in form(admin_client, page)
    after = admin_client.get("/about/").content
    assert b"A heron" not in after
    assert b"site/slots/hero.svg" in after
    assert admin_client.get(address).status_code == 404


def test_a_text_alone(admin_client: Client) -> None:
    own = make_image("own.png", width=300, height=200)
    page = make_page({"type": "hero", "value": {"heading": "Hello", "image": own.pk}}, title="About")
    row = Row.objects.get(kind="hero")
    set_page_image(row=row, key="image", media_id=None, alt="Two herons", alt_sent=True)
    assert "The row's own Hero (row 1) Picture Two herons Reset" in words(form(admin_client, page))
    assert "the image that an editor has chosen" in words(admin_client.get(give_back(page, row)).content.decode())
    assert admin_client.post(give_back(page, row)).status_code == 302
    assert not PageImage.objects.exists()


def test_a_shared_row(admin_client: Client) -> None:
    shared = make_shared_row(HERO, name="Opening")
    embed = {"type": "shared", "value": {"row": shared.pk}}
    page, other = make_page(embed, title="One"), make_page(embed, title="Two")
    row = Row.objects.get(shared_row=shared)
    put(row)
    for each in (page, other):
        assert "Hero (shared row “Opening”) On several pages" in words(form(admin_client, each))
    assert "all of them change" in words(admin_client.get(give_back(page, row)).content.decode())
    assert admin_client.post(give_back(other, row)).status_code == 302
    assert HEADING not in form(admin_client, page)


def test_only_places_of_the_page(admin_client: Client, page: Any) -> None:
    row = Row.objects.get(kind="hero")
    put(row)
    other = make_page(HERO, title="Other")
    assert HEADING not in form(admin_client, other)
    for address in (give_back(other, row), give_back(page, row, "portrait"), give_back(page, Row(slug="hero-000000"))):
        assert admin_client.post(address).status_code == 404
    assert PageImage.objects.exists()


def test_who_may(sign_in: Callable[[Any], Client], page: Any) -> None:
    row = Row.objects.get(kind="hero")
    put(row)
    bob = people.bob()
    for person in (bob, people.mallory_manager()):
        client = sign_in(person)
        assert "Reset" in words(form(client, page))
        assert client.get(give_back(page, row)).status_code == 200
    charlie = sign_in(people.charlie())
    assert charlie.post(give_back(page, row)).status_code in {302, 403}
    assert PageImage.objects.exists()
    GroupPagePermission.objects.filter(group__in=bob.groups.all()).delete()
    assert sign_in(bob).post(give_back(page, row)).status_code in {302, 403}
    assert PageImage.objects.exists()


def test_a_shared_row_takes_its_own_permission(sign_in: Callable[[Any], Client]) -> None:
    shared = make_shared_row(HERO)
    page = make_page({"type": "shared", "value": {"row": shared.pk}})
    row = Row.objects.get(shared_row=shared)
    put(row)
    bob = people.bob()
    bob.groups.get().permissions.remove(*bob.groups.get().permissions.filter(codename="change_sharedrow"))
    client = sign_in(bob)
    assert HEADING in form(client, page)
    assert "Reset" not in words(form(client, page))
    assert client.post(give_back(page, row)).status_code in {302, 403}
    assert PageImage.objects.exists()
