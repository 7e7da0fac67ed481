"""Reads of the menu."""

from collections.abc import Collection

from django.db.models import Count, Prefetch, QuerySet

from cms_api.core.errors import Invalid

from ..models import MenuCategory, MenuItem, Option


def with_details(items: QuerySet[MenuItem]) -> QuerySet[MenuItem]:
    """Return dishes with their category, image and options (two statements more, however many there are)."""
    return items.select_related("category", "image__mediaimage").prefetch_related("groups__options")


def dishes() -> QuerySet[MenuItem]:
    """Return all dishes in the order of the menu, also hidden ones."""
    return MenuItem.objects.order_by("category__position", "category__name", "category_id", "position", "name", "id")


def shown_dishes() -> QuerySet[MenuItem]:
    """Return the dishes on the menu, also those that are sold out."""
    return dishes().filter(is_visible=True, category__is_visible=True)


def menu() -> list[MenuCategory]:
    """Return the categories on the menu that have dishes, each with them as `dishes` (four statements)."""
    shown = with_details(MenuItem.objects.filter(is_visible=True))
    found = MenuCategory.objects.filter(is_visible=True).prefetch_related(Prefetch("items", shown, to_attr="dishes"))
    return [category for category in found if category.dishes]


def shown_dish(pk: int) -> MenuItem | None:
    return with_details(shown_dishes()).filter(pk=pk).first()


def categories() -> QuerySet[MenuCategory]:
    """Return the categories in display order, each with the number of its dishes as `item_count`."""
    return MenuCategory.objects.annotate(item_count=Count("items")).order_by("position", "name", "id")


def chosen_options(item: MenuItem, ids: Collection[int]) -> list[Option]:
    """Return the options of a dish read `with_details` that have these ids, in display order.

    Raises Invalid (`options`) for an option of another dish, one that is sold out, and too few or too many of a group.
    """
    wanted, found = set(ids), []
    if not wanted <= {option.pk for group in item.groups.all() for option in group.options.all()}:
        raise Invalid({"options": "This choice is no longer available."})
    for group in item.groups.all():
        chosen = [option for option in group.options.all() if option.pk in wanted]
        if missing := next((option for option in chosen if not option.is_available), None):
            raise Invalid({"options": f"{missing} is sold out."})
        if not group.minimum <= len(chosen) <= group.maximum:
            raise Invalid({"options": f"{group}: {group.rule.lower()}."})
        found += chosen
    return found
