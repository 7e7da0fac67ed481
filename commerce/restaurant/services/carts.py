"""Carts of visitors. Nothing is reserved in a cart; the checkout does that."""

import secrets
from collections.abc import Collection, Mapping
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row, lock_for_share
from cms_api.fields.base import FieldPath, read_line

from ..models import MenuCart, MenuCartItem, MenuItem
from ..selectors.carts import find_cart, unavailable
from ..selectors.menu import chosen_options, with_details
from ..types.orders import MAX_ITEMS, MAX_NOTE, MAX_QUANTITY

#: The age of an unchanged cart at which it is deleted.
FORGOTTEN_AFTER = timedelta(days=14)
#: Carts that one statement deletes.
_BATCH = 500


@transaction.atomic
def open_cart(*, token: str = "") -> MenuCart:
    """Return the visitor's cart, or a new one."""
    now = timezone.now()
    return find_cart(token) or MenuCart.objects.create(token=secrets.token_urlsafe(24), created_at=now, updated_at=now)


@transaction.atomic
def add_to_cart(*, cart: MenuCart, item: MenuItem, options: Collection[int] = (), quantity: int = 1, notes: str = "") -> None:
    """Put a dish into a cart, with options by their ids. Raises Invalid (`item`, `options`, `quantity`, `notes`)."""
    cart = get_row(MenuCart.objects.select_for_update(), cart.pk)
    is_there = bool(lock_for_share(MenuItem, [item.pk]))
    found = with_details(MenuItem.objects.filter(pk=item.pk)).first()
    if not is_there or found is None:
        raise Invalid({"item": "This dish is no longer on the menu."})
    if problem := unavailable(found):
        raise Invalid({"item": problem})
    if not 1 <= quantity <= MAX_QUANTITY:
        raise Invalid({"quantity": f"Enter a quantity between 1 and {MAX_QUANTITY}."})
    chosen = sorted(option.pk for option in chosen_options(found, options))
    wish = read_line(notes, FieldPath("notes", "notes"), MAX_NOTE) or ""
    rows = list(MenuCartItem.objects.filter(cart=cart))
    same = next((row for row in rows if (row.item_id, row.options, row.notes) == (found.pk, chosen, wish)), None)
    if same is None and len(rows) >= MAX_ITEMS:
        raise Invalid({"item": f"A cart has room for {MAX_ITEMS} different items."})
    row = same or MenuCartItem(cart=cart, item=found, options=chosen, notes=wish, quantity=0)
    row.quantity = min(row.quantity + quantity, MAX_QUANTITY)
    row.save()
    _touch(cart)


@transaction.atomic
def change_cart(*, cart: MenuCart, quantities: Mapping[int, int]) -> None:
    """Change the quantities of items, by the id of their row; 0 removes an item. Rows of other carts are ignored.

    All or nothing. Raises Invalid (`quantity`).
    """
    cart = get_row(MenuCart.objects.select_for_update(), cart.pk)
    for pk, quantity in quantities.items():
        if not 0 <= quantity <= MAX_QUANTITY:
            raise Invalid({"quantity": f"Enter a quantity between 0 and {MAX_QUANTITY}."})
        rows = MenuCartItem.objects.filter(cart=cart, pk=pk)
        if quantity:
            rows.update(quantity=quantity)
        else:
            rows.delete()
    _touch(cart)


def _touch(cart: MenuCart) -> None:
    MenuCart.objects.filter(pk=cart.pk).update(updated_at=timezone.now())


def drop_forgotten_carts() -> None:
    """Delete carts that nobody has changed for weeks (periodic job)."""
    old = MenuCart.objects.filter(updated_at__lt=timezone.now() - FORGOTTEN_AFTER).order_by("updated_at")
    while ids := list(old.values_list("pk", flat=True)[:_BATCH]):
        MenuCart.objects.filter(pk__in=ids).delete()
