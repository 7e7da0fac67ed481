"""Reads of carts."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from django.db.models import Q, Sum

from ..models import Cart, CartItem, Order, OrderItem, ProductVariant
from ..types.orders import OrderStatus
from .pricing import Line


def find_cart(*, token: str, user: Any = None) -> Cart | None:
    """Return the cart of an account, or else that of a token, if no other account has it."""
    account = user if user is not None and user.is_authenticated else None
    if account and (own := Cart.objects.filter(user=account).first()):
        return own
    return Cart.objects.filter(Q(user=None) | Q(user=account), token=token).first() if token else None


def items_of(cart: Cart) -> list[CartItem]:
    """Return the items of a cart that can be sold, with variants and products (one statement)."""
    return split_items(cart)[0]


def split_items(cart: Cart) -> tuple[list[CartItem], list[CartItem]]:
    """Return the items of a cart that can be sold, and those that can't be any more, as `items_of` does (one statement)."""
    items = list(CartItem.objects.filter(cart=cart).select_related("variant__product"))
    sold = [item for item in items if is_sold(item.variant)]
    return sold, [item for item in items if item not in sold]


def is_sold(variant: ProductVariant | None) -> bool:
    """Return whether a variant can be bought, if there are enough; None is one that was deleted."""
    return variant is not None and variant.product.is_published and variant.product.currency == settings.SITE_CURRENCY


def words_of(lines: Iterable[Line]) -> str:
    """Return what a checkout shows as a text, by which a change is noticed that changes no total."""
    return " ".join(f"{variant.pk}:{quantity}" for variant, quantity in lines)


def lines_of(items: Sequence[CartItem]) -> list[Line]:
    return [(item.variant, item.quantity) for item in items]


def pending_order(cart: Cart) -> Order | None:
    """Return the order that the last checkout of a cart has placed, while it is pending."""
    return Order.objects.filter(cart=cart, status=OrderStatus.PENDING).first()


def reserved_for(cart: Cart, variant: ProductVariant) -> int:
    """Return how many pieces of a variant the pending order of a cart has reserved; the next checkout gives them back first."""
    own = OrderItem.objects.filter(order__cart=cart, order__status=OrderStatus.PENDING, order__reserved_until__isnull=False)
    found = own.filter(variant=variant, is_tracked=True).aggregate(pieces=Sum("quantity"))
    return found["pieces"] or 0
