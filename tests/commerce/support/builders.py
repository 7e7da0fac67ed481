"""Builders of the help desk's records, by its services, with the changes that a test needs."""

import itertools
from collections.abc import Callable
from email.message import EmailMessage
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.mail.models import OutgoingMail
from commerce.support.models import AssignmentRule, Category, Message, ReceivedMail, Ticket
from commerce.support.services import open_ticket, receive_mail, set_status
from commerce.support.services.setup import save_category, save_rule
from commerce.support.types.tickets import Channel

_numbers = itertools.count(1)


def make_agent(name: str = "", *, email: str = "") -> Any:
    """Somebody who may handle tickets."""
    number = next(_numbers)
    first, _, last = (name or f"Robin Vale{number}").partition(" ")
    user = get_user_model().objects.create_user(
        f"agent{number}", email or f"agent{number}@staff.example", first_name=first, last_name=last, is_staff=True
    )
    user.user_permissions.add(Permission.objects.get(codename="change_ticket", content_type__app_label="support"))
    return user


def make_category(name: str = "", **values: Any) -> Category:
    return save_category(values={"name": name or f"Category {next(_numbers)}", **values})


def make_ticket(**changes: Any) -> Ticket:
    """An open ticket of Dana, from the website; with `status`, it is moved there afterwards."""
    options = {key: changes.pop(key) for key in ("user", "files", "spam_reason", "by_staff") if key in changes}
    status = changes.pop("status", "open")
    channel = changes.pop("channel", Channel.WEBSITE)
    values = {"name": "Dana Reyes", "email": "dana@example.com", "subject": "A broken mug", "message": "It has no handle."}
    ticket = open_ticket(values={**values, **changes}, channel=channel, **options)
    return ticket if status == "open" else set_status(ticket=ticket, status=status)


def make_rule(*people: Any, **values: Any) -> AssignmentRule:
    defaults = {"name": f"Rule {next(_numbers)}", "assignees": [each.pk for each in people]}
    return save_rule(values={**defaults, **values})


def make_mail(text: str = "It has no handle.", **headers: Any) -> EmailMessage:
    """An email of Dana; underscores in the names of headers are hyphens, and None leaves a header out."""
    mail = EmailMessage()
    usual = {
        "from_": "Dana Reyes <dana@example.com>",
        "to": "support@help.example",
        "subject": "A broken mug",
        "message_id": f"<{next(_numbers)}@mail.example.com>",
        "date": "Mon, 02 Mar 2026 08:00:00 +0000",
    }
    for name, value in {**usual, **headers}.items():
        if value is not None:
            mail[name.rstrip("_").replace("_", "-")] = value
    mail.set_content(text)
    return mail


def receive(mail: EmailMessage | bytes, *recipients: str) -> ReceivedMail:
    return receive_mail(raw=mail if isinstance(mail, bytes) else mail.as_bytes(), recipients=recipients)


def thread(ticket: Ticket) -> list[str]:
    """The texts of a ticket's messages."""
    return list(Message.objects.filter(ticket=ticket).order_by("created_at", "id").values_list("body", flat=True))


def sent(template: str = "") -> list[OutgoingMail]:
    """Emails in their order, those of the help desk by default."""
    mails = OutgoingMail.objects.filter(template__startswith=template or "support_")
    return list(mails.order_by("pk"))


def templates() -> list[str]:
    return [each.template.removeprefix("support_") for each in sent()]


def refusals(work: Callable[[], Any]) -> dict[str, str]:
    """Run something that is refused; return the refusals."""
    with pytest.raises(Invalid) as refusal:
        work()
    return {key: " ".join(sentences) for key, sentences in refusal.value.errors.items()}


def log_of(ticket: Ticket) -> list[str]:
    """The log of a ticket's statuses."""
    return list(ticket.status_changes.values_list("status", flat=True))


def now() -> Any:
    return timezone.now()
