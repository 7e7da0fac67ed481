"""Emails that staff ask for: a receipt again, and the statements of a year, each of which is sent once."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import jobs
from cms_api.core.batches import each
from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row
from cms_api.mail.types import check_mailable

from ..models import Donation, EmailedStatement
from ..models.statements import IS_WAITING
from ..resources.documents import statement_document
from ..selectors.donations import paid_in
from ..selectors.statements import donors_of, statement_years
from ..types.donations import MAX_ERROR
from . import notices

JOB = "send_donation_statements"
#: Seconds that one run may take; the next one continues.
RUN_SECONDS = 30
#: Statements that are stored at once.
BATCH_STATEMENTS = 500


@transaction.atomic
def send_receipt_again(*, donation: Donation, user: Any = None) -> None:
    """Email the receipt of a paid donation to its donor once more. Raises Invalid: `status` if it was never paid, `email`."""
    donation = get_row(Donation.objects.select_for_update(no_key=True), donation.pk)
    if donation.paid_at is None:
        raise Invalid({"status": "Only a paid donation has a receipt."})
    check_mailable(donation.email)
    notices.send_receipt(donation)
    log(instance=donation, action="donations.send_receipt", user=user)


@transaction.atomic
def request_statements(*, year: int, again_before: datetime | None = None, user: Any = None) -> int:
    """Have the statements of a year emailed in the background; return how many will be sent.

    Each donor gets one. With `again_before`, those whose statement was requested before then get it once more, so that a
    repeated request sends nothing twice. Statements that failed are attempted again. Raises Invalid (`year`).
    """
    if year not in statement_years():
        raise Invalid({"year": "There are no donations in this year."})
    now = timezone.now()
    wanted = {"requested_at": now, "requested_by": user}
    rows = EmailedStatement.objects.filter(year=year)
    due = Q(sent_at__isnull=True) & ~Q(error="")
    if again_before is not None:
        due |= Q(sent_at__isnull=False, requested_at__lt=again_before)
    rows.filter(due, email__in=donors_of(year).order_by()).update(**wanted, sent_at=None, error="")
    new = donors_of(year).exclude(email__in=rows.values("email"))
    statements = (EmailedStatement(year=year, email=email, **wanted) for email in new)
    EmailedStatement.objects.bulk_create(statements, batch_size=BATCH_STATEMENTS, ignore_conflicts=True)
    waiting = rows.filter(IS_WAITING).count()
    if waiting:
        jobs.run_soon(JOB)
    return waiting


def send_statements() -> None:
    """Email the statements that were asked for. A periodic job; what is left is for the next run."""
    each(EmailedStatement.objects.filter(IS_WAITING).order_by("pk"), _send_or_note, seconds=RUN_SECONDS)


def _send_or_note(statement: EmailedStatement) -> None:
    """Email a statement. Why it could not be is stored, and raised; it is not attempted again until staff ask for it."""
    try:
        _send(statement)
    except Exception as problem:
        error = repr(problem).replace("\0", "")[:MAX_ERROR]
        EmailedStatement.objects.filter(IS_WAITING, pk=statement.pk).update(error=error)
        raise


@transaction.atomic
def _send(statement: EmailedStatement) -> None:
    """Claim a statement and queue its email in one transaction: a crash undoes both, and only one process claims it."""
    if not EmailedStatement.objects.filter(IS_WAITING, pk=statement.pk).update(sent_at=timezone.now()):
        return
    donations = list(paid_in(statement.year, email=statement.email))
    if donations:
        notices.send_statement(donations[-1], statement.year, statement_document(donations, statement.year))
