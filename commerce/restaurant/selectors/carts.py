"""Reads of carts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from cms_api.core.errors import Invalid

from ..models import MenuCart, MenuCartItem, MenuItem, Option, RestaurantOrder
from ..types.orders import OrderStatus
from .menu import chosen_options, with_details

GONE = "{} is no longer on the menu."


@dataclass(frozen=True)
class Chosen:
    """A dish in a cart, with its options as they are now."""

    row: MenuCartItem
    item: MenuItem
    options: tuple[Option, ...]
    #: Why it cannot be ordered; empty if it can.
    problem: str = ""

    @property
    def unit_cents(self) -> int:
        return self.item.price_cents + sum(option.price_cents for option in self.options)

    @property
    def total_cents(self) -> int:
        return self.unit_cents * self.row.quantity

    @property
    def words(self) -> str:
        """Return the chosen options."""
        return ", ".join(option.name for option in self.options)

    @property
    def modifiers(self) -> list[dict[str, Any]]:
        return [{"name": option.name, "price_cents": option.price_cents} for option in self.options]


def find_cart(token: str) -> MenuCart | None:
    return MenuCart.objects.filter(token=token).first() if token else None


def items_of(cart: MenuCart) -> list[Chosen]:
    """Return the items of a cart (four statements)."""
    rows = list(MenuCartItem.objects.filter(cart=cart))
    found = _dishes({row.item_id for row in rows})
    return [_choose(row, found[row.item_id]) for row in rows if row.item_id in found]


def words_of(items: Sequence[Chosen]) -> str:
    """Return what a checkout shows as a text, by which a change is noticed that changes no total."""
    return " ".join(f"{each.row.pk}:{each.row.quantity}" for each in items)


def order_problem(order: RestaurantOrder) -> str:
    """Return why the dishes of an order cannot be ordered any more; empty if they can (four statements)."""
    items = list(order.items.all())
    found = _dishes({item.menu_item_id for item in items if item.menu_item_id})
    for item in items:
        dish = found.get(item.menu_item_id or 0)
        if problem := _problem(dish, item.options) if dish is not None else GONE.format(item.name):
            return problem
    return ""


def _dishes(ids: Collection[int]) -> dict[int, MenuItem]:
    return {item.pk: item for item in with_details(MenuItem.objects.filter(pk__in=ids))}


def count_of(cart: MenuCart) -> int:
    return sum(MenuCartItem.objects.filter(cart=cart).values_list("quantity", flat=True))


def _choose(row: MenuCartItem, item: MenuItem) -> Chosen:
    if problem := _problem(item, row.options):
        return Chosen(row, item, (), problem)
    return Chosen(row, item, tuple(chosen_options(item, row.options)))


def _problem(item: MenuItem, options: Collection[int]) -> str:
    """Return why a dish cannot be ordered with some options; empty if it can."""
    if problem := unavailable(item):
        return problem
    try:
        chosen_options(item, options)
    except Invalid as refusal:
        return refusal.message
    return ""


def unavailable(item: MenuItem) -> str:
    """Return why a dish cannot be ordered; empty if it can."""
    if not item.is_visible or not item.category.is_visible:
        return GONE.format(item)
    return "" if item.is_available else f"{item} is sold out."


def pending_order(cart: MenuCart) -> RestaurantOrder | None:
    """Return the order that the last checkout of a cart has placed, while it waits for its payment."""
    return RestaurantOrder.objects.filter(cart=cart, status=OrderStatus.PENDING).first()
