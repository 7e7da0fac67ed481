"""The answers of clients to estimates, and the invoices that come of them."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.auth.services import visitors
from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.fields.base import FieldPath, read_line
from commerce.common.types import MAX_NAME

from ..models import Invoice
from ..selectors.invoices import today
from ..types.invoices import MAX_REASON, Kind, Status
from . import notices
from .issuing import locked_again
from .numbers import give_number
from .writing import copied_values, save_invoice

CHANGED = "This estimate has been changed since you opened it. Check it, and answer again."


@transaction.atomic
def accept_estimate(*, estimate: Invoice, name: str, note: str = "", sent_at: str = "", user: Any = None) -> bool:
    """Accept a sent estimate; return False if it is accepted already.

    `name` is that of the person who accepts it, as typed; `sent_at` (ISO 8601) that of the estimate that the client has read,
    which may have been changed and sent again since; `user` is a member of staff who records it, and is not bound by its last
    day. Raises Invalid (`status`, `name`, `note`).
    """
    return _decide(estimate, Status.ACCEPTED, name, note, user, by_client=user is None, sent_at=sent_at)


@transaction.atomic
def decline_estimate(*, estimate: Invoice, name: str = "", note: str = "", sent_at: str = "", user: Any = None) -> bool:
    """Decline an estimate, also, by staff, one that is a draft; return False if it is declined already. See `accept_estimate`."""
    return _decide(estimate, Status.DECLINED, name, note, user, by_client=user is None, sent_at=sent_at)


def _decide(estimate: Invoice, status: Status, name: str, note: str, user: Any, *, by_client: bool, sent_at: str = "") -> bool:
    locked = locked_again(estimate)
    if locked.status == status:
        return False
    if sent_at and (locked.sent_at is None or sent_at != locked.sent_at.isoformat()):
        raise Invalid({"status": CHANGED})
    is_withdrawn = not by_client and locked.is_draft and status == Status.DECLINED
    if locked.is_invoice or not (locked.status == Status.SENT or is_withdrawn):
        raise Invalid({"status": f"This {locked.kind} can't be {status.value} any more."})
    if by_client and locked.due_date is not None and locked.due_date < today():
        raise Invalid({"status": "This estimate has expired. Please contact us for a new one."})
    errors = ErrorCollector()
    with errors.under():
        locked.decided_by = visitors.read_name(name, FieldPath("name", "name"), 2 * MAX_NAME)
        if by_client and not locked.decided_by:
            errors.add("name", required_message("name"))
    with errors.under():
        locked.decision_note = read_line(note, FieldPath("note", "note"), MAX_REASON) or ""
    errors.raise_if_any()
    give_number(locked)
    now = timezone.now()
    locked.status, locked.decided_at, locked.updated_at = status, now, now
    locked.save()
    log(instance=locked, action=f"invoicing.{status}", user=user, data={"name": locked.decided_by})
    notices.record(locked, status.value)
    if by_client:
        notices.notify_decided(locked)
    return True


@transaction.atomic
def convert_estimate(*, estimate: Invoice, user: Any = None) -> Invoice:
    """Return the invoice of an estimate: a draft with its items, or the one that it became before, unless that is void.

    Raises Invalid (`status`) unless it was sent or accepted.
    """
    locked = locked_again(estimate)
    if locked.is_invoice or locked.status not in {Status.SENT, Status.ACCEPTED}:
        raise Invalid({"status": "Only estimates that were sent or accepted become invoices."})
    if existing := Invoice.objects.filter(estimate=locked).exclude(status=Status.VOID).first():
        return existing
    # An estimate has one invoice: a new one takes the place of a void one.
    Invoice.objects.filter(estimate=locked).update(estimate=None, updated_at=timezone.now())
    if locked.status == Status.SENT:
        _decide(locked, Status.ACCEPTED, "", "", user, by_client=False)
    values = copied_values(locked)
    if not locked.terms:
        # Those of payment are printed on invoices only.
        del values["terms"]
    invoice = save_invoice(values=values, kind=Kind.INVOICE, user=user, estimate=locked, currency=locked.currency)
    log(instance=locked, action="invoicing.convert", user=user, data={"number": str(invoice)})
    return invoice
