"""Transfers tickets to other people. A transfer takes no seat; the code changes, so that the former holder cannot use it."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.auth.services import visitors
from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.core.locks import get_row
from cms_api.fields.base import FieldPath
from commerce.common.types import MAX_NAME, read_email

from ..models import AttendeeTicket, RevokedCode
from ..types.orders import TicketStatus
from . import notices
from .issuing import free_codes
from .paying import date_of

DATE_OFF = "This date has been cancelled. Its tickets can't be transferred."
NOT_VALID = "Only a ticket that is valid and not checked in can be transferred."


@transaction.atomic
def transfer_ticket(*, ticket: AttendeeTicket, name: Any, email: Any, user: Any = None) -> AttendeeTicket:
    """Give a valid ticket a new code and holder, mail it to them, and notify the former holder; return it.

    `ticket` is as its holder saw it: one that was transferred since is refused. `user` is a member of staff, if one does it.
    Raises Invalid (`name`, `email`, `status`).
    """
    errors, found = ErrorCollector(), {"name": "", "email": ""}
    with errors.under():
        found["email"] = read_email(str(email or ""))
    with errors.under():
        found["name"] = visitors.read_name(name, FieldPath("name", "name"), 2 * MAX_NAME)
    if not found["name"] and "name" not in errors.errors:
        errors.add("name", required_message("name"))
    errors.raise_if_any()
    locked = get_row(AttendeeTicket.objects.select_for_update(of=("self",)).select_related("order"), ticket.pk)
    if locked.status != TicketStatus.VALID or locked.code != ticket.code:
        raise Invalid({"status": NOT_VALID})
    date = date_of(locked.order)
    if date is not None and date.is_cancelled:
        # The new holder would not hear of it.
        raise Invalid({"status": DATE_OFF})
    former = locked.attendee, locked.email
    _replace_code(locked, {"attendee_name": found["name"], "holder_email": found["email"]})
    log(instance=locked.order, action="ticketing.transfer", user=user, data={"code": locked.code})
    notices.send_transferred(locked)
    notices.notify_former_holder(locked, name=former[0], email=former[1])
    return locked


@transaction.atomic
def renew_code(*, ticket: AttendeeTicket, user: Any = None) -> AttendeeTicket:
    """Give a valid ticket a new code, which ends its link and what was printed, and mail it to its holder; return it.

    Raises Invalid (`status`).
    """
    locked = get_row(AttendeeTicket.objects.select_for_update(of=("self",)).select_related("order"), ticket.pk)
    if locked.status != TicketStatus.VALID:
        raise Invalid({"status": "Only a ticket that is valid and not checked in can get a new code."})
    _replace_code(locked, {})
    log(instance=locked.order, action="ticketing.renew_code", user=user, data={"code": locked.code})
    if locked.holder_email:
        notices.send_transferred(locked)
    else:
        notices.send_tickets(locked.order, [locked])
    return locked


def _replace_code(locked: AttendeeTicket, values: Mapping[str, str]) -> None:
    """Store a new code, and other values, of a valid ticket; the former code is revoked."""
    now = timezone.now()
    RevokedCode.objects.create(code=locked.code, ticket=locked, revoked_at=now)
    (code,) = free_codes(1)
    stored = {**values, "code": code, "updated_at": now}
    for name, value in stored.items():
        setattr(locked, name, value)
    # A check-in at this moment wins: it does not lock the ticket.
    if not AttendeeTicket.objects.filter(pk=locked.pk, status=TicketStatus.VALID).update(**stored):
        raise Invalid({"status": NOT_VALID})
    get_search_backend().add(locked)


@transaction.atomic
def rename_attendee(*, ticket: AttendeeTicket, name: Any, user: Any = None) -> AttendeeTicket:
    """Correct the name on a ticket, whose code stays. Raises Invalid (`name`, `status`)."""
    read = visitors.read_name(name, FieldPath("name", "name"), 2 * MAX_NAME)
    if not read:
        raise Invalid({"name": required_message("name")})
    now = timezone.now()
    changed = AttendeeTicket.objects.filter(pk=ticket.pk).exclude(status=TicketStatus.VOID)
    if not changed.update(attendee_name=read, updated_at=now):
        raise Invalid({"status": "This ticket is void."})
    stored = AttendeeTicket.objects.select_related("order").get(pk=ticket.pk)
    get_search_backend().add(stored)
    log(instance=stored.order, action="ticketing.rename_attendee", user=user, data={"code": stored.code})
    return stored
