"""The page row of the menu: the first category, or a chosen one, and gone without dishes."""

from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import switch_feature
from commerce.restaurant.services import delete_dish, save_category, switch_dish
from tests.builders import make_page

from .builders import make_dish

pytestmark = pytest.mark.django_db


def row(**values: object) -> dict[str, object]:
    return {"type": "menu", "value": {"heading": "", "category": "", "link": True, **values}}


def main(page: Any) -> str:
    return Client().get(page.url).content.decode().partition("<main")[2].partition("</main")[0]


def shown(**values: object) -> str:
    return main(make_page(row(**values)))


@pytest.mark.both_databases
def test_it_works() -> None:
    starters = save_category(values={"name": "Starters", "position": 0})
    soup = make_dish("Soup", category=starters, price=700, allergens=["celery"])
    make_dish("Secret", category=starters, is_visible=False)
    make_dish("Risotto", category=save_category(values={"name": "Mains", "position": 1}))
    page = shown()
    for words in ("Starters", "Soup", "$7.00", "Contains: Celery", f'href="/menu/items/{soup.pk}"', 'href="/menu"'):
        assert words in page
    for words in ("Risotto", "Secret"):
        assert words not in page


def test_of_a_category() -> None:
    make_dish("Soup", category=save_category(values={"name": "Starters", "position": 0}))
    mains = save_category(values={"name": "Mains", "position": 1})
    make_dish("Risotto", category=mains)
    page = shown(category=str(mains.pk), heading="From the stove", link=False)
    assert "From the stove" in page
    assert "Risotto" in page
    for words in ("Soup", "Mains", 'href="/menu"'):
        assert words not in page
    assert "<section" not in shown(category="99999")


def test_it_changes_with_the_dishes_and_hides_with_the_restaurant() -> None:
    page = make_page(row())
    assert "row--items" not in main(page)
    dish = make_dish("Soup")
    assert "Soup" in main(page)
    switch_dish(dish=dish, available=False)
    assert "Sold out" in main(page)
    delete_dish(dish=dish)
    assert "row--items" not in main(page)
    make_dish("Stew")
    switch_feature(name="restaurant", on=False)
    assert "Stew" not in main(page)
