"""Demo tickets of every status, each with a public and an internal message, and spam; and the set-up of a help desk.

Tickets are matched by their addresses. No events are emitted and no emails sent.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.demo import data_beside, missing, pick
from commerce.common.services import next_number

from .models import CannedAnswer, Category, Hours, Message, StatusChange, Target, Ticket
from .selectors.tickets import agents
from .services import set_tags
from .services.setup import save_canned_answer, save_category, save_hours, save_target
from .types.tickets import FIRST_NUMBER, SERIES, TEAM, AuthorType, Channel, TicketStatus

OPEN, PENDING, RESOLVED, CLOSED = TicketStatus
DOMAIN = "requesters.example"
DATA = data_beside(__file__)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    for position, category in missing(DATA["categories"], Category.objects, "name"):
        save_category(values={**category, "position": position})
    for _, answer in missing(DATA["canned_answers"], CannedAnswer.objects, "title"):
        save_canned_answer(values=answer)
    if not Hours.objects.exists():
        hours = [(row["weekday"], time.fromisoformat(row["opens"]), time.fromisoformat(row["closes"])) for row in DATA["hours"]]
        save_hours(hours=[{"weekday": day, "opens": opens, "closes": closes} for day, opens, closes in hours])
    if not Target.objects.exists():
        for target in DATA["targets"]:
            save_target(**target)
    team = list(agents()[:2])
    known = set(Ticket.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    for number in range(len(DATA["tickets"]) * scale):
        if _address(number) not in known:
            _open(number, team)
            progress(1)
    if f"offers@{DOMAIN}" not in known:
        _open_spam()
        progress(1)


def _address(number: int) -> str:
    return f"person{number + 1}@{DOMAIN}"


@transaction.atomic
def _open(number: int, team: Sequence[Any]) -> None:
    planned, talk = pick(DATA["tickets"], number), pick(DATA["talks"], number)
    status, rating, days = planned["status"], planned["rating"], planned["days_ago"] + 21 * (number // len(DATA["tickets"]))
    begin = timezone.now() - timedelta(days=days, hours=3, minutes=11 * number % 50)
    name = pick(DATA["people"], number)
    agent = team[number % len(team)] if team and number % 3 else None
    values = {"priority": planned["priority"], "category": Category.objects.get(name=talk["category"]), "assignee": agent}
    ticket = _insert(talk["subject"], name, _address(number), begin, **values)
    answered, ended = begin + timedelta(minutes=50), begin + timedelta(minutes=110)
    _say(ticket, AuthorType.CUSTOMER, talk["message"], begin)
    _say(ticket, AuthorType.STAFF, talk["note"], begin + timedelta(minutes=20), is_internal=True, agent=agent)
    if status != OPEN:
        _say(ticket, AuthorType.STAFF, talk["answer"], answered, agent=agent)
        ticket.first_response_at = answered
        _log(ticket, PENDING, answered)
    if status == PENDING:
        # Jobs leave it alone.
        ticket.waiting_since = None
    if status in {RESOLVED, CLOSED}:
        ticket.resolved_at = timezone.now() - timedelta(hours=2) if status == RESOLVED else ended
        _log(ticket, RESOLVED, ticket.resolved_at)
    if status == CLOSED:
        ticket.closed_at = begin + timedelta(days=7)
        _log(ticket, CLOSED, ticket.closed_at)
    if rating:
        ticket.csat_sent_at, ticket.csat_rating, ticket.csat_rated_at = ticket.resolved_at, rating, ticket.resolved_at
    ticket.status = status
    ticket.updated_at = ticket.closed_at or ticket.resolved_at or ticket.last_message_at or begin
    ticket.save()
    if number % 4 == 0:
        set_tags(ticket=ticket, tags=["Returns", "VIP"][: 1 + number % 2])
    Ticket.objects.filter(pk=ticket.pk).update(updated_at=ticket.updated_at)
    get_search_backend().add(ticket)


def _insert(subject: str, name: str, email: str, begin: datetime, **values: Any) -> Ticket:
    number = f"{SERIES}-{next_number(SERIES, first=FIRST_NUMBER)}"
    moments = {"created_at": begin, "updated_at": begin, "last_message_at": begin}
    made = {"number": number, "subject": subject, "name": name, "email": email, "channel": Channel.EMAIL, **moments, **values}
    if not values.get("is_spam"):
        made["announced_at"] = begin
    ticket = Ticket.objects.create(**made)
    _log(ticket, OPEN, begin)
    return ticket


def _say(ticket: Ticket, author: AuthorType, body: str, at: datetime, *, is_internal: bool = False, agent: Any = None) -> None:
    is_customer = author == AuthorType.CUSTOMER
    staff = agent.get_full_name() or agent.get_username() if agent else TEAM
    Message.objects.create(
        ticket=ticket,
        author_type=author,
        author_name=ticket.name if is_customer else staff,
        author_email=ticket.email if is_customer else "",
        user=None if is_customer else agent,
        channel=Channel.EMAIL if is_customer else Channel.ADMIN,
        body=body,
        is_internal=is_internal,
        created_at=at,
    )
    ticket.message_count += 1
    ticket.last_message_at = at


def _log(ticket: Ticket, status: TicketStatus, at: datetime) -> None:
    StatusChange.objects.create(ticket=ticket, status=status, at=at)


@transaction.atomic
def _open_spam() -> None:
    begin, spam = timezone.now() - timedelta(days=1), DATA["spam"]
    state = {"is_spam": True, "spam_reason": spam["spam_reason"]}
    ticket = _insert(spam["subject"], spam["name"], f"offers@{DOMAIN}", begin, **state)
    _say(ticket, AuthorType.CUSTOMER, spam["message"], begin)
    _say(ticket, AuthorType.STAFF, spam["note"], begin + timedelta(minutes=5), is_internal=True)
    ticket.save()
    get_search_backend().add(ticket)
