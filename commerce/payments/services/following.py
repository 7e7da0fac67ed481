"""Closes payment pages and handles messages once money has arrived."""

from django.db import transaction

from .. import selectors
from ..models import Payment
from .events import handle_waiting
from .starting import close_payments


def follow(payment: Payment) -> None:
    """Close the payment page that the customer no longer needs, and act on messages that waited for it, after the transaction."""
    # A partial has no name, under which Django would log its failure.
    if selectors.live_payment(payment.payable, payment.record_id):
        transaction.on_commit(lambda: _close(payment), robust=True)
    if selectors.waiting_messages(payment).exists():
        transaction.on_commit(lambda: handle_waiting(payment), robust=True)


def _close(payment: Payment) -> None:
    close_payments(payable=payment.payable, record_id=payment.record_id)
