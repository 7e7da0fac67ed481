"""The admin home's cards for payments."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from cms_api.adminkit.cards import Card, count_up_to_max

from .. import selectors


def set_up(request: HttpRequest) -> Card | None:
    """Customers cannot pay."""
    if selectors.is_ready():
        return None
    return Card(
        "Set up payments",
        reverse("features:index"),
        text="Customers can't pay online yet. Set the keys of Stripe where the site is installed, or accept test payments.",
        icon="warning",
        urgent=True,
    )


def to_settle(request: HttpRequest) -> Card:
    return _card(
        "Payments to settle",
        "Money arrived that couldn't be used. Apply or refund it.",
        "to_settle",
        selectors.payments_to_settle(),
    )


def failed_refunds(request: HttpRequest) -> Card:
    return _card(
        "Failed refunds",
        "The money is still here. Refund it in another way, and record that on the payment's page.",
        "failed_refund",
        selectors.failed_refunds(),
    )


def disputes(request: HttpRequest) -> Card:
    return _card(
        "Disputed payments",
        "Respond at the payment provider before the deadline.",
        "dispute",
        selectors.disputed_payments(),
        value="open",
    )


def _card(title: str, text: str, filtered: str, records: QuerySet[Any], *, value: str = "yes") -> Card:
    url = f"{reverse('payments:index')}?{filtered}={value}"
    return Card(title, url, text=text, icon="warning", urgent=True, count=count_up_to_max(records))
