"""Conversions: what a visitor has reached, counted on the server in the transaction of what happened.

The visitor is that of the request. A payment that a provider reports later belongs to the visitor who began it.
"""

import time
from collections.abc import Callable
from typing import Any

from django.utils import timezone
from django.utils.crypto import salted_hmac

from cms_api.accounts.selectors import is_editor
from cms_api.auth.selectors import client_ip
from cms_api.http.current import current_request

from ..models import Attribution, PendingEvent
from ..types.events import Event, Kind
from ..types.goals import GOALS, Goal
from .collecting import MAX_AGENT
from .exclusions import is_counted
from .rules import rules
from .salts import Visitor, salts

ADMIN = "/admin/"


def follow_payment(payment: Any) -> None:
    """Remember the visitor who begins to pay for something; the first one, if there are several attempts."""
    sender = current_visitor()
    if sender is not None:
        row = Attribution(payable=payment.payable, record_id=payment.record_id, visitor=sender.today, created_at=timezone.now())
        Attribution.objects.bulk_create([row], ignore_conflicts=True)


def current_visitor() -> Visitor | None:
    """Return the visitor whose request is being answered; None for staff, robots, the admin, the API and jobs."""
    request = current_request()
    if request is None or request.path_info.startswith(ADMIN):
        return None
    agent, address = request.META.get("HTTP_USER_AGENT", "")[:MAX_AGENT], client_ip(request)
    user = getattr(request, "user", None)
    if not is_counted(request.headers, agent, address, rules()) or (
        user is not None and user.is_authenticated and is_editor(user)
    ):
        return None
    return salts().visitor(address, agent)


def reach(goal: Goal, record: Any) -> None:
    """Count a goal for the visitor who has reached it; not at all if nobody did, as when staff or an integration acts."""
    if not goal.counts(record):
        return
    known = Attribution.objects.filter(payable=goal.payable, record_id=record.pk).first() if goal.payable else None
    sender = Visitor(known.visitor, 0) if known else current_visitor()
    if sender is None:
        return
    value, currency = goal.value(record)
    now = time.time()
    event = Event(
        uid=_uid(goal, record),
        kind=Kind.GOAL,
        at=now,
        visitor=sender.today,
        formerly=sender.yesterday,
        goal=goal.name,
        value_cents=value,
        currency=currency,
    )
    PendingEvent.objects.create(line=event.as_line(), at=now)


def _uid(goal: Goal, record: Any) -> int:
    """Return the same number for the same record, so that it is counted once. No page can foresee and use it."""
    name = f"{goal.kind}:{record.pk or time.time_ns()}"
    return (int.from_bytes(salted_hmac("analytics.goal", name).digest()[:8]) >> 1) or 1


def _listener(goal: Goal) -> Callable[[Any], None]:
    def listen(record: Any) -> None:
        reach(goal, record)

    return listen


form, subscription, order, booking, ticket, donation = map(_listener, GOALS)
