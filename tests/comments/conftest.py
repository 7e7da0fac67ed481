"""Fixtures and builders of the tests of comments."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.comments.models import Comment
from cms_api.comments.types import Status
from cms_api.content.models import ContentItem
from cms_api.mail.models import OutgoingMail
from tests.builders import make_item, make_type
from tests.visitor import hidden

GOOD = {"name": "Dana", "email": "dana@example.com", "comment": "Is the mill open?"}


@pytest.fixture
def business(settings: Any) -> str:
    """Give the business an address that is notified of comments."""
    settings.BUSINESS_EMAIL = "office@example.org"
    return "office@example.org"


def commentable(**changes: Any) -> ContentItem:
    """A published item of a type that takes comments."""
    return make_item(make_type(comments_enabled=True), **changes)


def make_comment(item: ContentItem | None = None, *, status: Status = Status.PENDING, **values: Any) -> Comment:
    now = timezone.now()
    decided_at = None if status == Status.PENDING else now
    usual = {"author_name": "Dana", "email": "dana@example.com", "body": "Hello", "created_at": now, "decided_at": decided_at}
    return Comment.objects.create(item=item or commentable(), status=status, **{**usual, **values})


def page_of(item: ContentItem) -> str:
    return f"/{item.type.slug}/{item.slug}"


def write(client: Client, item: ContentItem, **data: Any) -> Any:
    """The answer to what a visitor sends."""
    path = f"/comments/{item.pk}"
    sent = {**hidden(client, path), "hp_url": "", **GOOD, **data}
    return client.post(path, {name: value for name, value in sent.items() if value is not None})


def mails() -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(template="comment_received").order_by("id"))
