"""Writes of payments and refunds. Requests to providers are never sent in a transaction."""

from .events import receive_event
from .outcomes import save_method
from .providers.offline import decide as decide_test_payment
from .recording import record_payment, store_payment, store_refund
from .refunds import check_refund, record_refund, request_refund, send_refund
from .settling import settle
from .starting import charge_saved_method, close_payments, close_payments_later, start_payment
from .unapplied import apply_unapplied, move_payment, refund_unapplied

__all__ = [
    "apply_unapplied",
    "charge_saved_method",
    "check_refund",
    "close_payments",
    "close_payments_later",
    "decide_test_payment",
    "move_payment",
    "receive_event",
    "record_payment",
    "record_refund",
    "refund_unapplied",
    "request_refund",
    "save_method",
    "send_refund",
    "settle",
    "start_payment",
    "store_payment",
    "store_refund",
]
