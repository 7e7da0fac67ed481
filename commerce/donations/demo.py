"""Demo campaigns with fundraisers, donations of every status, and recurring donations with their renewals.

Campaigns and fundraisers are matched by name, donations by the donor's address. No events are emitted and no emails sent.
Recurring donations go on with test payments once their next dates come.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from dateutil.relativedelta import relativedelta
from django.db import transaction
from django.utils import timezone
from wagtail.images import get_image_model
from wagtail.search.backends import get_search_backend

from cms_api.core import versions
from cms_api.core.demo import data_beside, missing, pick
from commerce.common.services import next_number
from commerce.payments.services import save_method, store_payment, store_refund
from commerce.payments.types import Method, ProviderName, StoredMethod

from .models import Campaign, Donation, Fundraiser, RecurringDonation
from .selectors.donations import today
from .services import end_fundraiser, hide_fundraiser, save_campaign, save_fundraiser
from .services.giving import read_gift
from .services.paying import DONATIONS, FIRST_NUMBER, SERIES, charge_time, retry_at
from .types.donations import (
    PAYABLE,
    RETRY_DAYS,
    VERSION,
    DonationStatus,
    Frequency,
    FundraiserStatus,
    RecurringStatus,
)

DOMAIN = "donors.example"
DATA = data_beside(__file__)
PENDING, PAID, FAILED, REFUNDED = DonationStatus
#: One-time donations at scale 1.
ONE_TIME_DONATIONS = 40


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    for position, row in missing(DATA["campaigns"], Campaign.objects, "name"):
        _make_campaign(position, **row)
        progress(1)
    campaigns = {campaign.name: campaign for campaign in Campaign.objects.order_by("-pk")}
    for _, row in missing(DATA["fundraisers"], Fundraiser.objects, "name"):
        _make_fundraiser(campaigns[row["campaign"]], row)
        progress(1)
    fundraisers = {fundraiser.name: fundraiser for fundraiser in Fundraiser.objects.order_by("-pk")}
    purposes = [
        {"campaign": campaigns.get(row.get("campaign", "")), "fundraiser": fundraisers.get(row.get("fundraiser", ""))}
        for row in DATA["purposes"]
    ]
    known = set(Donation.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    for number in range(ONE_TIME_DONATIONS * scale):
        if f"donor{number + 1}@{DOMAIN}" not in known:
            _donate(number, purposes)
            progress(1)
    for number in range(len(DATA["recurring"]) * scale):
        if f"regular{number + 1}@{DOMAIN}" not in known:
            _repeat(number, purposes)
            progress(1)
    _number_receipts()
    versions.bump(VERSION)


def _make_campaign(position: int, *, picture: str = "", ended_days_ago: int | None = None, **values: Any) -> None:
    image = get_image_model().objects.filter(title=picture).order_by("pk").first()
    ends_on = None if ended_days_ago is None else today() - timedelta(days=ended_days_ago)
    save_campaign(values={**values, "ends_on": ends_on, "image": image.pk if image else None, "position": position})


def _make_fundraiser(campaign: Campaign, row: Mapping[str, Any]) -> None:
    values = {name: row[name] for name in ("name", "organizer", "goal_cents") if name in row}
    email, status = f"{row['organizer'].split()[0].lower()}@{DOMAIN}", row["status"]
    with transaction.atomic():
        fundraiser = save_fundraiser(values={**values, "email": email, "story": DATA["fundraiser_story"]}, campaign=campaign)
        if status != FundraiserStatus.PENDING:
            # Published without the email to its organizer.
            fundraiser.status = FundraiserStatus.PUBLISHED
            fundraiser.save(update_fields=["status"])
        if status == FundraiserStatus.ENDED:
            end_fundraiser(fundraiser=fundraiser)
        if status == FundraiserStatus.HIDDEN:
            hide_fundraiser(fundraiser=fundraiser)


def _gift(number: int, email: str, purpose: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return the columns of a donation or recurring donation."""
    person, campaign = pick(DATA["people"], number), purpose["campaign"]
    designations = campaign.designations if campaign else []
    address = {**DATA["address"], "name": f"{person['first_name']} {person['last_name']}"}
    values = {
        "amount_cents": pick(DATA["amounts"], number) * DATA["factors"].get(campaign.name if campaign else "", 1),
        "covers_fee": number % 3 == 1,
        **person,
        "email": email,
        "phone": "+44 1422 555 142" if number % 4 == 0 else "",
        "address": address if number % 2 else None,
        "anonymous": number % 5 == 2,
        "designation": pick(designations, number) if designations and number % 3 else "",
        "message": pick(DATA["messages"], number),
        "tribute": pick(DATA["tributes"], number),
        **more,
    }
    return {**read_gift(values, campaign), **purpose}


@transaction.atomic
def _donate(number: int, purposes: list[dict[str, Any]]) -> None:
    """Store a one-time donation, and its money."""
    status, purpose, now = pick(DATA["statuses"], number), pick(purposes, number * 3 + number // 8), timezone.now()
    campaign: Campaign | None = purpose["campaign"]
    latest = campaign.ends_on if campaign and campaign.ends_on and campaign.ends_on < today() else today()
    at = charge_time(latest) - timedelta(days=2 + number * 11 % 150, hours=number % 9, minutes=number * 7 % 60)
    if status == PENDING:
        # Payment pages live for a day.
        purpose, at = purposes[number % 2], now - timedelta(minutes=20 + number * 15 % 600)
    gift = _gift(number, f"donor{number + 1}@{DOMAIN}", purpose)
    donation = Donation(**gift, status=status, created_at=at, updated_at=at)
    if status in {PAID, REFUNDED}:
        donation.paid_at = donation.updated_at = at + timedelta(minutes=3)
    by_hand = number % 8 == 2
    _store(donation)
    if donation.paid_at:
        method = {"method": Method.CHECK, "typed_reference": str(1200 + number)} if by_hand else {"method": Method.ONLINE}
        _pay(donation, back=_back(donation, number), **method)


def _back(donation: Donation, number: int) -> int:
    """Return how much of a donation goes back, in minor units."""
    if donation.status == REFUNDED:
        return donation.total_cents
    return donation.total_cents // 2 if number % 16 == 5 else 0


@transaction.atomic
def _repeat(number: int, purposes: list[dict[str, Any]]) -> None:
    """Store a recurring donation with the payments of its dates."""
    planned = pick(DATA["recurring"], number)
    status, frequency, dates = planned["status"], planned["frequency"], planned["dates"]
    last = today() - timedelta(days=planned["days_ago"])
    step = relativedelta(months=1) if frequency == Frequency.MONTHLY else relativedelta(years=1)
    anchor = last - step * (dates - 1) if dates else None
    begun = charge_time(anchor) if anchor else timezone.now() - timedelta(hours=1 + number % 9)
    # Those who have gone on for longest give to no campaign that has ended.
    purpose = purposes[(0, 2, 7)[number % 3]]
    gift = _gift(number + 1, f"regular{number + 1}@{DOMAIN}", purpose, frequency=frequency)
    recurring = RecurringDonation(**gift, status=status, anchor=anchor, dates=dates, created_at=begun, updated_at=begun)
    if dates:
        stored = StoredMethod(f"demo_{number + 1}", label=pick(DATA["cards"], number))
        recurring.method = save_method(ProviderName.OFFLINE, stored)
        recurring.next_on = recurring.date_of(dates) if recurring.is_running else None
        recurring.updated_at = charge_time(last)
        recurring.is_paused_by_staff = status == RecurringStatus.PAUSED and not _is_declined(number, status)
    if status == RecurringStatus.CANCELLED:
        recurring.cancelled_at = recurring.updated_at = charge_time(last) + timedelta(days=9, hours=3)
    recurring.save()
    get_search_backend().add(recurring)
    if not dates:
        _store(Donation(**gift, recurring=recurring, created_at=begun, updated_at=begun))
    for place in range(dates):
        _renew(recurring, gift, place, is_declined=place == dates - 1 and _is_declined(number, status))


def _is_declined(number: int, status: str) -> bool:
    """Return whether the card was declined on the last date; some of those that are paused were paused by staff."""
    return status == RecurringStatus.PAST_DUE or (status == RecurringStatus.PAUSED and number % 2 == 0)


def _renew(recurring: RecurringDonation, gift: Mapping[str, Any], place: int, *, is_declined: bool) -> None:
    day = recurring.date_of(place)
    at = min(charge_time(day), timezone.now())
    donation = Donation(**gift, recurring=recurring, period=day, created_at=at, updated_at=at)
    if is_declined:
        donation.status = FAILED
        donation.declines = 1 if recurring.is_running else len(RETRY_DAYS) + 1
        donation.charge_at = retry_at(donation) if recurring.is_running else None
        _store(donation)
        return
    donation.status, donation.paid_at, donation.updated_at = PAID, at, at
    _store(donation)
    _pay(donation, method=Method.ONLINE, saved_method=recurring.method, saves_method=place == 0)


def _store(donation: Donation) -> None:
    donation.save()
    get_search_backend().add(donation)


def _pay(donation: Donation, *, method: Method, back: int = 0, **more: Any) -> None:
    """Store the money of a donation, and how much of it went back."""
    paid_at: Any = donation.paid_at
    payment = store_payment(
        payable=PAYABLE,
        record_id=donation.pk,
        amount=donation.total,
        method=method,
        paid_at=paid_at,
        description=DONATIONS.describe(donation),
        email=donation.email,
        provider=ProviderName.OFFLINE if method == Method.ONLINE else "",
        **more,
    )
    if back:
        refunded_at: datetime = min(paid_at + timedelta(days=4, hours=5), timezone.now())
        store_refund(payment=payment, amount_cents=back, refunded_at=refunded_at, reason="Donated twice by mistake.")
        donation.refunded_cents, donation.updated_at = back, refunded_at
        donation.save(update_fields=["refunded_cents", "updated_at"])


def _number_receipts() -> None:
    """Give the new paid donations their numbers, in the order in which they were paid."""
    unnumbered = Donation.objects.filter(email__endswith=f"@{DOMAIN}", paid_at__isnull=False, number=None)
    for pk in list(unnumbered.order_by("paid_at", "pk").values_list("pk", flat=True)):
        with transaction.atomic():
            number = f"{SERIES}-{next_number(SERIES, first=FIRST_NUMBER)}"
            Donation.objects.filter(pk=pk, number=None).update(number=number)
