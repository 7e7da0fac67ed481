"""Reminds clients of invoices before and after they are due."""

import re
from datetime import date, timedelta

from cms_api.core.batches import Run
from cms_api.flags.selectors import get_setting

from ..models import Invoice
from ..models.invoices import IS_OUTSTANDING
from ..selectors.invoices import start_of, today
from .issuing import send_reminder

#: Invoices of each kind of reminder that one run of the job works on; the next run continues.
INVOICES_PER_RUN = 500
BEFORE, AFTER = "before", "after"
#: Reminders are sent on the day, or up to so many days later if the site was down.
GRACE_DAYS = 7
#: Days before the due date, at most.
MAX_DAYS_BEFORE_DUE = 365


def remind_clients() -> None:
    """Send the reminders of the day: each kind once for each invoice."""
    now = today()
    with Run() as run:
        for kind, due in _due_dates(now):
            _remind(run, kind, *due)


def _remind(run: Run, kind: str, first: date, last: date) -> None:
    found = Invoice.objects.filter(IS_OUTSTANDING, due_date__gte=first, due_date__lte=last, is_processing=False)
    # An invoice that was issued today needs no reminder yet.
    found = found.filter(sent_at__lt=start_of(today())).exclude(notices__kind=kind).order_by("due_date", "pk")
    run.each(found, lambda invoice: send_reminder(invoice=invoice, kind=kind), limit=INVOICES_PER_RUN)


def _due_dates(now: date) -> list[tuple[str, tuple[date, date]]]:
    """Return each kind of reminder with the first and last due date of the invoices it is for; no invoice gets two a day."""
    found = []
    if (before := get_setting("invoicing.remind_before_days")) > 0:
        found.append((BEFORE, (now, now + timedelta(days=min(before, MAX_DAYS_BEFORE_DUE)))))
    days = after_days()
    for place, day in enumerate(days):
        following = days[place + 1] if place + 1 < len(days) else day + GRACE_DAYS
        last, first = now - timedelta(days=day), now - timedelta(days=min(following - 1, day + GRACE_DAYS - 1))
        found.append((f"{AFTER}_{day}", (first, last)))
    return found


def after_days() -> list[int]:
    """Return the days after the due date on which clients are reminded, in order; of at most three digits."""
    typed = re.findall("[0-9]+", str(get_setting("invoicing.remind_after_days")))
    return sorted({int(text) for text in typed if len(text) <= 3 and int(text)})
