"""Reads for the statements of a year: the donors who get one, and how far sending them has come."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Count, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from cms_api.flags.selectors import site_timezone
from commerce.common.types.money import Money

from ..models import Donation, EmailedStatement
from ..models.statements import IS_WAITING
from ..types.donations import DonationStatus
from .donations import paid_in, today


@dataclass(frozen=True, slots=True)
class StatementYear:
    """The donations of a year, and the statements about them by their state."""

    year: int
    donors: int
    donations: int
    #: In the site's currency, with covered fees, without what went back.
    total: Money
    sent: int
    waiting: int
    failed: int
    last_sent_at: datetime | None
    #: Donors whose statement has not been sent, nor will be.
    unsent: int


def statement_years() -> list[int]:
    """Return the years from the first paid donation to now, the latest first; empty if nothing was ever donated."""
    ends = Donation.objects.filter(paid_at__isnull=False).aggregate(first=Min("paid_at"), last=Max("paid_at"))
    if ends["first"] is None:
        return []
    first, last = (ends[name].astimezone(site_timezone()).year for name in ("first", "last"))
    return list(range(max(last, today().year), first - 1, -1))


def donations_of_statements(year: int) -> QuerySet[Donation]:
    """Return the donations of a year whose donors get a statement: someone whose money all went back gets none."""
    return paid_in(year).filter(status=DonationStatus.PAID)


def donors_of(year: int) -> QuerySet[Any]:
    """Return the addresses of the donors who get a statement of a year."""
    return donations_of_statements(year).order_by("email").values_list("email", flat=True).distinct()


def statement_year(year: int) -> StatementYear:
    """Return the state of a year (four statements)."""
    counted = donations_of_statements(year).aggregate(donors=Count("email", distinct=True), donations=Count("pk"))
    own = donations_of_statements(year).filter(currency=settings.SITE_CURRENCY)
    cents = Coalesce(Sum("amount_cents") + Sum("fee_cover_cents") - Sum("refunded_cents"), 0)
    states = EmailedStatement.objects.filter(year=year).aggregate(
        sent=Count("pk", filter=Q(sent_at__isnull=False)),
        waiting=Count("pk", filter=IS_WAITING),
        failed=Count("pk", filter=Q(sent_at__isnull=True) & ~Q(error="")),
        last_sent_at=Max("sent_at"),
    )
    asked_for = EmailedStatement.objects.filter(Q(sent_at__isnull=False) | IS_WAITING, year=year)
    unsent = donors_of(year).exclude(email__in=asked_for.values("email")).count()
    total = Money(own.aggregate(cents=cents)["cents"], settings.SITE_CURRENCY)
    return StatementYear(year=year, **counted, total=total, unsent=unsent, **states)
