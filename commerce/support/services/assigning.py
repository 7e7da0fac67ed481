"""Assigns tickets, by hand and by rules."""

from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, invalid_choice
from cms_api.text.search import fold
from commerce.crm.types import next_in_rotation

from ..models import AssignmentRule, Ticket
from ..selectors.tickets import agents
from . import notices
from .locking import lock_ticket, save_ticket


@transaction.atomic
def assign_ticket(*, ticket: Ticket, user_id: int | None, user: Any = None) -> Ticket:
    """Assign a ticket to a person, who is emailed unless it is `user`, or to nobody, and return it.

    Assigning it to the same person again changes nothing. Raises Invalid (`user_id`) for one who may not handle tickets.
    """
    locked = lock_ticket(ticket.pk)
    if locked.assignee_id == user_id:
        return locked
    assignee = None if user_id is None else agents().filter(pk=user_id).first()
    if user_id is not None and assignee is None:
        raise Invalid({"user_id": invalid_choice("user_id")})
    locked.assignee = assignee
    save_ticket(locked)
    log(instance=locked, action="support.assign", user=user, data={"assignee": user_id})
    if assignee is not None and (user is None or assignee.pk != user.pk):
        notices.notify_assignee(locked)
    return locked


def assign_by_rules(ticket: Ticket, text: str) -> None:
    """Set the assignee of a new ticket by the first rule that matches, without saving.

    Rules stay locked until the caller's transaction ends, so that nobody has two turns in a row.
    """
    if ticket.assignee_id is not None:
        return
    enabled = AssignmentRule.objects.filter(enabled=True).prefetch_related("assignees", "categories")
    rules = list(enabled.select_for_update(no_key=True).order_by("pk"))
    if not rules:
        return
    may = {agent.pk: agent for agent in agents()}
    words = f" {_words(f'{ticket.subject} {text}')} "
    for rule in sorted(rules, key=lambda rule: (rule.position, rule.pk)):
        team = sorted(each.pk for each in rule.assignees.all() if each.pk in may)
        if team and fits(rule, ticket, words):
            rule.last_assignee_id = next_in_rotation(team, rule.last_assignee_id)
            rule.save(update_fields=["last_assignee_id"])
            ticket.assignee = may[rule.last_assignee_id]
            return


def fits(rule: AssignmentRule, ticket: Ticket, words: str) -> bool:
    """Return whether a rule's conditions match a ticket; `words` is its text, as `_words` returns it, between spaces."""
    categories = {each.pk for each in rule.categories.all()}
    if categories and ticket.category_id not in categories:
        return False
    if rule.priorities and ticket.priority not in rule.priorities:
        return False
    return not rule.words or any(f" {_words(each)} " in words for each in rule.words)


def _words(text: str) -> str:
    """Return a text in words without case and accents, a space between two."""
    return " ".join("".join(each if each.isalnum() else " " for each in fold(text)).split())
