"""Staff record money for purchases that has arrived outside the site, and give money back."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.core.not_found import found_or_404
from commerce.payments.selectors import refundable_cents
from commerce.payments.services import request_refund

from ..models import Purchase
from ..types.terms import PAYABLE, PurchaseStatus
from .purchasing import PURCHASES


@transaction.atomic
def record_purchase_payment(*, purchase: Purchase, values: Mapping[str, Any], user: Any = None) -> Any:
    """Record the money for a purchase, such as cash, extend the listing's period, and return the payment.

    `values`: `method` (required: cash, check, bank_transfer, other), `paid_at` (an instant that is not in the future, by default
    now), `reference`, `note`. Raises Invalid by these names, and `status` where nothing is due; and NotFound.
    """
    locked = found_or_404(PURCHASES.lock(purchase.pk))
    if locked.is_processing:
        raise Invalid({"status": "A payment for this purchase is on its way."})
    payment = PURCHASES.record_arrived(locked, values, amount_cents=locked.total_cents, user=user)
    PURCHASES.apply_payment(locked, payment)
    return payment


@transaction.atomic
def refund_purchase(*, purchase: Purchase, amount_cents: int | None = None, reason: str = "", user: Any = None) -> list[Any]:
    """Request the refund of a paid purchase, or of a part of it, and return the refunds; it counts once they have succeeded.

    A purchase that goes back whole takes its period with it. Raises Invalid (`amount_cents`, `reason`), and `status` for one that
    is not paid.
    """
    locked = PURCHASES.lock(purchase.pk)
    if locked is None or locked.status != PurchaseStatus.PAID:
        raise Invalid({"status": "Only a paid purchase can be refunded."})
    amount = refundable_cents(PAYABLE, locked.pk) if amount_cents is None else amount_cents
    refunds = request_refund(payable=PAYABLE, record_id=locked.pk, amount_cents=amount, reason=reason, user=user)
    log(instance=locked, action="directory.refund", user=user, data={"cents": amount, "currency": locked.currency})
    return refunds
