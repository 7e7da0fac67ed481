"""Dishes in the site's search, the sitemap and the footer; and their pictures in the library."""

from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import switch_feature
from cms_api.media.services.library import delete_media, references
from commerce.restaurant.services import delete_dish, save_category, save_dish
from tests.builders import make_image

from .builders import make_dish

pytestmark = pytest.mark.django_db


def html(path: str, **query: Any) -> str:
    return Client().get(path, query).content.decode()


def url(dish: Any) -> str:
    return f"/menu/items/{dish.pk}"


@pytest.mark.both_databases
def test_the_search_of_the_site_finds_dishes() -> None:
    risotto = make_dish("Nettle risotto", description="With aged pecorino.")
    hidden = make_dish("Hidden risotto", is_visible=False)
    for words in ("nettle", "pecorino", "mains"):
        assert url(risotto) in html("/search", q=words)
    assert url(hidden) not in html("/search", q="risotto")
    assert "Dish" in html("/search", q="nettle")


@pytest.mark.both_databases
def test_the_search_follows_changes() -> None:
    dish = make_dish("Nettle risotto")
    assert url(dish) in html("/search", q="nettle")
    save_dish(dish=dish, values={"name": "Bean stew"})
    assert url(dish) not in html("/search", q="nettle")
    save_category(category=dish.category, values={"name": "Stews and braises"})
    assert url(dish) in html("/search", q="braises")
    save_category(category=dish.category, values={"is_visible": False})
    assert url(dish) not in html("/search", q="braises")
    save_category(category=dish.category, values={"is_visible": True})
    delete_dish(dish=dish)
    assert "Bean stew" not in html("/search", q="braises")


def test_the_sitemap_has_the_menu_and_its_dishes() -> None:
    shown, hidden = make_dish(), make_dish(is_visible=False)
    out = make_dish(is_available=False)
    sitemap = html("/sitemap.xml")
    for path in ("/menu<", f"{url(shown)}<", f"{url(out)}<"):
        assert path in sitemap
    assert f"{url(hidden)}<" not in sitemap
    added = make_dish()
    assert f"{url(added)}<" in html("/sitemap.xml")


def test_no_trace_while_the_restaurant_is_off() -> None:
    dish = make_dish("Nettle risotto")
    assert 'href="/menu"' in html("/search")
    switch_feature(name="restaurant", on=False)
    assert "/menu" not in html("/sitemap.xml")
    assert "/menu" not in html("/search", q="nettle")
    for path in ("/menu", url(dish), "/menu/cart", "/menu/checkout"):
        assert Client().get(path, follow=True).status_code == 404


def test_a_deleted_picture_disappears_from_its_dishes() -> None:
    image, other = make_image("a.png"), make_image("b.png")
    pizza, soup = make_dish("Pizza", image=image.pk), make_dish("Soup", image=other.pk)
    assert [(each.label, each.use) for each in references(media=image)] == [("Pizza", "Picture")]
    before = html("/menu"), html(url(pizza))
    assert "dish-page__picture" in before[1]
    delete_media(media=image)
    pizza.refresh_from_db()
    soup.refresh_from_db()
    assert (pizza.image, soup.image_id) == (None, other.pk)
    after = html("/menu"), html(url(pizza))
    assert before[0] != after[0]
    assert "dish-page__picture" not in after[1]
    assert references(media=image) == []
