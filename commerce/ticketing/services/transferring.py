"""Transfers tickets to other people. A transfer takes no seat; the code changes, so that the former holder cannot use it."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import ErrorCollector, Invalid, required
from cms_api.fields.base import FieldPath, read_line
from commerce.common.types import MAX_NAME, read_email

from ..models import AttendeeTicket, RevokedCode
from ..types.orders import TicketStatus
from . import notices
from .issuing import free_codes

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
        found["name"] = read_line(name, FieldPath("name", "name"), 2 * MAX_NAME) or ""
    if not found["name"] and "name" not in errors.errors:
        errors.add("name", required("name"))
    errors.raise_if_any()
    locked = AttendeeTicket.objects.select_for_update(of=("self",)).select_related("order").get(pk=ticket.pk)
    if locked.status != TicketStatus.VALID or locked.code != ticket.code:
        raise Invalid({"status": NOT_VALID})
    now, former = timezone.now(), (locked.attendee, locked.email)
    RevokedCode.objects.create(code=locked.code, ticket=locked, revoked_at=now)
    (code,) = free_codes(1)
    locked.code, locked.attendee_name, locked.holder_email = code, found["name"], found["email"]
    locked.updated_at = now
    # A check-in at this moment wins: it does not lock the ticket.
    changed = AttendeeTicket.objects.filter(pk=locked.pk, status=TicketStatus.VALID)
    if not changed.update(code=code, attendee_name=found["name"], holder_email=found["email"], updated_at=now):
        raise Invalid({"status": NOT_VALID})
    get_search_backend().add(locked)
    log(instance=locked.order, action="ticketing.transfer", user=user, data={"code": code})
    notices.send_transferred(locked)
    notices.notify_former_holder(locked, name=former[0], email=former[1])
    return locked


@transaction.atomic
def rename_attendee(*, ticket: AttendeeTicket, name: Any, user: Any = None) -> AttendeeTicket:
    """Correct the name on a ticket, whose code stays. Raises Invalid (`name`, `status`)."""
    read = read_line(name, FieldPath("name", "name"), 2 * MAX_NAME) or ""
    if not read:
        raise Invalid({"name": required("name")})
    now = timezone.now()
    changed = AttendeeTicket.objects.filter(pk=ticket.pk).exclude(status=TicketStatus.VOID)
    if not changed.update(attendee_name=read, updated_at=now):
        raise Invalid({"status": "This ticket is void."})
    stored = AttendeeTicket.objects.select_related("order").get(pk=ticket.pk)
    get_search_backend().add(stored)
    log(instance=stored.order, action="ticketing.rename_attendee", user=user, data={"code": stored.code})
    return stored
