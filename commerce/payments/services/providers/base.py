"""The interface of a provider."""

from collections.abc import Mapping
from typing import Protocol

from django.conf import settings
from django.urls import reverse

from ...models import Payment, Refund
from ...selectors import LINK
from ...types import Arrival, DisputeStatus, Event, Outcome, RefundOutcome, Session


class Provider(Protocol):
    """A provider of payments. Methods raise ProviderError if they may succeed later, ProviderRefused if they never will."""

    def start(self, payment: Payment) -> Session:
        """Create the payment page of an attempt; called again with the same attempt, return the same page."""

    def charge(self, payment: Payment) -> Outcome:
        """Charge the saved method of an attempt; called again with the same attempt, return the state of that charge."""

    def find_charge(self, payment: Payment) -> Outcome | None:
        """Return the state of a charge whose answer may be lost; None if it never arrived."""

    def fetch(self, payment: Payment) -> Outcome:
        """Return the state of an attempt."""

    def find_arrival(self, reference: str) -> Arrival | None:
        """Return the money that a payment page has brought, of which nothing is stored here; None if it has brought none."""

    def expire(self, payment: Payment) -> None:
        """Close the payment page. Raises ProviderRefused if it is complete or closed already."""

    def refund(self, refund: Refund) -> RefundOutcome:
        """Send money back; called again with the same refund, return the state of that one."""

    def fetch_refund(self, refund: Refund) -> RefundOutcome:
        """Return the state of a refund that has a reference."""

    def refunds(self, payment: Payment) -> list[RefundOutcome]:
        """Return the refunds of a payment, including those made at the provider."""

    def dispute(self, payment: Payment) -> DisputeStatus | None:
        """Return the state of the latest dispute about a payment."""

    def read_event(self, body: bytes, headers: Mapping[str, str]) -> Event:
        """Verify a message on its raw bytes. Raises Invalid (`signature`, `body`)."""


def success_url(payment: Payment) -> str:
    """Return the address to which customers return after paying."""
    return LINK.url(payment)


def cancel_url(payment: Payment) -> str:
    """Return the address to which customers return without paying; the payment page stays open."""
    return settings.BASE_URL + (payment.cancel_path or payment.return_path)


def confirm_path(payment: Payment) -> str:
    """Return the path of the page of test payments."""
    return reverse("payments_confirm", args=[LINK.token(payment)])
