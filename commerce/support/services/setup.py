"""Creates, changes and deletes categories, assignment rules, canned answers, hours and targets."""

import datetime
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message, taken_message
from cms_api.core.records import lock_or_build, set_values, store_record
from cms_api.text.placeholders import mistakes
from commerce.common.services.checks import check_line, check_people, check_text, check_whole, is_whole
from commerce.common.services.slugs import store_with_slug
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
    saved = lock_or_build(Category, category, blocks_references=True)
    set_values(saved, values, ("name", "description", "position", "is_public"))
    errors = ErrorCollector()
    saved.name = " ".join(str(saved.name).split())
    check_line(errors, "name", saved.name, MAX_TITLE, needed=True)
    check_line(errors, "description", saved.description, 200)
    check_whole(errors, "position", saved.position, MAX_POSITION)
    errors.raise_if_any()
    store_with_slug(saved, values, "category", user=user)
    return saved


@transaction.atomic
def save_rule(*, values: Mapping[str, Any], rule: AssignmentRule | None = None, user: Any = None) -> AssignmentRule:
    """Create or change an assignment rule. Raises Invalid.

    `values`: `name`, `position`, `enabled`, `categories` (Category records), `priorities`, `words` (lists of texts; each of
    the three matches everything if it is empty), `assignees` (ids of people who may handle tickets, at least one).
    """
    saved = lock_or_build(AssignmentRule, rule, blocks_references=True)
    set_values(saved, values, ("name", "position", "enabled", "priorities", "words"))
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
        people = check_people(errors, "assignees", values.get("assignees") or (), agents())
    errors.raise_if_any()
    # `last_assignee_id` is written when tickets are assigned.
    store_record(saved, user=user, columns=["name", "position", "enabled", "priorities", "words"])
    if people is not None:
        saved.assignees.set(people)
    if "categories" in values:
        saved.categories.set(values["categories"])
    return saved


@transaction.atomic
def save_canned_answer(*, values: Mapping[str, Any], answer: CannedAnswer | None = None, user: Any = None) -> CannedAnswer:
    """Create or change a canned answer. `values`: `title`, `body` (with PLACEHOLDERS), `category`. Raises Invalid."""
    saved = lock_or_build(CannedAnswer, answer, blocks_references=True)
    set_values(saved, values, ("title", "body", "category"))
    errors = ErrorCollector()
    saved.title, saved.body = " ".join(str(saved.title).split()), str(saved.body).strip()
    check_line(errors, "title", saved.title, MAX_TITLE, needed=True)
    check_text(errors, "body", saved.body, MAX_BODY)
    if not saved.body:
        errors.add("body", required_message("body"))
    for sentence in mistakes(saved.body, PLACEHOLDERS):
        errors.add("body", sentence)
    errors.raise_if_any()
    return store_record(saved, user=user, refusal={"title": taken_message("title")})


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
    saved = lock_or_build(SpecialDay, special, blocks_references=True)
    set_values(saved, values, ("date", "note", "periods"))
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
    return store_record(saved, user=user, refusal={"date": taken_message("date")})


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
