"""Who looks after new contacts: the first rule that fits and has somebody, whose people take turns."""

from collections.abc import Iterable

from django.contrib.auth.models import User

from cms_api.text.search import fold

from ..models import AssignmentRule, Contact
from ..selectors import staff
from ..types import country_key, turn_after


def assign(contacts: Iterable[Contact]) -> None:
    """Sets whoever looks after each of these new contacts, unsaved. Those who have somebody keep them.

    The rules stay locked until the caller's transaction ends: whatever comes in at once, turns are taken one by one.
    """
    waiting = [contact for contact in contacts if contact.assigned_to is None]
    enabled = AssignmentRule.objects.filter(enabled=True).prefetch_related("assignees")
    rules = list(enabled.select_for_update(no_key=True).order_by("pk")) if waiting else []
    if not rules:
        return
    may = {user.pk: user for user in staff()}
    teams = {rule.pk: [may[pk] for pk in _members(rule) if pk in may] for rule in rules}
    turns = {rule.pk: rule.last_assignee_id for rule in rules}
    by_position = sorted(rules, key=lambda rule: (rule.position, rule.pk))
    for contact in waiting:
        rule = next((rule for rule in by_position if teams[rule.pk] and fits(rule, contact)), None)
        if rule is not None:
            contact.assigned_to = _next(teams[rule.pk], rule)
    for rule in rules:
        if rule.last_assignee_id != turns[rule.pk]:
            rule.save(update_fields=["last_assignee_id"])


def fits(rule: AssignmentRule, contact: Contact) -> bool:
    """Whether a contact is one that the rule is for."""
    countries = {country_key(country) for country in rule.countries}
    sources = {fold(source) for source in rule.sources}
    return (not countries or country_key(contact.country) in countries) and (not sources or fold(contact.source) in sources)


def _members(rule: AssignmentRule) -> list[int]:
    return sorted(user.pk for user in rule.assignees.all())


def _next(team: list[User], rule: AssignmentRule) -> User:
    """Whoever comes after the last one; people who joined or left meanwhile change nothing for the others."""
    rule.last_assignee_id = turn_after([user.pk for user in team], rule.last_assignee_id)
    return next(user for user in team if user.pk == rule.last_assignee_id)
