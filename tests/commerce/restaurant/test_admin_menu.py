"""Categories and dishes in the admin: the forms with options, hostile values, lists, and people who are kept out."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from commerce.restaurant.models import MenuCategory, MenuItem, Option
from commerce.restaurant.types.menu import MAX_GROUPS, MAX_OPTIONS
from tests import people
from tests.builders import make_image

from .builders import GROUPS, make_dish

pytestmark = pytest.mark.django_db

DISHES, CATEGORIES = "/admin/restaurant/dishes/", "/admin/restaurant/categories/"
BULK = "/admin/bulk/restaurant/menuitem/"


def option_row(prefix: str, **changes: str) -> dict[str, str]:
    values = {"name": "Large", "price_cents": "3.00", "is_available": "on", **changes}
    return {f"{prefix}-deleted": "", f"{prefix}-id": "", f"{prefix}-order": prefix.rpartition("-")[2]} | {
        f"{prefix}-value-{name}": value for name, value in values.items() if value != "off"
    }


def group_rows(*groups: tuple[dict[str, str], list[dict[str, str]]]) -> dict[str, str]:
    """The fields that the editor of groups sends: for each its own values, and those of its options."""
    found = {"groups_editor-count": str(len(groups))}
    for number, (changes, options) in enumerate(groups):
        prefix = f"groups_editor-{number}"
        found |= {f"{prefix}-deleted": "", f"{prefix}-order": str(number), f"{prefix}-type": "group", f"{prefix}-id": ""}
        values = {"name": "Size", "minimum": "0", "maximum": "1", **changes}
        found |= {f"{prefix}-value-{name}": value for name, value in values.items()}
        found[f"{prefix}-value-options-count"] = str(len(options))
        for place, option in enumerate(options):
            found |= option_row(f"{prefix}-value-options-{place}", **option)
    return found


def posted(*groups: tuple[dict[str, str], list[dict[str, str]]], **changes: Any) -> dict[str, Any]:
    """The fields of a dish's form."""
    category = MenuCategory.objects.first()
    if category is None:
        category = make_dish().category
        MenuItem.objects.all().delete()
    texts = {"name": "Pizza", "category": str(category.pk), "description": "", "price": "13.00", "tax_class": "standard"}
    more = {"image_chosen": "", "is_available": "on", "is_visible": "on", "position": "0"}
    return {**texts, **more, **group_rows(*groups), **changes}


def test_it_works(admin_client: Client) -> None:
    image = make_image()
    size = ({"minimum": "1"}, [{"name": "Regular", "price_cents": ""}, {}])
    extras = (
        {"name": "Extras", "maximum": "2"},
        [{"name": "Olives", "price_cents": "1"}, {"name": "Capers", "is_available": "off"}],
    )
    values = posted(size, extras, allergens=["milk", "gluten"], diets=["vegan"], image_chosen=str(image.pk))
    assert admin_client.post(f"{DISHES}new/", values).status_code == 302
    dish = MenuItem.objects.get()
    assert (dish.name, dish.price_cents, dish.allergens, dish.diets) == ("Pizza", 1300, ["gluten", "milk"], ["vegan"])
    assert dish.image_id == image.pk
    assert [(group.name, group.minimum, group.maximum) for group in dish.groups.all()] == [("Size", 1, 1), ("Extras", 0, 2)]
    assert list(Option.objects.order_by("group", "position").values_list("name", "price_cents", "is_available")) == [
        ("Regular", 0, True),
        ("Large", 300, True),
        ("Olives", 100, True),
        ("Capers", 300, False),
    ]
    edit = f"{DISHES}edit/{dish.pk}/"
    page = admin_client.get(edit).content.decode()
    for words in ('value="13.00"', "&quot;Capers&quot;", "&quot;3.00&quot;", "Price (USD)", "Options"):
        assert words in page
    kept = Option.objects.get(name="Olives").pk
    admin_client.post(edit, posted(({"name": "Extras", "maximum": "2"}, [{"name": "Olives"}]), price="14", is_visible=""))
    dish.refresh_from_db()
    assert (dish.price_cents, dish.image, dish.allergens) == (1400, None, [])
    assert list(Option.objects.values_list("pk", "name", "price_cents")) == [(kept, "Olives", 300)]


OPTION: list[dict[str, str]] = [{}]


def test_a_dish_that_makes_no_sense_is_refused(admin_client: Client) -> None:
    refused: list[dict[str, Any]] = [
        {
            "name": "a\0b",
            "category": "9" * 30,
            "price": "cheap",
            "image_chosen": "99999",
            "allergens": ["plastic"],
            "diets": ["\0"],
        },
        {"price": "nan"},
        {"price": "9" * 30},
    ]
    for values in refused:
        answer = admin_client.post(f"{DISHES}new/", posted(**values))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == values.keys()
    assert not MenuItem.objects.exists()


def test_options_that_make_no_sense_are_refused(admin_client: Client) -> None:
    refused: list[tuple[dict[str, str], list[dict[str, str]], str]] = [
        ({"name": "a\0b"}, OPTION, "Null characters"),
        ({"minimum": "2"}, OPTION, "no less than the least"),
        ({"minimum": "2", "maximum": "2"}, OPTION, "fewer options than must be chosen"),
        ({}, [], "between 1 and"),
        ({}, [{}] * (MAX_OPTIONS + 1), ""),
        ({}, [{"name": "a\0b"}], "Null characters"),
        ({}, [{}, {}], "used twice"),
        ({}, [{"price_cents": "free"}], "Enter an amount such as 1,500.00"),
        ({}, [{"price_cents": "9" * 30}], "Enter an amount of at most 999,999,999.99"),
    ]
    for group, options, sentence in refused:
        answer = admin_client.post(f"{DISHES}new/", posted((group, options)))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {"groups_editor"}, (group, options)
        assert sentence in answer.content.decode()
    assert not MenuItem.objects.exists()


@pytest.mark.parametrize("groups", [[({}, OPTION)] * 2, [({"name": str(each)}, OPTION) for each in range(MAX_GROUPS + 1)]])
def test_groups_that_make_no_sense_are_refused(groups: list[Any], admin_client: Client) -> None:
    answer = admin_client.post(f"{DISHES}new/", posted(*groups))
    assert set(answer.context["form"].errors) == {"groups_editor"}
    assert not MenuItem.objects.exists()


def test_forged_values_are_no_server_error(admin_client: Client) -> None:
    for count in ("", "x", "-1", "9" * 9):
        answer = admin_client.post(f"{DISHES}new/", posted(**{"groups_editor-count": count}))
        assert answer.status_code in {200, 302, 400}
    # Wagtail's chooser looks the picture up.
    assert admin_client.post(f"{DISHES}new/", posted(image_chosen="\0")).status_code in {200, 400}


@pytest.mark.both_databases
def test_the_list_filters_and_searches(admin_client: Client) -> None:
    soup, pizza = make_dish("Soup", is_available=False), make_dish("Pizza", description="Wood-fired")

    def shown(**query: str) -> list[str]:
        answer = admin_client.get(DISHES, query)
        assert answer.status_code == 200
        return sorted(dish.name for dish in answer.context["object_list"])

    assert shown() == ["Pizza", "Soup"]
    assert shown(is_available="False") == ["Soup"]
    assert shown(q="wood") == ["Pizza"]
    assert shown(category=str(soup.category_id)) == ["Pizza", "Soup"]
    for hostile in (
        {"is_available": "\0"},
        {"category": "x"},
        {"category": "9" * 30},
        {"q": "\0"},
        {"ordering": "\0"},
        {"p": "x"},
    ):
        assert admin_client.get(DISHES, hostile).status_code in {200, 404}
    assert f"{DISHES}sold-out/{pizza.pk}/" in admin_client.get(DISHES).content.decode()
    assert b"Wood" not in admin_client.get(DISHES, {"export": "csv"}).getvalue()


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    def statements() -> int:
        make_dish(groups=GROUPS)
        admin_client.get(DISHES)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(DISHES).status_code == 200
        return len(caught)

    few = statements()
    make_dish(groups=GROUPS)
    assert statements() <= few + 1


def test_dishes_sell_out_and_come_back(admin_client: Client) -> None:
    dish = make_dish("Soup")

    def buttons() -> set[str]:
        page = admin_client.get(DISHES).content.decode()
        return {name for name in ("sold-out", "available") if f"{DISHES}{name}/{dish.pk}/" in page}

    for action, after in (("sold-out", "available"), ("available", "sold-out")):
        assert buttons() == {action}
        # The other one is refused, and changes nothing.
        admin_client.post(f"{DISHES}{after}/{dish.pk}/")
        assert buttons() == {action}
        admin_client.post(f"{DISHES}{action}/{dish.pk}/")
        assert buttons() == {after}
    history = admin_client.get(f"{DISHES}history/{dish.pk}/").content.decode()
    assert "Marked as sold out" in history
    assert "Marked as available" in history


def test_bulk_actions(admin_client: Client) -> None:
    dishes = [make_dish(), make_dish(is_available=False)]
    kept = make_dish()
    query = "&".join(f"id={dish.pk}" for dish in dishes)
    page = admin_client.get(DISHES).content.decode()
    for action, available in (("sold_out", False), ("sold_out", False), ("available", True)):
        assert f"{BULK}{action}/" in page
        admin_client.post(f"{BULK}{action}/?{query}")
        assert set(MenuItem.objects.exclude(pk=kept.pk).values_list("is_available", flat=True)) == {available}
    admin_client.post(f"{BULK}delete/?{query}&id=99999")
    assert list(MenuItem.objects.all()) == [kept]
    assert kept.is_available


def test_categories(admin_client: Client) -> None:
    values = {"name": "Starters", "description": "Small", "is_visible": "on", "position": "2"}
    assert admin_client.post(f"{CATEGORIES}new/", values).status_code == 302
    category = MenuCategory.objects.get()
    dish = make_dish("Soup", category=category)
    page = admin_client.get(CATEGORIES).content.decode()
    assert f"{DISHES}?category={category.pk}" in page
    admin_client.post(f"{CATEGORIES}edit/{category.pk}/", {**values, "name": "Small plates", "is_visible": ""})
    category.refresh_from_db()
    assert (category.name, category.is_visible, category.position) == ("Small plates", False, 2)
    answer = admin_client.post(f"{CATEGORIES}delete/{category.pk}/", follow=True)
    assert "Move or delete the dishes of this category first." in answer.content.decode()
    dish.delete()
    admin_client.post(f"{CATEGORIES}delete/{category.pk}/")
    assert not MenuCategory.objects.exists()


def test_a_category_that_makes_no_sense_is_refused(admin_client: Client) -> None:
    good = {"name": "Starters", "description": "", "position": "0"}
    for wrong in ({"name": ""}, {"name": "a\0b"}, {"name": "x" * 121}, {"description": "\0"}, {"position": "-1"}):
        answer = admin_client.post(f"{CATEGORIES}new/", {**good, **wrong})
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == wrong.keys(), wrong
    assert not MenuCategory.objects.exists()


def test_editors_are_kept_out(sign_in: Callable[[Any], Client]) -> None:
    dish = make_dish("Soup")
    editor = sign_in(people.bob())
    for path in (DISHES, f"{DISHES}new/", f"{DISHES}edit/{dish.pk}/", CATEGORIES, f"{CATEGORIES}new/"):
        assert editor.get(path).status_code in {302, 403}
    editor.post(f"{DISHES}new/", posted())
    editor.post(f"{DISHES}edit/{dish.pk}/", posted())
    editor.post(f"{DISHES}sold-out/{dish.pk}/")
    editor.post(f"{DISHES}delete/{dish.pk}/")
    editor.post(f"{BULK}sold_out/?id={dish.pk}")
    editor.post(f"{BULK}delete/?id={dish.pk}")
    editor.post(f"{CATEGORIES}edit/{dish.category_id}/", {"name": "Mine", "position": "0"})
    left = MenuItem.objects.get()
    assert (left.name, left.is_available, left.category.name) == ("Soup", True, "Mains")
    assert sign_in(people.mallory_manager()).get(DISHES).status_code == 200
