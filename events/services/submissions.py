"""Events submitted by members: each becomes a draft, and is accepted by publishing it."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.html import linebreaks

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.selectors import find_type
from cms_api.content.services.items import create_item
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.locks import get_row
from cms_api.core.module import Block
from cms_api.core.not_found import NotFound
from cms_api.flags.selectors import get_setting
from cms_api.http import wire
from cms_api.mail.services import queue_to_business

from ..models import Submission

DAY = timedelta(days=1)
MAX_DESCRIPTION = 5000


@transaction.atomic
def submit_event(*, member: Any, values: Mapping[str, Any]) -> ContentItem:
    """Create a draft from a member's values: title, start, end, all_day, venue, cost and description, as strings and a flag.

    Raises Invalid under these names, TooManyAttempts above the daily limit, NotFound if there is no events type.
    """
    item_type = find_type("events")
    if item_type is None or item_type.date_field is None:
        raise NotFound
    _count_in(member)
    now = timezone.now()
    sender = {"member_id": member.pk, "name": member.get_full_name(), "email": member.email, "submitted_at": wire.instant(now)}
    data = _data(item_type, values)
    try:
        item = create_item(item_type=item_type, values={"data": data}, user=member, origin=sender)
    except Invalid as problem:
        raise _with_form_fields(problem, item_type) from None
    Submission.objects.create(item=item, member=member, submitted_at=now)
    _notify(item, sender)
    return item


def _count_in(member: Any) -> None:
    """Enforce the member's daily limit; locks the account, so that concurrent submissions cannot exceed it."""
    get_row(get_user_model().objects.select_for_update(no_key=True), member.pk)
    sent = Submission.objects.filter(member=member, submitted_at__gt=timezone.now() - DAY).count()
    if sent >= get_setting("events.submissions_per_day"):
        raise TooManyAttempts


def _data(item_type: ContentType, values: Mapping[str, Any]) -> dict[str, Any]:
    title, description = str(values.get("title") or "").strip(), str(values.get("description") or "").strip()
    all_day = bool(values.get("all_day"))
    start, end = ((str(values.get(name) or "")).strip() for name in ("start", "end"))
    errors = {}
    if not title:
        errors["title"] = "The title field is required."
    if not start:
        errors["start"] = "The start field is required."
    if len(description) > MAX_DESCRIPTION:
        errors["description"] = f"The description may not be greater than {MAX_DESCRIPTION} characters."
    if errors:
        raise Invalid(errors)
    if all_day:
        # Browsers also submit a time, which has no meaning here.
        start, end = start.partition("T")[0], end.partition("T")[0]
    return {
        item_type.title_field.key if item_type.title_field else "title": title,
        item_type.date_field.key if item_type.date_field else "": {"start": start, "end": end or None, "all_day": all_day},
        "venue": values.get("venue") or None,
        "cost": values.get("cost") or None,
        "details": linebreaks(description, autoescape=True) if description else None,
    }


def _with_form_fields(problem: Invalid, item_type: ContentType) -> Invalid:
    """Rename the paths of errors to the form's field names."""
    names = {"details": "description"}
    if item_type.title_field:
        names[item_type.title_field.key] = "title"
    date_key = item_type.date_field.key if item_type.date_field else ""
    found: dict[str, list[str]] = {}
    for path, messages in problem.errors.items():
        field = path.removeprefix("data.")
        if field.startswith(f"{date_key}."):
            field = field.partition(".")[2]
        found.setdefault(names.get(field, field), []).extend(messages)
    return Invalid(found)


def _notify(item: ContentItem, sender: Mapping[str, Any]) -> None:
    address = settings.WAGTAILADMIN_BASE_URL + reverse("content_items:edit", args=[item.pk])
    context = {
        "title": item.title,
        "member": sender["name"] or sender["email"],
        "email": sender["email"],
        "review": Block(f"Review the event: {address}", f'<a href="{address}">Review the event</a>'),
    }
    queue_to_business(template="event_submitted", context=context, reply_to=sender["email"])
