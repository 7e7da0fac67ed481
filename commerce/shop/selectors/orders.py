"""Reads of orders."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from cms_api.core.records import filter_given
from cms_api.flags.selectors import get_setting
from cms_api.http.signed_links import SignedLink
from cms_api.text.search import matching
from commerce.common.selectors import find_numbered, placed_by
from commerce.common.types import email_key

from ..models import Order
from ..types.orders import ABANDONED, PAYABLE_FOR, OrderStatus

#: The link to an order's page, which customers get by email.
ORDER_LINK = SignedLink("shop.order", Order, view="shop_order")

#: Statuses of orders that money has been taken for.
SOLD = (OrderStatus.PAID, OrderStatus.FULFILLED)


def is_too_old(order: Order) -> bool:
    """Return whether an order's items are no longer reserved, and will not be again for a payment online."""
    return order.reserved_until is None and timezone.now() - order.created_at > PAYABLE_FOR


def orders(
    *, status: str | None = None, email: str | None = None, since: datetime | None = None, search: str = ""
) -> QuerySet[Order]:
    """Return orders; `status` may be `abandoned`, `since` is when they were created at the earliest."""
    found = Order.objects.all()
    if status == ABANDONED:
        found = filter_abandoned(found)
    elif status:
        found = found.filter(status=status)
    found = filter_given(found, email=None if email is None else email_key(email), created_at__gte=since)
    return matching(found, search) if search.strip() else found


def filter_abandoned(found: QuerySet[Order]) -> QuerySet[Order]:
    """Return the orders whose customers did not come back to pay; one whose payment is on its way is none of them."""
    return found.filter(status=OrderStatus.PENDING, is_processing=False, created_at__lt=abandoned_before())


def abandoned_before() -> datetime:
    """Return the moment before which a pending order is abandoned."""
    return timezone.now() - timedelta(minutes=get_setting("shop.abandoned_after_minutes"))


def find_order(reference: str) -> Order | None:
    """Return the order with an id, or with a number in any case."""
    found: Order | None = find_numbered(orders(), reference)
    return found


def orders_of(user: Any) -> QuerySet[Order]:
    """Return the orders that an account placed, and those of its confirmed address."""
    return placed_by(orders(), user)


def admin_url(pk: int) -> str:
    """Return the path of an order's page in the admin."""
    return reverse("orders:inspect", args=[pk])


def is_abandoned(order: Order) -> bool:
    return order.is_pending and not order.is_processing and order.created_at < abandoned_before()
