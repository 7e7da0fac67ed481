"""Sign-up on the site with double opt-in: nobody is subscribed before following the link emailed to their address.

The response is the same whether the address is known, new or unsubscribed: only its owner learns that.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.auth.services.visitors import Limits, Visit, judge
from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.core.module import Block
from cms_api.fields import names
from cms_api.fields.base import FieldPath
from cms_api.forms.types import Received
from cms_api.mail.services import queue, unconfirmed
from cms_api.mail.types import is_address
from commerce.common.types import MAX_NAME, read_email, split_name

from ..models import MailingList, Subscriber
from ..selectors import lists_of
from ..types import Status
from .links import confirm_url
from .mailing import mail_subscriber
from .subscribers import upsert_subscriber

#: The purpose for which visitors' posts are judged. Names may not contain links.
PURPOSE = "marketing:subscribe"
LIMITS = Limits(a_minute=5, an_hour=20, flood=300, links=0)

SOURCE = "form"
NO_ADDRESS = "The email must be a valid email address."
#: Field keys of form checkboxes that start a subscription.
BOXES = frozenset({"subscribe", "newsletter"})


def sign_up(*, values: Mapping[str, Any], lists: Sequence[MailingList], visit: Visit) -> None:
    """Process a sign-up: `email`, `first_name`, `last_name`, and the chosen lists.

    Submissions by robots are discarded silently. Raises Invalid, and what `visitors.judge` raises.
    """
    cleaned = _clean(values)
    called = {name: cleaned[name] for name in ("first_name", "last_name")}
    if not judge(purpose=PURPOSE, visit=visit, texts=called.values(), limits=LIMITS):
        ask_to_confirm(email=cleaned["email"], lists=lists, **called)


def _clean(values: Mapping[str, Any]) -> dict[str, str]:
    errors = ErrorCollector()
    cleaned: dict[str, str] = {}
    with errors.under():
        cleaned["email"] = read_address(values.get("email"))
    for name in ("first_name", "last_name"):
        with errors.under():
            cleaned[name] = read_name(values.get(name), name)
    errors.raise_if_any()
    return cleaned


def read_address(value: Any) -> str:
    """Return the canonical spelling of a deliverable address. Raises Invalid (`email`)."""
    text = value.strip() if isinstance(value, str) else ""
    if not text:
        raise Invalid({"email": required_message("email")})
    email = read_email(text)
    if not is_address(email):
        raise Invalid({"email": NO_ADDRESS})
    return email


def read_name(value: Any, path: str) -> str:
    """Return optional single-line text. Raises Invalid (`path`)."""
    return names.read_name(value, FieldPath(path, path), MAX_NAME)


def capture(received: Received) -> None:
    """Start a subscription if a form's opt-in box is ticked, with the first address that was filled in."""
    ticked = any(field.type == "checkbox" and field.key in BOXES and received.data.get(field.key) for field in received.fields)
    try:
        email = read_address(received.email) if ticked else ""
    except Invalid:
        return
    if email:
        first_name, last_name = _names(received.data)
        ask_to_confirm(email=email, first_name=first_name, last_name=last_name)


def _names(data: Mapping[str, Any]) -> tuple[str, str]:
    """Return the first and last name among the answers of a form, without those that advertise a web address."""
    given = [_line(data.get(key)) for key in ("first_name", "last_name")]
    if any(given):
        return given[0][:MAX_NAME], given[1][:MAX_NAME]
    return split_name(_line(data.get("name")))


def _line(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) and not names.has_web_address(value) else ""


def ask_to_confirm(*, email: str, first_name: str = "", last_name: str = "", lists: Sequence[MailingList] = ()) -> None:
    """Email a confirmation link to an address; do nothing if it had such an email within the hour, or many today.

    Names and lists are in the link, so that what a stranger enters is only stored on confirmation.
    """
    if not unconfirmed.charge(purpose=PURPOSE, address=email).allowed:
        return
    with transaction.atomic():
        subscriber = upsert_subscriber(values={"email": email}, source=SOURCE, status=Status.PENDING).subscriber
        if subscriber.status == Status.ACTIVE:
            joined = {each.pk for each in lists_of(subscriber)}
            new = [each for each in lists if each.pk not in joined]
            mail_subscriber(subscriber=subscriber, template="subscription_exists", context={"more": _more(subscriber, new)})
        else:
            # Pending rows are deleted when the last link has expired, so renew this one.
            Subscriber.objects.filter(pk=subscriber.pk, status=Status.PENDING).update(updated_at=timezone.now())
            link = confirm_url(subscriber, lists=lists, first_name=first_name, last_name=last_name)
            context = {"lists": _show_lists("You'll hear about:", lists), "confirm_url": link}
            queue(template="subscription_confirm", to=[email], context=context)


def _more(subscriber: Subscriber, lists: Sequence[MailingList]) -> Block:
    if not lists:
        return Block("", "")
    link = confirm_url(subscriber, lists=lists)
    said = _show_lists("Follow the link to add these lists:", lists)
    return Block(f"{said.text}\n{link}", f'{said.html}<p><a href="{escape(link)}">Add these lists</a></p>')


def _show_lists(said: str, lists: Sequence[MailingList]) -> Block:
    if not lists:
        return Block("", "")
    text = "\n".join([said, *(f"- {each.name}" for each in lists)])
    items = "".join(f"<li>{escape(each.name)}</li>" for each in lists)
    return Block(text, f"<p>{escape(said)}</p><ul>{items}</ul>")
