"""Takes donations, from visitors and by hand."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.auth.services import visitors
from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.core.locks import lock_for_share
from cms_api.fields.base import FieldPath, read_text
from cms_api.text.addresses import clean_address
from commerce.common.selectors import format_money
from commerce.common.services.checks import is_whole, steps_refusal
from commerce.common.types import MAX_NAME, MAX_PHONE, full_name, read_email
from commerce.common.types.money import MAX_CENTS, Money, is_payable
from commerce.payments.selectors import is_ready, size_refusal
from commerce.payments.types import NOT_READY

from ..models import Campaign, Donation, Fundraiser, RecurringDonation
from ..selectors.campaigns import designations_of, takes_donations
from ..selectors.donations import fee_cover, largest_donation, smallest_donation
from ..types.donations import LARGEST_DONATION, MAX_MESSAGE, Amounts, Frequency, TributeType
from .paying import DONATIONS

#: The message goes to somebody whom the donor names.
MESSAGE_WITH_ADDRESS = "Write the message without web addresses."
#: The columns that a recurring donation and its payments have in common.
GIFT = (
    "first_name",
    "last_name",
    "email",
    "phone",
    "street",
    "street2",
    "city",
    "state",
    "postal_code",
    "country",
    "is_anonymous",
    "user_id",
    "campaign_id",
    "fundraiser_id",
    "frequency",
    "designation",
    "tribute_type",
    "tribute_name",
    "tribute_message",
    "tribute_email",
    "message",
    "currency",
    "amount_cents",
    "fee_cover_cents",
)
_ADDRESS = ("street", "street2", "city", "state", "postal_code", "country")


@transaction.atomic
def give(
    *, values: Mapping[str, Any], campaign: Campaign | None = None, fundraiser: Fundraiser | None = None, user: Any = None
) -> Donation:
    """Store the donation of a visitor, which waits for its payment; a recurring one begins when that arrives.

    `values`: `amount_cents`, `frequency` (once by default), `covers_fee`, `first_name`, `last_name`, `email`, `phone`, `address`
    (the dictionary of `clean_address`, or None), `anonymous`, `designation` (one of those on offer), `message`, and `tribute`:
    None, or `type`, `name`, `message` and `email`. Raises Invalid by these names, and for `campaign` and `payment`.
    """
    if fundraiser is not None:
        campaign = fundraiser.campaign
    # Neither is deleted while the donation is stored.
    causes = ((Campaign, campaign), (Fundraiser, fundraiser))
    are_there = all(lock_for_share(model, [cause.pk]) for model, cause in causes if cause is not None)
    if not are_there or not takes_donations(campaign, fundraiser):
        raise Invalid({"campaign": "This campaign doesn't take donations any more."})
    if not is_ready():
        raise Invalid({"payment": NOT_READY})
    gift = read_gift(values, campaign)
    gift["user_id"] = user.pk if user is not None and user.is_authenticated else None
    gift |= {"campaign_id": campaign.pk if campaign else None, "fundraiser_id": fundraiser.pk if fundraiser else None}
    now = timezone.now()
    recurring = None
    if gift["frequency"] != Frequency.ONCE:
        recurring = RecurringDonation.objects.create(**gift, created_at=now, updated_at=now)
        get_search_backend().add(recurring)
    donation = Donation.objects.create(**gift, recurring=recurring, created_at=now, updated_at=now)
    get_search_backend().add(donation)
    return donation


@transaction.atomic
def record_donation(
    *, values: Mapping[str, Any], campaign: Campaign | None = None, fundraiser: Fundraiser | None = None, user: Any = None
) -> Donation:
    """Record a donation that has arrived outside the site, such as a check.

    `values` are those of `give`, and `method` (required), `paid_at` (an instant, by default now), `reference` and `note`. It is
    made once, and covers no fee. Raises Invalid by these names.
    """
    if fundraiser is not None:
        campaign = fundraiser.campaign
    gift = read_gift({**values, "frequency": Frequency.ONCE, "covers_fee": False}, campaign, by_staff=True)
    now = timezone.now()
    donation = Donation.objects.create(**gift, campaign=campaign, fundraiser=fundraiser, created_at=now, updated_at=now)
    log(instance=donation, action="wagtail.create", user=user)
    payment = DONATIONS.record_arrived(donation, values, amount_cents=donation.total_cents, user=user)
    DONATIONS.become_paid(donation, payment)
    get_search_backend().add(donation)
    return donation


def read_gift(values: Mapping[str, Any], campaign: Campaign | None, *, by_staff: bool = False) -> dict[str, Any]:
    """Return the columns of `GIFT` that a donor fills in. Raises Invalid."""
    errors = ErrorCollector()
    found: dict[str, Any] = {"currency": settings.SITE_CURRENCY, "is_anonymous": values.get("anonymous") is True}
    with errors.under():
        found["email"] = read_email(str(values.get("email") or ""))
    for name, limit in (("first_name", MAX_NAME), ("last_name", MAX_NAME), ("phone", MAX_PHONE)):
        with errors.under():
            found[name] = visitors.read_name(values.get(name), FieldPath(name, name), limit)
    if not found.get("last_name") and not found.get("first_name") and "last_name" not in errors.errors:
        errors.add("last_name", required_message("last_name"))
    with errors.under():
        found["message"] = read_text(values.get("message"), FieldPath("message", "message"), MAX_MESSAGE) or ""
    found["frequency"] = values.get("frequency") or Frequency.ONCE
    if found["frequency"] not in Frequency.values:
        errors.add("frequency", invalid_choice("frequency"))
    found["designation"] = values.get("designation") or ""
    if found["designation"] and found["designation"] not in designations_of(campaign):
        errors.add("designation", invalid_choice("designation"))
    with errors.under():
        found |= _read_tribute(values.get("tribute"))
    with errors.under():
        found |= _read_address(values.get("address"), name=full_name(found.get("first_name", ""), found.get("last_name", "")))
    with errors.under():
        found |= _read_amounts(values, by_staff=by_staff)
    errors.raise_if_any()
    return found


def _read_amounts(values: Mapping[str, Any], *, by_staff: bool) -> dict[str, int]:
    cents, currency = values.get("amount_cents"), settings.SITE_CURRENCY
    least, most = (1, LARGEST_DONATION) if by_staff else (smallest_donation(currency), largest_donation(currency))
    if not is_whole(cents, least, most):
        raise Invalid({"amount_cents": amount_refusal(cents, least, most, currency)})
    assert isinstance(cents, int)
    if not by_staff and not is_payable(cents, currency):
        raise Invalid({"amount_cents": steps_refusal(currency)})
    found = Amounts(cents, fee_cover(Money(cents, currency)) if values.get("covers_fee") is True else 0)
    if not by_staff:
        check_charge(found, currency)
    return {"amount_cents": found.amount_cents, "fee_cover_cents": found.fee_cover_cents}


def check_charge(amounts: Amounts, currency: str) -> None:
    """Raise Invalid (`amount_cents`) if the provider does not take as much as an amount and the covered fee are together."""
    if refusal := size_refusal(Money(amounts.total_cents, currency)):
        raise Invalid({"amount_cents": refusal})


def amount_refusal(cents: Any, least: int, most: int, currency: str) -> str:
    """Return why an amount that is not between the two cannot be donated."""
    if is_whole(cents, most, MAX_CENTS):
        return f"Enter an amount of at most {format_money(Money(most, currency))}."
    return f"Enter an amount of at least {format_money(Money(least, currency))}."


def _read_tribute(tribute: Any) -> dict[str, str]:
    if not tribute:
        return {}
    errors = ErrorCollector()
    found = {"tribute_type": str(tribute.get("type") or "")}
    if found["tribute_type"] not in TributeType.values:
        errors.add("tribute.type", invalid_choice("type"))
    with errors.under():
        found["tribute_name"] = visitors.read_name(tribute.get("name"), FieldPath("tribute.name", "name"), 2 * MAX_NAME)
    if not found.get("tribute_name") and "tribute.name" not in errors.errors:
        errors.add("tribute.name", required_message("name"))
    with errors.under():
        path = FieldPath("tribute.message", "message")
        found["tribute_message"] = read_text(tribute.get("message"), path, MAX_MESSAGE) or ""
        visitors.check_name(errors, path.path, found["tribute_message"], MESSAGE_WITH_ADDRESS)
    if tribute.get("email"):
        with errors.under():
            found["tribute_email"] = read_email(str(tribute["email"]), "tribute.email")
    errors.raise_if_any()
    return found


def _read_address(address: Any, *, name: str) -> dict[str, str]:
    if not address:
        return {}
    errors = ErrorCollector()
    found: dict[str, str] = {}
    with errors.under("address"):
        found = clean_address({**address, "name": name})
        visitors.check_address(errors, "address", found)
    errors.raise_if_any()
    return {part: found[part] for part in _ADDRESS}
