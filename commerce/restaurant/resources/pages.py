"""The menu as the public pages show it, and its metadata for search engines."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import time
from typing import Any

from django.conf import settings
from django.urls import reverse

from cms_api.flags.selectors import site_formats
from commerce.common.resources.pages import Picture, absolute, decoration, image_of, meta, prefetch_images
from commerce.common.selectors import format_money
from commerce.common.types.hours import Weekday
from commerce.common.types.money import Money

from ..models import MenuItem, OpeningPeriod
from ..selectors.hours import read_periods
from ..types.menu import Allergen, Diet

TITLE = "Menu"
_DIETS = {
    Diet.VEGETARIAN: "VegetarianDiet",
    Diet.VEGAN: "VeganDiet",
    Diet.GLUTEN_FREE: "GlutenFreeDiet",
    Diet.LACTOSE_FREE: "LowLactoseDiet",
    Diet.HALAL: "HalalDiet",
    Diet.KOSHER: "KosherDiet",
}


@dataclass(frozen=True)
class Dish:
    """A dish on the menu."""

    item: MenuItem
    url: str
    price: str
    picture: Picture | None
    allergens: str
    diets: list[str]


@dataclass(frozen=True)
class Section:
    """A category with its dishes."""

    pk: int
    name: str
    description: str
    dishes: list[Dish]


def sections_of(categories: Sequence[Any]) -> list[Section]:
    """Return the categories of `selectors.menu.menu`; the renditions of all pictures are read in one statement."""
    prefetch_images(item for category in categories for item in category.dishes)
    return [
        Section(category.pk, category.name, category.description, [dish_of(item) for item in category.dishes])
        for category in categories
    ]


def dish_of(item: MenuItem, kind: str = "tile") -> Dish:
    return Dish(
        item,
        reverse("restaurant_dish", args=[item.pk]),
        format_money(Money(item.price_cents, settings.SITE_CURRENCY)),
        decoration(item, kind),
        ", ".join(Allergen(each).label for each in item.allergens),
        [Diet(each).label for each in item.diets],
    )


def opening_rows(openings: Iterable[OpeningPeriod], special: Iterable[Any]) -> list[tuple[str, str]]:
    """Return the opening hours: a day, and its times."""

    def times(pairs: Iterable[tuple[time, time]]) -> str:
        formats = site_formats()
        return ", ".join(f"{formats.time(opens)} to {formats.time(closes)}" for opens, closes in pairs)

    by_day: dict[int, list[tuple[time, time]]] = {}
    for each in openings:
        by_day.setdefault(each.weekday, []).append((each.opens, each.closes))
    rows = [(Weekday(day).label, times(by_day.get(day, ())) or "Closed") for day in range(7)] if by_day else []
    for day in special:
        name = site_formats().short_date(day.date) + (f" ({day.note})" if day.note else "")
        rows.append((name, times((each.opens, each.closes) for each in read_periods(day)) or "Closed"))
    return rows


def menu_meta(sections: Sequence[Section]) -> meta.Meta:
    found = meta.for_page(title=TITLE, path=reverse("restaurant_menu"))
    return {**found, "linked_data": [linked_menu(sections), *found["linked_data"]]}


def dish_meta(item: MenuItem) -> meta.Meta:
    return meta.for_page(
        title=item.name,
        path=reverse("restaurant_dish", args=[item.pk]),
        description=item.description,
        featured=image_of(item),
        above=[(TITLE, reverse("restaurant_menu"))],
        modified=item.updated_at,
    )


def linked_menu(sections: Sequence[Section]) -> dict[str, Any]:
    """Return the menu as schema.org's Menu. Says only what the page shows."""
    return {
        "@context": "https://schema.org",
        "@type": "Menu",
        "name": TITLE,
        "url": absolute(reverse("restaurant_menu")),
        "hasMenuSection": [
            {"@type": "MenuSection", "name": section.name, "hasMenuItem": [_mark_up_dish(dish) for dish in section.dishes]}
            for section in sections
        ],
    }


def _mark_up_dish(dish: Dish) -> Mapping[str, Any]:
    currency = settings.SITE_CURRENCY
    found = {
        "@type": "MenuItem",
        "name": dish.item.name,
        "description": dish.item.description,
        "url": absolute(dish.url),
        "suitableForDiet": [f"https://schema.org/{_DIETS[Diet(each)]}" for each in dish.item.diets if Diet(each) in _DIETS],
        "offers": {
            "@type": "Offer",
            "price": str(Money(dish.item.price_cents, currency).amount),
            "priceCurrency": currency.upper(),
        },
    }
    return {name: value for name, value in found.items() if value}
