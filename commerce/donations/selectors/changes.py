"""Links in emails that confirm or undo a changed amount of a recurring donation. They are signed, and stored nowhere."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.urls import reverse

from ..models import RecurringDonation
from ..types.donations import CHANGE_DAYS, Amounts
from .donations import MANAGE_LINK

_SALT = "donations.changes"


@dataclass(frozen=True, slots=True)
class AmountChange:
    """A change of a recurring donation from its former amounts to others."""

    recurring: RecurringDonation
    former: Amounts
    to: Amounts


def amounts_of(recurring: RecurringDonation) -> Amounts:
    return Amounts(recurring.amount_cents, recurring.fee_cover_cents)


def change_url(change: AmountChange) -> str:
    """Return the absolute address of the page on which a change is confirmed."""
    amounts = [(each.amount_cents, each.fee_cover_cents) for each in (change.former, change.to)]
    signed = signing.dumps([MANAGE_LINK.token(change.recurring), *amounts], salt=_SALT)
    return settings.BASE_URL + reverse("recurring_change", args=[signed])


def find_change(signed: str) -> AmountChange | None:
    """Return the change that a link names; None if it was made up or is too old, or the recurring donation is gone."""
    try:
        token, former, to = signing.loads(signed, salt=_SALT, max_age=timedelta(days=CHANGE_DAYS))
    except signing.BadSignature:
        return None
    recurring = MANAGE_LINK.find(RecurringDonation.objects.select_related("campaign", "method"), token)
    return AmountChange(recurring, Amounts(*former), Amounts(*to)) if recurring is not None else None
