"""Gives donations back."""

from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.selectors import refundable_cents
from commerce.payments.services import request_refund

from ..models import Donation
from ..types.donations import PAYABLE, DonationStatus
from .paying import DONATIONS


@transaction.atomic
def refund_donation(*, donation: Donation, amount_cents: int | None = None, reason: str = "", user: Any = None) -> list[Any]:
    """Request the refund of a paid donation, or of a part of it, and return the refunds; it counts once they have succeeded.

    Raises Invalid (`amount_cents`, `reason`), and `status` for one that is not paid.
    """
    locked = DONATIONS.lock(donation.pk)
    if locked is None or locked.status != DonationStatus.PAID:
        raise Invalid({"status": "Only a paid donation can be refunded."})
    amount = refundable_cents(PAYABLE, locked.pk) if amount_cents is None else amount_cents
    refunds = request_refund(payable=PAYABLE, record_id=locked.pk, amount_cents=amount, reason=reason, user=user)
    data = {"amount": format_money(Money(amount, locked.currency))}
    log(instance=locked, action="donations.refund", user=user, data=data)
    return refunds
