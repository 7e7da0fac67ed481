"""Sequences for the tests, and a clock that is moved by moving the rows."""

from datetime import timedelta
from typing import Any

from django.db.models import F

from cms_api.mail.models import OutgoingMail
from commerce.marketing.models import Enrolment, Sequence, Subscriber
from commerce.marketing.services.enrolment import enrol
from commerce.marketing.services.sequences import save_sequence, switch_sequence

STEPS = (
    {"delay": 0, "unit": "minutes", "subject": "First, {{ first_name }}", "body": "<p>{{ greeting }}!</p>"},
    {"delay": 2, "unit": "days", "subject": "Second", "body": "<p>Two</p>"},
    {"delay": 3, "unit": "hours", "subject": "Third", "body": "<p>Three</p>"},
)


def make_sequence(*steps: dict[str, Any], name: str = "Welcome", enabled: bool = True, **values: Any) -> Sequence:
    """Create a running sequence, by default of three steps."""
    made = save_sequence(values={"name": name, "steps": list(steps or STEPS), **values})
    if enabled:
        switch_sequence(sequence=made, enabled=True)
    return Sequence.objects.get(pk=made.pk)


def change_steps(sequence: Sequence, *rows: dict[str, Any]) -> Sequence:
    return save_sequence(sequence=sequence, values={"name": sequence.name, "steps": list(rows)})


def as_rows(sequence: Sequence) -> list[dict[str, Any]]:
    """The steps as they are handed to the service."""
    names = ("id", "delay", "unit", "subject", "body")
    return list(sequence.steps.order_by("position").values(*names))


def enrolled(sequence: Sequence, subscriber: Subscriber) -> Enrolment:
    assert enrol(sequence=sequence, subscriber=subscriber)
    return Enrolment.objects.get(sequence=sequence, subscriber=subscriber)


def wait(**time: int) -> None:
    """Lets time pass for everybody who is enrolled."""
    passed = timedelta(**time)
    Enrolment.objects.update(next_at=F("next_at") - passed, since=F("since") - passed, enrolled_at=F("enrolled_at") - passed)


def written() -> list[tuple[str, str]]:
    """Whom what was written to, in its order."""
    found = OutgoingMail.objects.filter(template="sequence_step").order_by("pk")
    return list(found.values_list("recipient", "subject"))


def subjects() -> list[str]:
    return [subject for _, subject in written()]
