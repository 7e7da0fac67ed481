"""Demo subscribers of every status, mailing lists, and two sequences with enrolments in every state.

Matched by email and slug, so loading again only adds what is missing. No emails are sent and no events emitted: the sequences
stay paused until started by hand.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.demo import data_beside, missing, pick
from commerce.common.services import BATCH

from . import models
from .models import Enrolment, MailingList, SequenceStep, Subscriber
from .services.sequences import save_sequence
from .types import EnrolmentState, Status

Progress = Callable[[int], None]

#: Subscribers added per unit of scale.
BULK_SUBSCRIBERS = 40
DATA = data_beside(__file__)


@transaction.atomic
def load(scale: int, progress: Progress) -> None:
    """Create missing demo data; `scale` multiplies the subscribers."""
    now = timezone.now()
    for position, row in enumerate(DATA["lists"], start=1):
        if not MailingList.objects.filter(tag__iexact=row["tag"]).exists():
            MailingList.objects.get_or_create(slug=row["slug"], defaults={**row, "position": position})
    _make_people(scale, now, progress)
    for _, values in missing(DATA["sequences"], models.Sequence.objects, "slug"):
        _enrol(save_sequence(slug=values["slug"], values=values), values["enrolments"], now)


def _make_people(scale: int, now: datetime, progress: Progress) -> None:
    rows = [_person(number, now, **person) for number, person in enumerate(DATA["subscribers"])]
    rows += [_reader(number, now) for number in range(BULK_SUBSCRIBERS * scale)]
    known = set(Subscriber.objects.values_list("email", flat=True))
    rows = [row for row in rows if row.email not in known]
    for start in range(0, len(rows), BATCH):
        made = Subscriber.objects.bulk_create(rows[start : start + BATCH])
        get_search_backend().add_bulk(Subscriber, made)
        progress(len(made))


def _reader(number: int, now: datetime) -> Subscriber:
    status = Status.PENDING if number % 12 == 7 else Status.UNSUBSCRIBED if number % 9 == 5 else Status.ACTIVE
    return _person(
        number,
        now,
        email=f"reader.{number + 1}@example.com",
        first_name=pick(DATA["bulk"]["first_names"], number),
        last_name=pick(DATA["bulk"]["last_names"], number),
        tags=[row["tag"] for index, row in enumerate(DATA["lists"]) if number % (index + 2) == 0],
        source=("form", "import", "api")[number % 3],
        status=status,
    )


def _person(number: int, now: datetime, *, status: str, **values: Any) -> Subscriber:
    # Pending subscribers are deleted after a month.
    days = number % 28 if status == Status.PENDING else number * 3 % 400
    since = now - timedelta(days=days + 1, hours=number % 24)
    left = since + timedelta(hours=20) if status == Status.UNSUBSCRIBED else None
    return Subscriber(
        **values,
        status=status,
        created_at=since,
        confirmed_at=None if status == Status.PENDING else since + timedelta(minutes=12),
        unsubscribed_at=left,
        updated_at=left or since,
    )


def _enrol(sequence: models.Sequence, rows: list[dict[str, Any]], now: datetime) -> None:
    steps = list(SequenceStep.objects.filter(sequence=sequence).order_by("position", "id"))
    people = {person.email: person for person in Subscriber.objects.filter(email__in=[row["email"] for row in rows])}
    for row in rows:
        enrolled = now - timedelta(days=row["days_ago"])
        sent = steps[: row["steps_sent"]]
        since = enrolled + sum((step.wait for step in sent), timedelta())
        following = steps[len(sent)] if row["state"] == EnrolmentState.ACTIVE else None
        Enrolment.objects.create(
            sequence=sequence,
            subscriber=people[row["email"]],
            state=row["state"],
            next_step=following,
            next_at=since + following.wait if following else None,
            since=since,
            sent=[step.pk for step in sent],
            enrolled_at=enrolled,
        )
