"""The common part of sales in the admin."""

from cms_api.adminkit.history import register_log_actions
from commerce.common.admin.cells import logged_amount


def register_sale_actions(prefix: str) -> None:
    """Register the actions that `services.SalePayable` logs with a prefix."""
    register_log_actions(
        {
            f"{prefix}.payment_processing": ("Payment on its way", "A payment is on its way"),
            f"{prefix}.payment_failed": ("Payment failed", "The payment failed"),
            f"{prefix}.refunded": ("Refunded", lambda data: f"Refunded {logged_amount(data)}"),
            f"{prefix}.refund_failed": ("Refund failed", lambda data: f"A refund of {logged_amount(data)} failed"),
        }
    )
