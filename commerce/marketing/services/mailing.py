"""The one way in which subscribers get mail: whoever is not active at that moment gets none."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from cms_api.flags.selectors import is_on
from cms_api.mail.services import queue
from cms_api.mail.types import Recipient, is_address

from ..models import Subscriber
from ..types import FEATURE, Status
from .links import preferences_url, unsubscribe_url


@transaction.atomic
def mail_subscriber(*, subscriber: Subscriber, template: str, context: Mapping[str, Any]) -> bool:
    """Queues a mail to somebody who is active, in the caller's transaction; False, and nothing done, for anybody else.

    The mail says in its headers how to unsubscribe, so that mail programs show a button for it. `context` has the placeholders
    of its declaration but `unsubscribe_url` and `preferences_url`, which each such mail has besides and must show. Raises
    what `queue` raises for words and placeholders.
    """
    if not is_on(FEATURE) or not is_address(subscriber.email) or not _is_active(subscriber):
        return False
    person = str(Recipient(subscriber.email, subscriber.name))
    leave = unsubscribe_url(subscriber)
    queue(
        template=template,
        to=[person if is_address(person) else subscriber.email],
        context={**context, "unsubscribe_url": leave, "preferences_url": preferences_url(subscriber)},
        headers={"List-Unsubscribe": f"<{leave}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
    )
    return True


def _is_active(subscriber: Subscriber) -> bool:
    """Held until the end: whoever unsubscribes at this moment does so before the mail, or after it."""
    found = Subscriber.objects.select_for_update(no_key=True).filter(pk=subscriber.pk)
    return found.values_list("status", flat=True).first() == Status.ACTIVE
