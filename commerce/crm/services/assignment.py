"""Assigns new contacts: the first matching rule with available assignees applies, and they take turns."""

from collections.abc import Iterable

from django.contrib.auth.models import User

from cms_api.text.search import fold

from ..models import AssignmentRule, Contact
from ..selectors import staff
from ..types import country_key, next_in_rotation


def assign(contacts: Iterable[Contact]) -> None:
    """Set `assigned_to` of new contacts, without saving. Contacts that are already assigned are skipped.

    Rules stay locked until the caller's transaction ends, so that concurrent imports do not give a user two turns in a row.
    """
    waiting = [contact for contact in contacts if contact.assigned_to is None]
    enabled = AssignmentRule.objects.filter(enabled=True).prefetch_related("assignees")
    rules = list(enabled.select_for_update(no_key=True).order_by("pk")) if waiting else []
    if not rules:
        return
    may = {user.pk: user for user in staff()}
    teams = {rule.pk: [may[pk] for pk in _members(rule) if pk in may] for rule in rules}
    last = {rule.pk: rule.last_assignee_id for rule in rules}
    by_position = sorted(rules, key=lambda rule: (rule.position, rule.pk))
    for contact in waiting:
        rule = next((rule for rule in by_position if teams[rule.pk] and fits(rule, contact)), None)
        if rule is not None:
            contact.assigned_to = _next(teams[rule.pk], rule)
    for rule in rules:
        if rule.last_assignee_id != last[rule.pk]:
            rule.save(update_fields=["last_assignee_id"])


def fits(rule: AssignmentRule, contact: Contact) -> bool:
    """Return whether a rule's conditions match a contact."""
    countries = {country_key(country) for country in rule.countries}
    sources = {fold(source) for source in rule.sources}
    return (not countries or country_key(contact.country) in countries) and (not sources or fold(contact.source) in sources)


def _members(rule: AssignmentRule) -> list[int]:
    return sorted(user.pk for user in rule.assignees.all())


def _next(team: list[User], rule: AssignmentRule) -> User:
    """Return the user after the last one assigned; people joining or leaving the team do not change the order of the others."""
    rule.last_assignee_id = next_in_rotation([user.pk for user in team], rule.last_assignee_id)
    return next(user for user in team if user.pk == rule.last_assignee_id)
