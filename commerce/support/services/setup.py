"""Creates, changes and deletes categories, assignment rules, canned answers, hours and targets."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.db import IntegrityError, transaction
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message, taken_message
from cms_api.core.locks import get_row, lock_to_delete
from cms_api.text.placeholders import mistakes
from commerce.common.services.checks import check_line, check_text, check_whole, is_whole
from commerce.common.services.slugs import insert_with_slug, update_with_slug
from commerce.common.types import unique_tags
from commerce.common.types.hours import Period

from ..models import AssignmentRule, CannedAnswer, Category, Hours, SpecialDay, Target
from ..selectors.tickets import agents
from ..types.tickets import MAX_BODY, MAX_TARGET_MINUTES, MAX_TITLE, MAX_WORDS, PLACEHOLDERS, Priority

MAX_POSITION = 10_000
_MAX_WORD = 100


@transaction.atomic
def save_category(*, values: Mapping[str, Any], category: Category | None = None, user: Any = None) -> Category:
    """Create or change a category. `values`: `name`, `slug`, `description`, `position`, `is_public`. Raises Invalid."""
    saved = get_row(Category.objects.select_for_update(), category.pk) if category else Category()
    for name in ("name", "description", "position", "is_public"):
        if name in values:
            setattr(saved, name, values[name])
    errors = ErrorCollector()
    saved.name = " ".join(str(saved.name).split())
    check_line(errors, "name", saved.name, MAX_TITLE, needed=True)
    check_line(errors, "description", saved.description, 200)
    check_whole(errors, "position", saved.position, MAX_POSITION)
    errors.raise_if_any()
    slug = str(values.get("slug") or "")
    if category is None:
        insert_with_slug(saved, slug, "category")
    else:
        update_with_slug(saved, slug)
    log(instance=saved, action="wagtail.edit" if category else "wagtail.create", user=user)
    return saved


@transaction.atomic
def delete_category(*, category: Category, user: Any = None) -> None:
    """Delete a category; its tickets have none then."""
    lock_to_delete(category)
    log(instance=category, action="wagtail.delete", user=user, deleted=True)
    category.delete()


@transaction.atomic
def save_rule(*, values: Mapping[str, Any], rule: AssignmentRule | None = None, user: Any = None) -> AssignmentRule:
    """Create or change an assignment rule. Raises Invalid.

    `values`: `name`, `position`, `enabled`, `categories` (Category records), `priorities`, `words` (lists of texts; each of
    the three matches everything if it is empty), `assignees` (ids of people who may handle tickets, at least one).
    """
    saved = get_row(AssignmentRule.objects.select_for_update(), rule.pk) if rule else AssignmentRule()
    for name in ("name", "position", "enabled", "priorities", "words"):
        if name in values:
            setattr(saved, name, values[name])
    errors = ErrorCollector()
    saved.name = " ".join(str(saved.name).split())
    check_line(errors, "name", saved.name, MAX_TITLE, needed=True)
    check_whole(errors, "position", saved.position, MAX_POSITION)
    saved.priorities = [each for each in Priority.values if each in set(saved.priorities)]
    saved.words = unique_tags(" ".join(word.split()) for word in saved.words if word.strip())
    if len(saved.words) > MAX_WORDS or any(len(word) > _MAX_WORD for word in saved.words):
        errors.add("words", f"Enter at most {MAX_WORDS} words or phrases, each of at most {_MAX_WORD} characters.")
    people: set[int] | None = None
    if rule is None or "assignees" in values:
        people = _people(values.get("assignees") or (), errors)
    errors.raise_if_any()
    # `last_assignee_id` is written when tickets are assigned.
    saved.save(update_fields=["name", "position", "enabled", "priorities", "words"] if rule else None)
    if people is not None:
        saved.assignees.set(people)
    if "categories" in values:
        saved.categories.set(values["categories"])
    log(instance=saved, action="wagtail.edit" if rule else "wagtail.create", user=user)
    return saved


def _people(ids: Iterable[int], errors: ErrorCollector) -> set[int]:
    wanted = set(ids)
    if not wanted:
        errors.add("assignees", required_message("assignees"))
    elif set(agents().filter(pk__in=wanted).values_list("pk", flat=True)) != wanted:
        errors.add("assignees", invalid_choice("assignees"))
    return wanted


@transaction.atomic
def delete_rule(*, rule: AssignmentRule, user: Any = None) -> None:
    """Delete a rule; tickets stay assigned."""
    lock_to_delete(rule)
    log(instance=rule, action="wagtail.delete", user=user, deleted=True)
    rule.delete()


@transaction.atomic
def save_canned_answer(*, values: Mapping[str, Any], answer: CannedAnswer | None = None, user: Any = None) -> CannedAnswer:
    """Create or change a canned answer. `values`: `title`, `body` (with PLACEHOLDERS), `category`. Raises Invalid."""
    saved = get_row(CannedAnswer.objects.select_for_update(), answer.pk) if answer else CannedAnswer()
    for name in ("title", "body", "category"):
        if name in values:
            setattr(saved, name, values[name])
    errors = ErrorCollector()
    saved.title, saved.body = " ".join(str(saved.title).split()), str(saved.body).strip()
    check_line(errors, "title", saved.title, MAX_TITLE, needed=True)
    check_text(errors, "body", saved.body, MAX_BODY)
    if not saved.body:
        errors.add("body", required_message("body"))
    for sentence in mistakes(saved.body, PLACEHOLDERS):
        errors.add("body", sentence)
    errors.raise_if_any()
    try:
        with transaction.atomic():
            saved.save()
    except IntegrityError:
        raise Invalid({"title": taken_message("title")}) from None
    log(instance=saved, action="wagtail.edit" if answer else "wagtail.create", user=user)
    return saved


@transaction.atomic
def delete_canned_answer(*, answer: CannedAnswer, user: Any = None) -> None:
    lock_to_delete(answer)
    log(instance=answer, action="wagtail.delete", user=user, deleted=True)
    answer.delete()


@transaction.atomic
def save_hours(*, hours: Sequence[Mapping[str, Any]]) -> None:
    """Replace the support hours. `hours`: `weekday` (0 for Monday), `opens`, `closes` (times). Raises Invalid (`hours`)."""
    rows = [Hours(weekday=each["weekday"], opens=each["opens"], closes=each["closes"]) for each in hours]
    if not all(is_whole(row.weekday, 0, 6) for row in rows):
        raise Invalid({"hours": invalid_choice("weekday")})
    for day in range(7):
        _check_periods([row.period for row in rows if row.weekday == day], "hours")
    Hours.objects.all().delete()
    Hours.objects.bulk_create(rows)


@transaction.atomic
def save_special_day(*, values: Mapping[str, Any], special: SpecialDay | None = None, user: Any = None) -> SpecialDay:
    """Create or change a date with hours of its own. `values`: `date`, `note`, `periods` (pairs of texts). Raises Invalid."""
    saved = get_row(SpecialDay.objects.select_for_update(), special.pk) if special else SpecialDay()
    for name in ("date", "note", "periods"):
        if name in values:
            setattr(saved, name, values[name])
    errors = ErrorCollector()
    check_line(errors, "note", saved.note, MAX_TITLE)
    if not values.get("date", saved.date):
        errors.add("date", required_message("date"))
    with errors.under():
        periods = []
        try:
            periods = [Period(*map(datetime.time.fromisoformat, pair)) for pair in saved.periods]
        except (TypeError, ValueError):
            errors.add("periods", "Enter hours such as 09:00-12:00, 13:00-17:00.")
        _check_periods(periods, "periods")
    errors.raise_if_any()
    saved.periods = [[f"{each.opens:%H:%M}", f"{each.closes:%H:%M}"] for each in sorted(periods)]
    try:
        with transaction.atomic():
            saved.save()
    except IntegrityError:
        raise Invalid({"date": taken_message("date")}) from None
    log(instance=saved, action="wagtail.edit" if special else "wagtail.create", user=user)
    return saved


@transaction.atomic
def delete_special_day(*, special: SpecialDay, user: Any = None) -> None:
    lock_to_delete(special)
    log(instance=special, action="wagtail.delete", user=user, deleted=True)
    special.delete()


def _check_periods(periods: Sequence[Period], path: str) -> None:
    ordered = sorted(periods)
    if len(ordered) > 10:
        raise Invalid({path: "Enter at most 10 periods for a day."})
    if any(each.is_overnight for each in ordered[:-1]) or any(before.closes > after.opens for before, after in pairwise(ordered)):
        raise Invalid({path: "The periods of a day may not overlap."})


@transaction.atomic
def save_target(*, priority: str, first_response_minutes: int | None, resolution_minutes: int | None, user: Any = None) -> Target:
    """Set how soon tickets of a priority should be answered and resolved, in minutes of support hours; None for no target.

    Raises Invalid.
    """
    errors = ErrorCollector()
    if priority not in Priority.values:
        errors.add("priority", invalid_choice("priority", Priority.values))
    given = {"first_response_minutes": first_response_minutes, "resolution_minutes": resolution_minutes}
    for path, value in given.items():
        if value is not None and not is_whole(value, 1, MAX_TARGET_MINUTES):
            errors.add(path, f"Enter a whole number of minutes between 1 and {MAX_TARGET_MINUTES}.")
    errors.raise_if_any()
    saved, _ = Target.objects.update_or_create(priority=priority, defaults=given)
    log(instance=saved, action="wagtail.edit", user=user)
    return saved
