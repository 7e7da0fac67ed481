"""Changes what is known of a ticket: subject, requester, priority, category and tags."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice
from cms_api.http.link_keys import LINK_COLUMNS
from cms_api.http.renewing import end_links
from commerce.common.services.checks import check_line
from commerce.common.types import MAX_NAME, MAX_TAG, MAX_TAGS, read_email, unique_tags

from ..models import Category, Tag, Ticket
from ..types.tickets import MAX_SUBJECT, Priority
from .locking import lock_ticket, save_ticket


@transaction.atomic
def set_priority(*, ticket: Ticket, priority: str, user: Any = None) -> Ticket:
    """Change the priority, and with it the targets from the ticket's beginning on. Raises Invalid (`priority`)."""
    if priority not in Priority.values:
        raise Invalid({"priority": invalid_choice("priority", Priority.values)})
    return _change(ticket, {"priority": priority}, user)


@transaction.atomic
def set_category(*, ticket: Ticket, category: Category | None, user: Any = None) -> Ticket:
    return _change(ticket, {"category_id": category.pk if category else None}, user)


@transaction.atomic
def set_subject(*, ticket: Ticket, subject: str, user: Any = None) -> Ticket:
    """Change the subject. Raises Invalid (`subject`)."""
    errors = ErrorCollector()
    line = " ".join(subject.split())
    check_line(errors, "subject", line, MAX_SUBJECT, needed=True)
    errors.raise_if_any()
    return _change(ticket, {"subject": line}, user)


@transaction.atomic
def set_requester(*, ticket: Ticket, email: str, name: str = "", user: Any = None) -> Ticket:
    """Give a ticket to another requester, who reads the whole public thread from then on. Raises Invalid (`email`, `name`)."""
    errors = ErrorCollector()
    line, address = " ".join(name.split()), ""
    check_line(errors, "name", line, 2 * MAX_NAME)
    with errors.under():
        address = read_email(email)
    errors.raise_if_any()
    locked = lock_ticket(ticket.pk)
    if locked.email != address:
        end_links(locked, user=user)
        # The account that has opened it would still list it, with its new link. An account of the new address lists it by that.
        locked.user = None
        locked.save(update_fields=(*LINK_COLUMNS, "user"))
    return _change(locked, {"email": address, "name": line}, user)


def _change(ticket: Ticket, values: dict[str, Any], user: Any) -> Ticket:
    locked = lock_ticket(ticket.pk)
    if all(getattr(locked, name) == value for name, value in values.items()):
        return locked
    for name, value in values.items():
        setattr(locked, name, value)
    save_ticket(locked, reindex=True)
    log(instance=locked, action="wagtail.edit", user=user)
    return locked


@transaction.atomic
def set_tags(*, ticket: Ticket, tags: Iterable[str], user: Any = None) -> Ticket:
    """Replace the tags of a ticket, which are the same in any case, and return it. Raises Invalid (`tags`)."""
    wanted = unique_tags(" ".join(tag.split()) for tag in tags if tag.strip())
    if len(wanted) > MAX_TAGS:
        raise Invalid({"tags": f"The tags may not have more than {MAX_TAGS} items."})
    if any(len(tag) > MAX_TAG or not tag.isprintable() for tag in wanted):
        raise Invalid({"tags": f"A tag may not be greater than {MAX_TAG} characters."})
    locked = lock_ticket(ticket.pk)
    # In one order, as others may add the same ones.
    Tag.objects.bulk_create([Tag(name=tag) for tag in sorted(wanted, key=str.lower)], ignore_conflicts=True)
    lowered = {tag.lower() for tag in wanted}
    locked.tags.set([tag for tag in Tag.objects.all() if tag.name.lower() in lowered])
    save_ticket(locked)
    log(instance=locked, action="support.tag", user=user)
    return locked
