"""The form for a donation as a visitor fills it in, and what its pages answer."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from commerce.donations.models import Donation
from commerce.payments.models import Payment
from tests.visitor import hidden


def yesterday() -> Any:
    """A day that is over in every time zone."""
    return (timezone.now().astimezone(UTC) - timedelta(days=2)).date()


def this_year() -> int:
    return datetime.now(UTC).year


def typed(**changes: Any) -> dict[str, Any]:
    """The input of a visitor for a donation of 50.00."""
    names = {"first_name": "Dana", "last_name": "Reyes", "email": "dana@example.com"}
    return {"frequency": "once", "amount": "5000", "tribute_type": "", **names, **changes}


def send(client: Client, path: str = "/donations/give", **changes: Any) -> Any:
    """Open the form, read it for a while, and submit it."""
    return client.post(path, {**hidden(client, path), **typed(**changes)})


def errors(answer: Any) -> list[tuple[str, str]]:
    assert answer.status_code == 422
    return list(answer.context["errors"])


def pay_there(client: Client, answer: Any) -> str:
    """Pay on the payment page that an answer leads to; return the path of the page after it."""
    page = client.get(answer.headers["Location"], follow=True)
    shown = page.redirect_chain[-1][0] if page.redirect_chain else answer.headers["Location"]
    paid = client.post(shown, {"decision": "pay"})
    back = client.get(paid.headers["Location"])
    return str(back.headers["Location"])


def made() -> Donation:
    """The only donation."""
    return Donation.objects.get()


def payment_of(donation: Donation) -> Payment:
    return Payment.objects.filter(payable="donation", record_id=donation.pk).latest("pk")
