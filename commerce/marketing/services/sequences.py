"""Creates, changes, starts, pauses and deletes sequences."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.text import slugify
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message, taken_message
from cms_api.core.locks import get_row
from cms_api.fields.base import FieldPath, read_line, read_text
from cms_api.mail.types import MAX_SUBJECT
from cms_api.text.placeholders import mistakes
from commerce.common.types import MAX_TAG

from .. import models
from ..models import Enrolment, SequenceStep
from ..types import MAX_BODY, MAX_DELAY, MAX_SEQUENCE, MAX_SLUG, MAX_STEPS, EnrolmentState, Trigger, Unit, delay_of
from .wording import PLACEHOLDERS, is_blank

Values = Mapping[str, Any]


@transaction.atomic
def save_sequence(
    *, sequence: models.Sequence | None = None, slug: str = "", values: Values, user: Any = None
) -> models.Sequence:
    """Create a sequence (`sequence` None), initially paused, or change one, except for its slug. Raises Invalid.

    `values` has `name`, `trigger`, `tag` and the ordered `steps`, each with `delay`, `unit`, `subject`, `body`, and the
    `id` of an existing step. Subscribers waiting for a changed step get its new version; if it was removed, the following
    one.
    """
    new = sequence is None
    now = timezone.now()
    stored = models.Sequence.objects.select_for_update(no_key=True)
    found = get_row(stored, sequence.pk) if sequence else models.Sequence(created_at=now)
    collector = ErrorCollector()
    _read_sequence(found, values, collector)
    before = [] if new else list(found.steps.order_by("position", "id"))
    after = _read_steps(values.get("steps") or [], {step.pk: step for step in before}, collector)
    if new:
        with collector.under():
            found.slug = _read_slug(slug, found.name)
    collector.raise_if_any()
    found.updated_at = now
    _save(found)
    waited = {step.pk: step.wait for step in SequenceStep.objects.filter(pk__in=[step.pk for step in before])}
    for position, step in enumerate(after, start=1):
        step.sequence, step.position = found, position
        step.save()
    _reschedule_waiting(found, before, after, waited)
    SequenceStep.objects.filter(sequence=found).exclude(pk__in=[step.pk for step in after]).delete()
    log(instance=found, action="wagtail.create" if new else "wagtail.edit", user=user)
    return models.Sequence.objects.get(pk=found.pk)


def _read_sequence(found: models.Sequence, values: Values, collector: ErrorCollector) -> None:
    with collector.under():
        found.name = read_line(values.get("name"), FieldPath("name", "name"), MAX_SEQUENCE) or ""
        if not found.name:
            raise Invalid({"name": required_message("name")})
    with collector.under():
        found.trigger = values.get("trigger") or Trigger.MANUAL
        if found.trigger not in Trigger.values:
            raise Invalid({"trigger": invalid_choice("trigger")})
    with collector.under():
        tag = read_line(values.get("tag"), FieldPath("tag", "tag"), MAX_TAG) or ""
        found.tag = " ".join(tag.split()) if found.trigger == Trigger.TAGGED else ""
        if found.trigger == Trigger.TAGGED and not found.tag:
            raise Invalid({"tag": "Enter the tag that enrols people."})


def _read_steps(rows: Sequence[Values], known: Mapping[int, SequenceStep], collector: ErrorCollector) -> list[SequenceStep]:
    found: list[SequenceStep] = []
    for number, row in enumerate(rows):
        step = known.get(row.get("id") or 0) or SequenceStep()
        with collector.under(f"steps.{number}"):
            _read_step(step if step not in found else SequenceStep(), row, found)
    if not rows:
        collector.add("steps", "Add at least one step.")
    if len(rows) > MAX_STEPS:
        collector.add("steps", f"A sequence may have at most {MAX_STEPS} steps.")
    return found


def _read_step(step: SequenceStep, row: Values, found: list[SequenceStep]) -> None:
    """Validate a step and append it to `found`. Raises Invalid."""
    collector = ErrorCollector()
    found.append(step)
    with collector.under():
        step.delay, step.unit = _read_delay(row.get("delay"), row.get("unit"))
    for name, limit, read in (("subject", MAX_SUBJECT, read_line), ("body", MAX_BODY, read_text)):
        with collector.under():
            text = read(row.get(name), FieldPath(name, "text" if name == "body" else name), limit) or ""
            if not text or (name == "body" and is_blank(text)):
                raise Invalid({name: required_message("text" if name == "body" else name)})
            if wrong := mistakes(text, PLACEHOLDERS):
                raise Invalid({name: wrong})
            setattr(step, name, text)
    collector.raise_if_any()


def _read_delay(number: Any, unit: Any) -> tuple[int, str]:
    if unit not in Unit.values:
        raise Invalid({"unit": invalid_choice("unit")})
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= 60 * 24 * MAX_DELAY.days:
        raise Invalid({"delay": "The delay must be a whole number, 0 or more."})
    if delay_of(number, unit) > MAX_DELAY:
        raise Invalid({"delay": f"The delay may be at most {MAX_DELAY.days} days."})
    return number, str(unit)


def _read_slug(given: str, name: str) -> str:
    slug = given.strip() or slugify(name)[:MAX_SLUG] or "sequence"
    if slugify(slug) != slug or len(slug) > MAX_SLUG:
        raise Invalid({"slug": f"The slug may contain only lower-case letters, digits and hyphens, at most {MAX_SLUG}."})
    if models.Sequence.objects.filter(slug=slug).exists():
        raise Invalid({"slug": taken_message("slug")})
    return slug


def _save(sequence: models.Sequence) -> None:
    try:
        with transaction.atomic():
            sequence.save()
    except IntegrityError:
        # The slug was taken after the check.
        raise Invalid({"slug": taken_message("slug")}) from None


def _reschedule_waiting(
    sequence: models.Sequence, before: Sequence[SequenceStep], after: Sequence[SequenceStep], waited: Mapping[int, Any]
) -> None:
    """Reschedule enrolments that wait for a step with a new delay or for a removed step."""
    kept = [step.pk for step in after]
    active = Enrolment.objects.filter(sequence=sequence, state=EnrolmentState.ACTIVE)
    for number, step in enumerate(before):
        waiting = active.filter(next_step=step.pk)
        if step.pk in kept:
            if waited[step.pk] != step.wait:
                waiting.update(next_at=F("since") + step.wait)
            continue
        above = next((earlier.pk for earlier in reversed(before[:number]) if earlier.pk in kept), None)
        ahead = after if above is None else after[kept.index(above) + 1 :]
        if ahead:
            waiting.update(next_step=ahead[0], next_at=F("since") + ahead[0].wait)
        else:
            waiting.update(state=EnrolmentState.FINISHED, next_step=None, next_at=None)


@transaction.atomic
def switch_sequence(*, sequence: models.Sequence, enabled: bool, user: Any = None) -> bool:
    """Start or pause a sequence; return False if unchanged. Those who became due while paused get one step on start."""
    switched = models.Sequence.objects.filter(pk=sequence.pk, enabled=not enabled)
    if not switched.update(enabled=enabled, updated_at=timezone.now()):
        return False
    log(instance=sequence, action="marketing.start" if enabled else "marketing.pause", user=user)
    return True
