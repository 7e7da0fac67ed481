"""Donations, recurring donations and fundraisers: statuses and limits."""

from dataclasses import dataclass

from django.db.models import TextChoices

from commerce.common.types.money import MAX_AMOUNT_CENTS
from commerce.common.types.periods import Interval

#: The name of donations among what is paid for; payments store it.
PAYABLE = "donation"
#: Changes whenever public pages about donations do.
VERSION = "donations"
#: Monthly and yearly: a view of lists, and no frequency.
RECURRING = "recurring"

#: The path below a campaign's page on which supporters start fundraisers, and the slugs that no record has therefore.
START_PATH = "start-a-fundraiser"
RESERVED_SLUGS = frozenset({START_PATH})

MAX_TITLE = 150
MAX_SUMMARY = 300
MAX_STORY = 10_000
MAX_MESSAGE = 1_000
MAX_DESIGNATION = 150
MAX_NUMBER = 20
MAX_ERROR = 300
#: Suggested amounts, and designations, of a campaign.
MAX_CHOICES = 12
MAX_POSITION = 1_000_000
#: Of one donation, in minor units.
LARGEST_DONATION = MAX_AMOUNT_CENTS

#: How long a link in an email confirms or undoes a changed amount.
CHANGE_DAYS = 7
#: A renewal whose card is declined is charged again so many days after its date; then the donation is paused.
RETRY_DAYS = (1, 3, 5, 8, 11, 14)


@dataclass(frozen=True, slots=True)
class Amounts:
    """The amounts that a recurring donation is charged with at each date, in minor units."""

    amount_cents: int
    fee_cover_cents: int = 0

    @property
    def total_cents(self) -> int:
        return self.amount_cents + self.fee_cover_cents


class DonationStatus(TextChoices):
    #: Its payment page is open, or its card will be charged.
    PENDING = "pending", "Pending"
    PAID = "paid", "Paid"
    #: Its payment failed or was given up; it can still be paid.
    FAILED = "failed", "Failed"
    REFUNDED = "refunded", "Refunded"


#: A donation in one of these can be paid.
UNPAID = (DonationStatus.PENDING, DonationStatus.FAILED)


class Frequency(TextChoices):
    ONCE = "once", "Once"
    MONTHLY = "monthly", "Monthly"
    YEARLY = "yearly", "Yearly"


INTERVALS = {Frequency.MONTHLY: Interval.MONTH, Frequency.YEARLY: Interval.YEAR}


class RecurringStatus(TextChoices):
    #: The first donation has not been paid.
    PENDING = "pending", "Pending"
    ACTIVE = "active", "Active"
    #: The card was declined for the latest donation; it will be charged again.
    PAST_DUE = "past_due", "Past due"
    #: By staff, or because the card was declined too often.
    PAUSED = "paused", "Paused"
    CANCELLED = "cancelled", "Cancelled"


#: Those that are charged on their dates.
RUNNING = (RecurringStatus.ACTIVE, RecurringStatus.PAST_DUE)


class TributeType(TextChoices):
    HONOR = "honor", "In honor of"
    MEMORY = "memory", "In memory of"


class FundraiserStatus(TextChoices):
    #: It waits for somebody to approve it.
    PENDING = "pending", "Pending"
    PUBLISHED = "published", "Published"
    #: It takes no more donations, and is still shown.
    ENDED = "ended", "Ended"
    HIDDEN = "hidden", "Hidden"
