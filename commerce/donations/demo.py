"""Demo campaigns with fundraisers, donations of every status, and recurring donations with their renewals.

Campaigns and fundraisers are matched by name, donations by the donor's address. No events are emitted and no emails sent.
Recurring donations go on with test payments once their next dates come.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from dateutil.relativedelta import relativedelta
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.images import get_image_model
from wagtail.search.backends import get_search_backend

from cms_api.core import versions
from commerce.common.services import next_number
from commerce.common.types.money import minor_units
from commerce.payments.services import save_method, store_payment, store_refund
from commerce.payments.types import Method, ProviderName, StoredMethod

from .models import Campaign, Donation, Fundraiser, RecurringDonation
from .selectors.donations import today
from .services import end_fundraiser, hide_fundraiser, save_campaign, save_fundraiser
from .services.giving import read_gift
from .services.paying import FIRST_NUMBER, SERIES, charge_time, describe, retry_at
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
KILN, ORCHESTRA, FLOOD, FRIENDS = (
    "A kiln for the mill",
    "Instruments for the youth orchestra",
    "Repairs after the flood",
    "Friends of the mill",
)
#: Amounts are in units of the currency; `ended` is the number of days since the last one. `picture` is a title in the library.
CAMPAIGNS: list[dict[str, Any]] = [
    {
        "name": KILN,
        "summary": "A gas kiln large enough for the work of thirty potters.",
        "story": "Our kiln is forty years old, and cracks at every third firing.\n\n"
        "A new one fires the work of thirty potters at once, with half the gas. Help us to light it in spring.",
        "goal": 6000,
        "amounts": [25, 50, 100, 250],
        "designations": ["Youth workshops", "Open studio"],
        "has_fundraisers": True,
        "picture": "Kiln glow",
    },
    {
        "name": ORCHESTRA,
        "summary": "Forty children wait for an instrument.",
        "story": "The youth orchestra lends instruments to children whose families cannot buy one.\n\n"
        "Forty are on the waiting list.",
        "goal": 4500,
        "amounts": [20, 60, 120],
        "designations": ["Violins", "Brass", "Lessons"],
        "picture": "Instruments",
    },
    {
        "name": FLOOD,
        "summary": "The ground floor is dry again, thanks to you.",
        "story": "The river stood knee-deep in the clay studio. Your donations have paid for new floors and wiring.",
        "goal": 600,
        "amounts": [],
        "ended": 30,
        "picture": "The mill",
    },
    {
        "name": FRIENDS,
        "summary": "A monthly donation keeps the doors open.",
        "story": "Friends of the mill give every month, so that we can plan ahead.",
        "amounts": [10, 20, 40],
        "shows_donors": False,
    },
]
#: Of the first campaign: name, organizer, goal in units of the currency, and status.
FUNDRAISERS: tuple[tuple[str, str, int | None, FundraiserStatus], ...] = (
    ("Noor runs for the kiln", "Noor de Vries", 500, FundraiserStatus.PUBLISHED),
    ("Ruth's birthday bowls", "Ruth Adeyemi", 300, FundraiserStatus.PUBLISHED),
    ("Tom's thousand mugs", "Tom Hale", 1000, FundraiserStatus.ENDED),
    ("Priya's bake sale", "Priya Nair", 200, FundraiserStatus.PENDING),
    ("An auction for the kiln", "Lena Brandt", None, FundraiserStatus.HIDDEN),
)
PEOPLE = (("Dana", "Reyes"), ("Ömer", "Güneş"), ("Ruth", "Adeyemi"), ("Lena", "Brandt"), ("Tom", "Hale"), ("Priya", "Nair"))
MESSAGES = ("Keep the wheels turning.", "", "", "For all the years of clay and tea.", "", "Good luck!", "")
ADDRESS = {"street": "14 Canal Street", "city": "Hebden Bridge", "postal_code": "HX7 8AA", "country": "GB"}
TRIBUTES: tuple[dict[str, str] | None, ...] = (
    None,
    None,
    {"type": "memory", "name": "Alma Reyes", "message": "She taught us all to throw.", "email": f"family@{DOMAIN}"},
    None,
    {"type": "honor", "name": "Robin Vale", "message": "", "email": ""},
)
PENDING, PAID, FAILED, REFUNDED = DonationStatus
#: The statuses of one-time donations in turn.
STATUSES = (PAID, PENDING, PAID, PAID, REFUNDED, PAID, FAILED, PAID)
#: One-time donations at scale 1, in units of the currency.
ONE_TIME_DONATIONS, AMOUNTS = 40, (25, 50, 40, 100, 60, 250, 20, 75, 150, 30, 500)
#: How much larger donations to some campaigns are.
LARGER_FACTOR = 6
#: The purposes of donations in turn: a campaign, and a fundraiser by its place.
PURPOSES = ((KILN, None), (KILN, 0), (None, None), (ORCHESTRA, None), (KILN, 1), (FLOOD, None), (KILN, 2), (FRIENDS, None))
#: Recurring donations at scale 1: status, frequency, dates that have come, and the days since the last one.
RECURRING = (
    *((RecurringStatus.ACTIVE, Frequency.MONTHLY, dates, days) for dates, days in ((9, 4), (5, 11), (3, 19))),
    *((RecurringStatus.ACTIVE, Frequency.YEARLY, dates, days) for dates, days in ((3, 60), (2, 200))),
    *((RecurringStatus.PAST_DUE, frequency, 4, 1) for frequency in (Frequency.MONTHLY, Frequency.MONTHLY, Frequency.YEARLY)),
    *((RecurringStatus.PAUSED, frequency, 3, 24) for frequency in (Frequency.MONTHLY, Frequency.YEARLY, Frequency.MONTHLY)),
    *((RecurringStatus.CANCELLED, frequency, 4, 40) for frequency in (Frequency.MONTHLY, Frequency.YEARLY, Frequency.MONTHLY)),
    *((RecurringStatus.PENDING, frequency, 0, 0) for frequency in (Frequency.MONTHLY, Frequency.MONTHLY, Frequency.YEARLY)),
)
CARDS = ("Visa •••• 4242", "Mastercard •••• 4444", "Amex •••• 0005")


@dataclass(frozen=True, slots=True)
class Causes:
    campaigns: Mapping[str, Campaign]
    fundraisers: list[Fundraiser]

    def purpose(self, number: int) -> dict[str, Any]:
        """Return the campaign and the fundraiser of a donation."""
        name, place = PURPOSES[number % len(PURPOSES)]
        fundraiser = None if place is None else self.fundraisers[place]
        return {"campaign": self.campaigns[name] if name else None, "fundraiser": fundraiser}


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    campaigns = {values["name"]: _campaign(place, values, progress) for place, values in enumerate(CAMPAIGNS)}
    causes = Causes(campaigns, [_fundraiser(campaigns[KILN], *each, progress) for each in FUNDRAISERS])
    known = set(Donation.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    for number in range(ONE_TIME_DONATIONS * scale):
        if f"donor{number + 1}@{DOMAIN}" not in known:
            _donate(number, causes)
            progress(1)
    for number in range(len(RECURRING) * scale):
        if f"regular{number + 1}@{DOMAIN}" not in known:
            _repeat(number, causes)
            progress(1)
    _number_receipts()
    versions.bump(VERSION)


def _campaign(place: int, values: Mapping[str, Any], progress: Callable[[int], None]) -> Campaign:
    found = Campaign.objects.filter(name=values["name"]).first()
    if found is not None:
        return found
    given = dict(values)
    picture = get_image_model().objects.filter(title=given.pop("picture", "")).order_by("pk").first()
    goal, ended = given.pop("goal", None), given.pop("ended", None)
    amounts = [_cents(amount) for amount in given.pop("amounts")]
    more = {"goal_cents": _cents(goal) if goal else None, "ends_on": today() - timedelta(days=ended) if ended else None}
    image = picture.pk if picture else None
    progress(1)
    return save_campaign(values={**given, **more, "amounts": amounts, "image": image, "position": place})


def _fundraiser(
    campaign: Campaign, name: str, organizer: str, goal: int | None, status: FundraiserStatus, progress: Callable[[int], None]
) -> Fundraiser:
    found = Fundraiser.objects.filter(name=name, campaign=campaign).first()
    if found is not None:
        return found
    email = f"{organizer.split()[0].lower()}@{DOMAIN}"
    story = "Every donation brings us closer to the first firing. Thank you!"
    values = {"name": name, "organizer": organizer, "email": email, "story": story, "goal_cents": _cents(goal) if goal else None}
    with transaction.atomic():
        fundraiser = save_fundraiser(values=values, campaign=campaign)
        if status != FundraiserStatus.PENDING:
            # Published without the email to its organizer.
            fundraiser.status = FundraiserStatus.PUBLISHED
            fundraiser.save(update_fields=["status"])
        if status == FundraiserStatus.ENDED:
            end_fundraiser(fundraiser=fundraiser)
        if status == FundraiserStatus.HIDDEN:
            hide_fundraiser(fundraiser=fundraiser)
    progress(1)
    return fundraiser


def _cents(amount: int) -> int:
    return minor_units(amount, settings.SITE_CURRENCY)


def _gift(number: int, email: str, purpose: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return the columns of a donation or recurring donation."""
    first, last = PEOPLE[number % len(PEOPLE)]
    campaign: Campaign | None = purpose["campaign"]
    designations = campaign.designations if campaign else []
    values = {
        "amount_cents": _cents(
            AMOUNTS[number % len(AMOUNTS)] * (LARGER_FACTOR if campaign and campaign.name in {ORCHESTRA, FLOOD} else 1)
        ),
        "covers_fee": number % 3 == 1,
        "first_name": first,
        "last_name": last,
        "email": email,
        "phone": "+44 1422 555 142" if number % 4 == 0 else "",
        "address": {**ADDRESS, "name": f"{first} {last}"} if number % 2 else None,
        "anonymous": number % 5 == 2,
        "designation": designations[number % len(designations)] if designations and number % 3 else "",
        "message": MESSAGES[number % len(MESSAGES)],
        "tribute": TRIBUTES[number % len(TRIBUTES)],
        **more,
    }
    return {**read_gift(values, campaign), **purpose}


@transaction.atomic
def _donate(number: int, causes: Causes) -> None:
    """Store a one-time donation, and its money."""
    status, purpose, now = STATUSES[number % len(STATUSES)], causes.purpose(number * 3 + number // 8), timezone.now()
    campaign: Campaign | None = purpose["campaign"]
    latest = campaign.ends_on if campaign and campaign.ends_on and campaign.ends_on < today() else today()
    at = charge_time(latest) - timedelta(days=2 + number * 11 % 150, hours=number % 9, minutes=number * 7 % 60)
    if status == PENDING:
        # Payment pages live for a day.
        purpose, at = causes.purpose(number % 2), now - timedelta(minutes=20 + number * 15 % 600)
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
def _repeat(number: int, causes: Causes) -> None:
    """Store a recurring donation with the payments of its dates."""
    status, frequency, dates, days = RECURRING[number % len(RECURRING)]
    last = today() - timedelta(days=days)
    step = relativedelta(months=1) if frequency == Frequency.MONTHLY else relativedelta(years=1)
    anchor = last - step * (dates - 1) if dates else None
    begun = charge_time(anchor) if anchor else timezone.now() - timedelta(hours=1 + number % 9)
    # Those who have gone on for longest give to no campaign that has ended.
    purpose = causes.purpose((0, 2, 7)[number % 3])
    gift = _gift(number + 1, f"regular{number + 1}@{DOMAIN}", purpose, frequency=frequency)
    recurring = RecurringDonation(**gift, status=status, anchor=anchor, dates=dates, created_at=begun, updated_at=begun)
    if dates:
        stored = StoredMethod(f"demo_{number + 1}", label=CARDS[number % len(CARDS)])
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
        description=describe(donation),
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
