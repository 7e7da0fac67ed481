"""Demo tickets of every status, each with a public and an internal message, and spam; and the set-up of a help desk.

Tickets are matched by their addresses. No events are emitted and no emails sent.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from commerce.common.services import next_number

from .models import CannedAnswer, Category, Hours, Message, StatusChange, Target, Ticket
from .selectors.tickets import agents
from .services import set_tags
from .services.setup import save_canned_answer, save_category, save_hours, save_target
from .types.tickets import FIRST_NUMBER, SERIES, TEAM, AuthorType, Channel, Priority, TicketStatus

OPEN, PENDING, RESOLVED, CLOSED = TicketStatus
DOMAIN = "requesters.example"
CATEGORIES = (
    ("Orders", "Delivery, returns and damaged goods."),
    ("Courses", "Dates, places and certificates."),
    ("Account", "Signing in and your details."),
)
CANNED = (
    ("Replacement sent", "Hello {{ name }},\n\nwe're sorry! A replacement is on its way.\n\n{{ agent }}"),
    (
        "Ask for the order number",
        "Hello {{ name }},\n\ncould you send us the number of your order? It begins with ORD.\n\n{{ agent }}",
    ),
)
#: Minutes to the first response and to the resolution, by priority.
TARGETS = {Priority.LOW: (960, 4800), Priority.NORMAL: (480, 2400), Priority.HIGH: (240, 960), Priority.URGENT: (60, 240)}
WEEK = [
    {"weekday": day, "opens": opens, "closes": closes}
    for day in range(5)
    for opens, closes in ((time(9), time(12, 30)), (time(13, 30), time(17)))
]
PEOPLE = ("Dana Reyes", "Ömer Güneş", "Ruth Adeyemi", "Lena Brandt", "Tom Hale", "Priya Nair", "Noor de Vries")
#: Subject, message, internal note, answer, category.
TALKS = (
    (
        "A mug arrived broken",
        "One of the two mugs arrived with a broken handle.",
        "The second one this month.",
        "We're sorry! A replacement is on its way.",
        0,
    ),
    (
        "Is there a place on Saturday?",
        "The drawing course shows as full. Is there a waiting list?",
        "Mira keeps two places free.",
        "We have one place left and can hold it until Thursday.",
        1,
    ),
    (
        "I cannot sign in",
        "The link in your email says that it has expired.",
        "Address confirmed by phone.",
        "We sent you a new link. It works for an hour.",
        2,
    ),
    (
        "Wrong size delivered",
        "I ordered the apron in M and received an L.",
        "Stock of M is low.",
        "Please keep it. The right size leaves today.",
        0,
    ),
    (
        "Certificate for my employer",
        "Could I have a certificate for the glazing course?",
        "Template is in the office folder.",
        "It is attached to your account now.",
        1,
    ),
)
#: Tickets at scale 1: a status, a priority, days ago, a rating.
PLAN: list[tuple[TicketStatus, Priority, int, int | None]] = [
    *((OPEN, priority, days, None) for priority, days in ((Priority.URGENT, 0), (Priority.NORMAL, 1), (Priority.HIGH, 2))),
    *((PENDING, priority, days, None) for priority, days in ((Priority.NORMAL, 2), (Priority.LOW, 3), (Priority.HIGH, 5))),
    *((RESOLVED, Priority.NORMAL, days, rating) for days, rating in ((3, 5), (4, None), (6, 4))),
    *((CLOSED, Priority.LOW, days, rating) for days, rating in ((15, 5), (22, 2), (30, None), (33, 4))),
]
SPAM = ("Grow your traffic today", "Dear sir, we offer first places in every search engine for little money.")


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    categories = [_category(position, name, about) for position, (name, about) in enumerate(CATEGORIES)]
    for title, body in CANNED:
        if not CannedAnswer.objects.filter(title=title).exists():
            save_canned_answer(values={"title": title, "body": body})
    if not Hours.objects.exists():
        save_hours(hours=WEEK)
    if not Target.objects.exists():
        for priority, (response, resolution) in TARGETS.items():
            save_target(priority=priority, first_response_minutes=response, resolution_minutes=resolution)
    team = list(agents()[:2])
    known = set(Ticket.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    for number in range(len(PLAN) * scale):
        if _address(number) not in known:
            _open(number, categories, team)
            progress(1)
    if f"offers@{DOMAIN}" not in known:
        _open_spam()
        progress(1)


def _address(number: int) -> str:
    return f"person{number + 1}@{DOMAIN}"


def _category(position: int, name: str, about: str) -> Category:
    found = Category.objects.filter(name=name).first()
    return found or save_category(values={"name": name, "description": about, "position": position})


@transaction.atomic
def _open(number: int, categories: Sequence[Category], team: Sequence[Any]) -> None:
    status, priority, days, rating = PLAN[number % len(PLAN)]
    subject, text, note, answer, category = TALKS[number % len(TALKS)]
    begin = timezone.now() - timedelta(days=days + 21 * (number // len(PLAN)), hours=3, minutes=11 * number % 50)
    name = PEOPLE[number % len(PEOPLE)]
    agent = team[number % len(team)] if team and number % 3 else None
    ticket = _insert(subject, name, _address(number), begin, priority=priority, category=categories[category], assignee=agent)
    answered, ended = begin + timedelta(minutes=50), begin + timedelta(minutes=110)
    _say(ticket, AuthorType.CUSTOMER, text, begin)
    _say(ticket, AuthorType.STAFF, note, begin + timedelta(minutes=20), is_internal=True, agent=agent)
    if status != OPEN:
        _say(ticket, AuthorType.STAFF, answer, answered, agent=agent)
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
    begin = timezone.now() - timedelta(days=1)
    reason = "Marked as spam by the mail server."
    ticket = _insert(SPAM[0], "Best Offers", f"offers@{DOMAIN}", begin, is_spam=True, spam_reason=reason)
    _say(ticket, AuthorType.CUSTOMER, SPAM[1], begin)
    _say(ticket, AuthorType.STAFF, "Looks like an offer to everybody.", begin + timedelta(minutes=5), is_internal=True)
    ticket.save()
    get_search_backend().add(ticket)
