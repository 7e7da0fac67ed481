"""Reads of carts."""

from dataclasses import dataclass
from typing import Any

from cms_api.core.errors import Invalid

from ..models import MenuCart, MenuCartItem, MenuItem, Option, RestaurantOrder
from ..types.orders import OrderStatus
from .menu import chosen_options, with_details


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
    found = {item.pk: item for item in with_details(MenuItem.objects.filter(pk__in={row.item_id for row in rows}))}
    return [_choose(row, found[row.item_id]) for row in rows if row.item_id in found]


def count_of(cart: MenuCart) -> int:
    return sum(MenuCartItem.objects.filter(cart=cart).values_list("quantity", flat=True))


def _choose(row: MenuCartItem, item: MenuItem) -> Chosen:
    if problem := unavailable(item):
        return Chosen(row, item, (), problem)
    try:
        return Chosen(row, item, tuple(chosen_options(item, row.options)))
    except Invalid as refusal:
        return Chosen(row, item, (), refusal.message)


def unavailable(item: MenuItem) -> str:
    """Return why a dish cannot be ordered; empty if it can."""
    if not item.is_visible or not item.category.is_visible:
        return f"{item} is no longer on the menu."
    return "" if item.is_available else f"{item} is sold out."


def pending_order(cart: MenuCart) -> RestaurantOrder | None:
    """Return the order that the last checkout of a cart has placed, while it waits for its payment."""
    return RestaurantOrder.objects.filter(cart=cart, status=OrderStatus.PENDING).first()
