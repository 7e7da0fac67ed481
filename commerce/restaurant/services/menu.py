"""Creates, changes and deletes categories and dishes, with their options."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core import versions
from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.core.locks import lock_for_share, lock_to_delete
from cms_api.core.records import delete_record, lock_or_build, store_record
from commerce.common.services.checks import check_image, check_line, check_price, check_text, check_whole, is_whole
from commerce.common.types.tax import TaxClass

from ..models import MenuCategory, MenuItem, Option, OptionGroup
from ..types.menu import MAX_DESCRIPTION, MAX_GROUPS, MAX_NAME, MAX_OPTIONS, MAX_POSITION, VERSION, Allergen, Diet

GONE = "This dish has been deleted."
CATEGORY = ("name", "description", "position", "is_visible")
DISH = ("name", "description", "price_cents", "tax_class", "is_available", "is_visible", "position")


@transaction.atomic
def save_category(*, values: Mapping[str, Any], category: MenuCategory | None = None, user: Any = None) -> MenuCategory:
    """Create or change a category; values not given are unchanged. Raises Invalid by attribute."""
    now = timezone.now()
    saved = lock_or_build(MenuCategory, category, created_at=now)
    _assign(saved, values, CATEGORY)
    saved.updated_at = now
    errors = ErrorCollector()
    _check_words(errors, saved)
    errors.raise_if_any()
    store_record(saved, user=user)
    if category:
        for item in saved.items.all():
            get_search_backend().add(item)
    versions.bump(VERSION)
    return saved


def delete_category(*, category: MenuCategory, user: Any = None) -> None:
    """Delete a category. Raises Invalid (`category`) if it has dishes."""
    in_use = {"category": "Move or delete the dishes of this category first."}
    delete_record(record=category, user=user, in_use=in_use, version=VERSION)


@transaction.atomic
def save_dish(*, values: Mapping[str, Any], dish: MenuItem | None = None, user: Any = None) -> MenuItem:
    """Create or change a dish; values not given are unchanged.

    Besides the columns of the model, `values` may have `category` (a record), `image` (the id of an image of the library, or
    None), `allergens` and `diets` (lists), and `groups`: all option groups in display order, each with `name`, `minimum`,
    `maximum` and `options`, which have `name`, `price_cents` and `is_available`. Groups and options are recognized by their
    names. Prices are in minor units. Raises Invalid by path: `groups.0.options.1.price_cents`.
    """
    now = timezone.now()
    errors = ErrorCollector()
    # An image is locked before the dish, as when it is deleted.
    image = check_image(errors, "image", values.get("image"))
    saved = _lock(dish) if dish else MenuItem(created_at=now)
    _assign(saved, values, DISH)
    saved.updated_at = now
    if "image" in values:
        saved.image_id = image
    _check_dish(errors, saved, values)
    groups = _check_groups(errors, values.get("groups"))
    errors.raise_if_any()
    store_record(saved, user=user)
    if groups is not None:
        _write_groups(saved, groups)
    get_search_backend().add(saved)
    versions.bump(VERSION)
    return saved


def _lock(dish: MenuItem) -> MenuItem:
    locked = MenuItem.objects.select_for_update(no_key=True, of=("self",)).filter(pk=dish.pk).first()
    if locked is None:
        raise Invalid({"name": GONE})
    return locked


def _assign(record: Any, values: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in names:
        if name in values:
            setattr(record, name, values[name].strip() if isinstance(values[name], str) else values[name])


def _check_words(errors: ErrorCollector, record: Any) -> None:
    check_line(errors, "name", record.name, MAX_NAME, needed=True)
    check_text(errors, "description", record.description, MAX_DESCRIPTION)
    check_whole(errors, "position", record.position, MAX_POSITION)


def _check_dish(errors: ErrorCollector, dish: MenuItem, values: Mapping[str, Any]) -> None:
    _check_words(errors, dish)
    check_price(errors, "price_cents", dish.price_cents)
    if dish.tax_class not in TaxClass.values:
        errors.add("tax_class", invalid_choice("tax_class", TaxClass.values))
    if "category" in values:
        category = values["category"]
        if category is None or not lock_for_share(MenuCategory, [category.pk]):
            errors.add("category", required_message("category") if category is None else invalid_choice("category"))
        else:
            dish.category = category
    elif not dish.category_id:
        errors.add("category", required_message("category"))
    for name, known in (("allergens", Allergen), ("diets", Diet)):
        sent = values.get(name, getattr(dish, name))
        if any(value not in known.values for value in sent):
            errors.add(name, invalid_choice(name, known.values))
        else:
            setattr(dish, name, [value for value in known.values if value in sent])


def _check_groups(errors: ErrorCollector, groups: Any) -> list[dict[str, Any]] | None:
    if groups is None:
        return None
    if len(groups) > MAX_GROUPS:
        errors.add("groups", f"A dish may have at most {MAX_GROUPS} groups of options.")
        return None
    found = [_check_group(errors, f"groups.{place}", group) for place, group in enumerate(groups)]
    _check_once(errors, "groups", found)
    return found


def _check_group(errors: ErrorCollector, path: str, group: Mapping[str, Any]) -> dict[str, Any]:
    options = [
        {
            "name": str(option.get("name") or "").strip(),
            "price_cents": option.get("price_cents") or 0,
            "is_available": option.get("is_available", True) is True,
        }
        for option in group.get("options") or ()
    ]
    read = {"minimum": group.get("minimum", 0), "maximum": group.get("maximum", 1)}
    name = str(group.get("name") or "").strip()
    check_line(errors, f"{path}.name", name, MAX_NAME, needed=True)
    if not 0 < len(options) <= MAX_OPTIONS:
        errors.add(f"{path}.options", f"A group must have between 1 and {MAX_OPTIONS} options.")
    if not is_whole(read["maximum"], 1, MAX_OPTIONS) or not is_whole(read["minimum"], 0, read["maximum"]):
        errors.add(f"{path}.maximum", "The most that can be chosen must be at least 1, and no less than the least.")
    elif read["minimum"] > len(options):
        errors.add(f"{path}.minimum", "The group has fewer options than must be chosen.")
    for place, option in enumerate(options):
        check_line(errors, f"{path}.options.{place}.name", option["name"], MAX_NAME, needed=True)
        check_price(errors, f"{path}.options.{place}.price_cents", option["price_cents"])
    _check_once(errors, f"{path}.options", options)
    return {"name": name, **read, "options": options}


def _check_once(errors: ErrorCollector, path: str, rows: Sequence[Mapping[str, Any]]) -> None:
    seen: set[str] = set()
    for place, row in enumerate(rows):
        if row["name"] and row["name"] in seen:
            errors.add(f"{path}.{place}.name", "This name is used twice.")
        seen.add(row["name"])


def _write_groups(dish: MenuItem, groups: Sequence[Mapping[str, Any]]) -> None:
    dish.groups.exclude(name__in=[group["name"] for group in groups]).delete()
    for place, group in enumerate(groups):
        columns = {"minimum": group["minimum"], "maximum": group["maximum"], "position": place}
        stored, _ = OptionGroup.objects.update_or_create(item=dish, name=group["name"], defaults=columns)
        stored.options.exclude(name__in=[option["name"] for option in group["options"]]).delete()
        for number, option in enumerate(group["options"]):
            columns = {"price_cents": option["price_cents"], "is_available": option["is_available"], "position": number}
            Option.objects.update_or_create(group=stored, name=option["name"], defaults=columns)


@transaction.atomic
def switch_dish(*, dish: MenuItem, available: bool, user: Any = None) -> bool:
    """Mark a dish as sold out, or as available again; return False if it is already."""
    if not MenuItem.objects.filter(pk=dish.pk, is_available=not available).update(is_available=available):
        return False
    log(instance=dish, action="restaurant.available" if available else "restaurant.sold_out", user=user)
    versions.bump(VERSION)
    return True


@transaction.atomic
def delete_dish(*, dish: MenuItem, user: Any = None) -> None:
    """Delete a dish. It disappears from carts; orders keep what was sold."""
    # It is locked before the rows of carts, as by a checkout.
    lock_to_delete(dish)
    get_search_backend().delete(dish)
    delete_record(record=dish, user=user, version=VERSION)
