"""Reads of subscribers, mailing lists and sequences."""

from collections.abc import Sequence

from django.db import connection
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from cms_api.core import versions
from cms_api.core.identifiers import read_id

from . import models
from .models import Enrolment, MailingList, SequenceStep, Subscriber
from .types import LISTS, EnrolmentState, Status

#: Number of emails, and of a sequence's enrolments, shown on a page.
SHOWN_ROWS = 20


def subscribers(*, status: str | None = None, email: str | None = None) -> QuerySet[Subscriber]:
    found = Subscriber.objects.all()
    if status:
        found = found.filter(status=status)
    if email:
        found = found.filter(email=email.lower())
    return found


def find_subscriber(reference: int | str) -> Subscriber | None:
    """Find a subscriber by id (also as a string of digits) or by email, ignoring case."""
    reference = str(reference)
    if (pk := read_id(reference)) is not None:
        return Subscriber.objects.filter(pk=pk).first()
    return subscribers(email=reference).first() if reference.strip() else None


def public_lists() -> list[MailingList]:
    """Return the public lists in order; cached by the process until one changes."""
    return versions.load_once(LISTS, lambda: list(MailingList.objects.filter(is_public=True)))


def lists_of(subscriber: Subscriber) -> list[MailingList]:
    """Return the public lists a subscriber is on."""
    tags = {tag.casefold() for tag in subscriber.tags}
    return [each for each in public_lists() if each.tag.casefold() in tags]


def lists_by_slug(slugs: Sequence[str]) -> list[MailingList]:
    """Return the public lists with these slugs; unknown slugs are ignored."""
    return [each for each in public_lists() if each.slug in slugs]


def with_sizes(lists: QuerySet[MailingList]) -> QuerySet[MailingList]:
    """Annotate lists with `size`: the number of active subscribers with the tag, ignoring case."""
    elements = "jsonb_array_elements_text(person.tags) AS used(value)"
    if connection.vendor == "sqlite":
        elements = "json_each(person.tags) AS used"
    people, table = Subscriber._meta.db_table, MailingList._meta.db_table
    counted = (
        f'SELECT count(DISTINCT person.id) FROM "{people}" AS person, {elements} '
        f'WHERE person.status = %s AND lower(used.value) = lower("{table}".tag)'
    )
    return lists.annotate(size=RawSQL(counted, [Status.ACTIVE.value], output_field=IntegerField()))


def with_counts(sequences: QuerySet[models.Sequence]) -> QuerySet[models.Sequence]:
    """Annotate sequences with `step_count` and the number of enrolments per state: `active_count` and so on."""
    steps = SequenceStep.objects.filter(sequence=OuterRef("pk"))
    people = Enrolment.objects.filter(sequence=OuterRef("pk"))
    counted = {f"{state}_count": _count(people.filter(state=state)) for state in EnrolmentState.values}
    return sequences.annotate(step_count=_count(steps), **counted)


def _count(rows: QuerySet[SequenceStep] | QuerySet[Enrolment]) -> Coalesce:
    counted = rows.order_by().values("sequence").annotate(found=Count("pk")).values("found")
    return Coalesce(Subquery(counted), 0, output_field=IntegerField())


def waiting_for(sequence: models.Sequence) -> dict[int, int]:
    """Return the number of subscribers waiting for each step, by step id."""
    active = Enrolment.objects.filter(sequence=sequence, state=EnrolmentState.ACTIVE).order_by()
    return dict(active.values_list("next_step").annotate(Count("pk")))


def latest_enrolments(sequence: models.Sequence) -> QuerySet[Enrolment]:
    return Enrolment.objects.filter(sequence=sequence).select_related("sequence", "subscriber", "next_step")[:SHOWN_ROWS]


def enrolments_of(subscriber: Subscriber) -> QuerySet[Enrolment]:
    return Enrolment.objects.filter(subscriber=subscriber).select_related("sequence", "next_step")


def sources() -> list[str]:
    """Return the distinct sources of subscribers, at most fifty."""
    known = Subscriber.objects.exclude(source="").order_by("source").values_list("source", flat=True).distinct()
    return list(known[:50])
