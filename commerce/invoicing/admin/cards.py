"""The admin home's cards for invoices."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta

from django.conf import settings
from django.db.models import Count, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from cms_api.adminkit.cards import Card, Kind, count_up_to_max
from cms_api.flags.selectors import site_timezone
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.selectors import payments
from commerce.payments.types import PaymentStatus

from ..models import Invoice, RecurringInvoice
from ..models.invoices import IS_OUTSTANDING
from ..models.recurring import IS_STOPPED
from ..selectors.invoices import invoices as find_invoices
from ..selectors.invoices import today
from ..types.invoices import OUTSTANDING, OVERDUE, PAYABLE, Status
from ..types.invoices import Kind as InvoiceKind
from .recurring import STOPPED

#: For how long accepted estimates without an invoice are shown.
ACCEPTED_SHOWN_FOR = timedelta(days=30)


def invoices(request: HttpRequest) -> Iterator[Card]:
    """Overdue invoices, and what all clients owe."""
    url = reverse("invoices:index")
    yield Card(
        "Overdue invoices",
        f"{url}?status={OVERDUE}",
        text="Remind the clients, or record what they have paid.",
        icon="doc-full",
        count=count_up_to_max(find_invoices(status=OVERDUE)),
    )
    open_ = Invoice.objects.filter(IS_OUTSTANDING, currency=settings.SITE_CURRENCY)
    owed = open_.aggregate(number=Count("pk"), cents=Sum("balance_due_cents"))
    money = format_money(Money(owed["cents"] or 0, settings.SITE_CURRENCY))
    yield Card(
        "Outstanding",
        f"{url}?status={OUTSTANDING}",
        Kind.FIGURE,
        text=f"{money} from {owed['number']} invoice{'' if owed['number'] == 1 else 's'}",
        icon="doc-full",
    )


def sum_paid(request: HttpRequest) -> Card:
    """The money that invoices have brought this month."""
    begin = datetime.combine(today().replace(day=1), time(), tzinfo=site_timezone())
    # The second condition is that of the index: attempts to pay end within days.
    arrived = payments().filter(
        payable=PAYABLE,
        status=PaymentStatus.SUCCEEDED,
        created_at__gte=begin - ACCEPTED_SHOWN_FOR,
        paid_at__gte=begin,
        unapplied="",
        currency=settings.SITE_CURRENCY,
    )
    sums = arrived.aggregate(cents=Sum("amount_cents"), refunded=Sum("refunded_cents"))
    money = format_money(Money((sums["cents"] or 0) - (sums["refunded"] or 0), settings.SITE_CURRENCY))
    return Card("Invoices paid this month", reverse("payments:index"), Kind.FIGURE, text=money, icon="doc-full")


def create(request: HttpRequest) -> Card:
    return Card("Invoice", reverse("invoices:add"), Kind.CREATE, icon="doc-full")


def estimates(request: HttpRequest) -> Card:
    """Estimates that clients have accepted lately, and that have no invoice yet."""
    accepted = find_invoices(kind=InvoiceKind.ESTIMATE, status=Status.ACCEPTED)
    return Card(
        "Accepted estimates",
        f"{reverse('estimates:index')}?status={Status.ACCEPTED}",
        text="Convert them to invoices.",
        icon="doc-full",
        count=count_up_to_max(accepted.filter(invoice=None, decided_at__gte=timezone.now() - ACCEPTED_SHOWN_FOR)),
    )


def recurring(request: HttpRequest) -> Card:
    """Recurring invoices that could not be made."""
    return Card(
        "Stopped recurring invoices",
        f"{reverse('recurring_invoices:index')}?state={STOPPED}",
        text="An invoice couldn't be created, and the next ones are paused. Fix the problem, then bill the missed period.",
        icon="rotate",
        urgent=True,
        count=count_up_to_max(RecurringInvoice.objects.filter(IS_STOPPED)),
    )
