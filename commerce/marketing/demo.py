"""Demo subscribers of every status, mailing lists, and two sequences with enrolments in every state.

Matched by email and slug, so loading again only adds what is missing. No emails are sent and no events emitted: the sequences
stay paused until started by hand.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from commerce.common.services import BATCH

from . import models
from .models import Enrolment, MailingList, SequenceStep, Subscriber
from .services.sequences import save_sequence
from .types import EnrolmentState, Status, Trigger, Unit

Progress = Callable[[int], None]
Known = tuple[str, str, str, list[str], str]

#: Slug, name, description, tag, and whether visitors can subscribe to it.
LISTS = (
    ("workshops", "Workshops", "New dates for pottery, printing and baking workshops, about once a month.", "workshops", True),
    ("concerts", "Concerts", "What's on in the great hall, and when tickets go on sale.", "concerts", True),
    ("friends", "Friends of the mill", "News for our supporters.", "friends", False),
)

#: Email, first and last name, tags, source.
ACTIVE: Sequence[Known] = (
    ("dana.reyes@example.com", "Dana", "Reyes", ["workshops"], "form"),
    ("omer.gunes@example.com", "Ömer", "Güneş", ["workshops", "concerts"], "form"),
    ("ruth.adeyemi@example.com", "Ruth", "Adeyemi", ["concerts"], "api"),
    ("lena.brandt@example.com", "Lena", "Brandt", ["friends", "concerts"], "import"),
    ("tom.hale@example.com", "Tom", "Hale", ["workshops"], "admin"),
    ("priya.nair@example.com", "Priya", "Nair", [], "form"),
    ("sofia.lindqvist@example.com", "Sofia", "Lindqvist", ["friends"], "import"),
    ("post@example.com", "", "", ["concerts"], "form"),
)
PENDING: Sequence[Known] = (
    ("marek.nowak@example.com", "Marek", "Nowak", ["workshops"], "form"),
    ("yuki.tanaka@example.com", "Yuki", "Tanaka", ["concerts"], "form"),
    ("ines.costa@example.com", "Inês", "Costa", [], "form"),
)
UNSUBSCRIBED: Sequence[Known] = (
    ("paul.martin@example.com", "Paul", "Martin", ["workshops"], "form"),
    ("hanna.vogel@example.com", "Hanna", "Vogel", ["concerts"], "import"),
    ("kofi.mensah@example.com", "Kofi", "Mensah", [], "api"),
)
#: Subscribers added per unit of scale.
BULK_SUBSCRIBERS = 40
_FIRST = ("Ada", "Ben", "Clara", "David", "Elif", "Farid", "Greta", "Hugo", "Irene", "Jonas")
_LAST = ("Abbott", "Bianchi", "Chen", "Dubois", "Eriksen", "Fischer", "Garcia")

WELCOME: Mapping[str, Any] = {
    "name": "Welcome",
    "trigger": Trigger.SUBSCRIBED,
    "steps": [
        {
            "delay": 0,
            "unit": Unit.MINUTES,
            "subject": "Welcome to {{ site }}",
            "body": "<p>{{ greeting }},</p><p>Thank you for subscribing. You'll hear our news first.</p>"
            '<p>Until then, <a href="{{ site_url }}">have a look around</a>.</p>',
        },
        {
            "delay": 3,
            "unit": Unit.DAYS,
            "subject": "Three rooms worth seeing",
            "body": "<p>{{ greeting }},</p><p>Most visitors find these by chance:</p>"
            "<ul><li>the gallery above the hall</li><li>the print shop, open on Thursdays</li><li>the garden</li></ul>",
        },
        {
            "delay": 7,
            "unit": Unit.DAYS,
            "subject": "What would you like to hear about?",
            "body": "<p>{{ greeting }},</p><p>We'd like to send you only what interests you. Pick your topics below.</p>",
        },
    ],
}
AFTERWARDS: Mapping[str, Any] = {
    "name": "After a workshop",
    "trigger": Trigger.TAGGED,
    "tag": "workshops",
    "steps": [
        {
            "delay": 1,
            "unit": Unit.DAYS,
            "subject": "How was it, {{ first_name }}?",
            "body": "<p>{{ greeting }},</p><p>We hope your hands are clean again. What could we do better?</p>",
        },
        {
            "delay": 14,
            "unit": Unit.DAYS,
            "subject": "Your pieces are ready",
            "body": "<p>{{ greeting }},</p><p>Pick them up by the door, <strong>Tuesday to Saturday</strong>, for a month.</p>",
        },
    ],
}
SEQUENCES: Mapping[str, Mapping[str, Any]] = {"welcome": WELCOME, "after-a-workshop": AFTERWARDS}

#: By sequence: email, days since enrolment, steps sent, and state.
ENROLLED: Mapping[str, Sequence[tuple[str, int, int, EnrolmentState]]] = {
    "welcome": (
        ("dana.reyes@example.com", 1, 1, EnrolmentState.ACTIVE),
        ("omer.gunes@example.com", 5, 2, EnrolmentState.ACTIVE),
        ("priya.nair@example.com", 0, 0, EnrolmentState.ACTIVE),
        ("ruth.adeyemi@example.com", 30, 3, EnrolmentState.FINISHED),
        ("lena.brandt@example.com", 45, 3, EnrolmentState.FINISHED),
        ("sofia.lindqvist@example.com", 60, 3, EnrolmentState.FINISHED),
        ("paul.martin@example.com", 20, 1, EnrolmentState.STOPPED),
        ("hanna.vogel@example.com", 25, 2, EnrolmentState.STOPPED),
        ("kofi.mensah@example.com", 28, 1, EnrolmentState.STOPPED),
    ),
    "after-a-workshop": (
        ("dana.reyes@example.com", 0, 0, EnrolmentState.ACTIVE),
        ("omer.gunes@example.com", 4, 1, EnrolmentState.ACTIVE),
        ("tom.hale@example.com", 40, 2, EnrolmentState.FINISHED),
        ("paul.martin@example.com", 22, 1, EnrolmentState.STOPPED),
    ),
}


@transaction.atomic
def load(scale: int, progress: Progress) -> None:
    """Create missing demo data; `scale` multiplies the subscribers."""
    now = timezone.now()
    for position, (slug, name, description, tag, is_public) in enumerate(LISTS, start=1):
        defaults = {"name": name, "description": description, "tag": tag, "is_public": is_public, "position": position}
        if not MailingList.objects.filter(tag__iexact=tag).exists():
            MailingList.objects.get_or_create(slug=slug, defaults=defaults)
    _make_people(scale, now, progress)
    for slug, values in SEQUENCES.items():
        if not models.Sequence.objects.filter(slug=slug).exists():
            _enrol(save_sequence(slug=slug, values=values), ENROLLED[slug], now)


def _make_people(scale: int, now: datetime, progress: Progress) -> None:
    people = [(*person, Status.ACTIVE) for person in ACTIVE]
    people += [(*person, Status.PENDING) for person in PENDING]
    people += [(*person, Status.UNSUBSCRIBED) for person in UNSUBSCRIBED]
    rows = [_person(number, now, *person) for number, person in enumerate(people)]
    rows += [_reader(number, now) for number in range(BULK_SUBSCRIBERS * scale)]
    known = set(Subscriber.objects.values_list("email", flat=True))
    rows = [row for row in rows if row.email not in known]
    for start in range(0, len(rows), BATCH):
        made = Subscriber.objects.bulk_create(rows[start : start + BATCH])
        get_search_backend().add_bulk(Subscriber, made)
        progress(len(made))


def _reader(number: int, now: datetime) -> Subscriber:
    first, last = _FIRST[number % len(_FIRST)], _LAST[number % len(_LAST)]
    status = Status.PENDING if number % 12 == 7 else Status.UNSUBSCRIBED if number % 9 == 5 else Status.ACTIVE
    tags = [tag for index, (_, _, _, tag, _) in enumerate(LISTS) if number % (index + 2) == 0]
    return _person(
        number, now, f"reader.{number + 1}@example.com", first, last, tags, ("form", "import", "api")[number % 3], status
    )


def _person(
    number: int, now: datetime, email: str, first_name: str, last_name: str, tags: list[str], source: str, status: Status
) -> Subscriber:
    # Pending subscribers are deleted after a month.
    days = number % 28 if status == Status.PENDING else number * 3 % 400
    since = now - timedelta(days=days + 1, hours=number % 24)
    left = since + timedelta(hours=20) if status == Status.UNSUBSCRIBED else None
    return Subscriber(
        email=email,
        first_name=first_name,
        last_name=last_name,
        tags=tags,
        source=source,
        status=status,
        created_at=since,
        confirmed_at=None if status == Status.PENDING else since + timedelta(minutes=12),
        unsubscribed_at=left,
        updated_at=left or since,
    )


def _enrol(sequence: models.Sequence, rows: Sequence[tuple[str, int, int, EnrolmentState]], now: datetime) -> None:
    steps = list(SequenceStep.objects.filter(sequence=sequence).order_by("position", "id"))
    people = {person.email: person for person in Subscriber.objects.filter(email__in=[row[0] for row in rows])}
    for email, days, got, state in rows:
        enrolled = now - timedelta(days=days)
        since = enrolled + sum((step.wait for step in steps[:got]), timedelta())
        following = steps[got] if state == EnrolmentState.ACTIVE else None
        Enrolment.objects.create(
            sequence=sequence,
            subscriber=people[email],
            state=state,
            next_step=following,
            next_at=since + following.wait if following else None,
            since=since,
            sent=[step.pk for step in steps[:got]],
            enrolled_at=enrolled,
        )
