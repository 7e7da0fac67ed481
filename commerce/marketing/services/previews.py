"""Previews and tests of sequence steps, for their authors."""

from typing import Any

from django.conf import settings

from cms_api.mail.selectors import common_values, words
from cms_api.mail.services import queue
from cms_api.mail.services.rendering import render
from cms_api.mail.types import Words, check_mailable

from ..models import SequenceStep, Subscriber
from .wording import MAIL, words_for


def preview(*, step: SequenceStep, to: str, first_name: str = "", last_name: str = "") -> Words:
    """Render the email that a subscriber with this name and address would get."""
    return render(words(MAIL), {**_context(step, to, first_name, last_name), **common_values()})


def send_test(*, step: SequenceStep, to: str, first_name: str = "", last_name: str = "") -> None:
    """Queue the previewed email to a staff member. Raises Invalid (`to`)."""
    check_mailable(to, "to")
    queue(template=MAIL, to=[to], context=_context(step, to, first_name, last_name))


def _context(step: SequenceStep, to: str, first_name: str, last_name: str) -> dict[str, Any]:
    """Return sample values; their links lead to the site, so that a test cannot unsubscribe anyone."""
    reader = Subscriber(email=to, first_name=first_name, last_name=last_name)
    return {**words_for(step, reader), "unsubscribe_url": settings.BASE_URL, "preferences_url": settings.BASE_URL}
