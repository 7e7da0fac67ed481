"""The form for a request as a visitor fills it in, and the pages of tickets by their signed links."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from commerce.support.models import Ticket
from commerce.support.selectors.links import RATING_LINK, TICKET_LINK
from tests.visitor import hidden

FORM = "/support"
THANKS = "/support/thanks"


def typed(**changes: Any) -> dict[str, Any]:
    values = {"name": "Dana Reyes", "email": "dana@example.com", "subject": "A broken mug", "message": "It has no handle."}
    return {**values, **changes}


def send(client: Client, **changes: Any) -> Any:
    """Open the form, read it for a while, and submit it."""
    return client.post(FORM, {**hidden(client, FORM), **typed(**changes)})


def a_file(name: str = "mug.txt", content: bytes = b"No handle.") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, content_type="text/plain")


def page_of(ticket: Ticket) -> str:
    return TICKET_LINK.path(ticket)


def rating_page_of(ticket: Ticket) -> str:
    return RATING_LINK.path(ticket)


def errors(answer: Any) -> list[str]:
    assert answer.status_code == 422
    return [sentence for sentence, _ in answer.context["errors"]]
