"""Payments in the admin."""

from cms_api.adminkit.history import register_log_actions

from .payments import PaymentViewSet

PAYMENTS = PaymentViewSet()

register_log_actions(
    {
        "payments.record": ("Record a payment", "Recorded"),
        "payments.apply": ("Apply a payment", "Applied to what it is for"),
        "payments.move": ("Move a payment", lambda data: f"Moved from {data['from']} to {data['to']}"),
        "payments.record_refund": ("Record a refund", lambda data: f"Recorded that {data['amount']} was given back otherwise"),
        "payments.refund": ("Refund a payment", lambda data: f"Refund of {data.get('amount', '')} requested"),
    }
)
