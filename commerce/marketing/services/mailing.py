"""The only way to email subscribers: mail goes to active subscribers only."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from cms_api.fields.names import has_web_address
from cms_api.flags.selectors import is_on
from cms_api.mail.services import queue
from cms_api.mail.types import Recipient, is_address

from ..models import Subscriber
from ..types import FEATURE, Status
from .links import preferences_url, unsubscribe_url


@transaction.atomic
def mail_subscriber(*, subscriber: Subscriber, template: str, context: Mapping[str, Any]) -> bool:
    """Queue an email to an active subscriber in the caller's transaction; otherwise do nothing and return False.

    The email has List-Unsubscribe headers, so that mail programs show a button. `context` has the declared placeholders
    except `unsubscribe_url` and `preferences_url`, which are added and which each such email must show. Raises what `queue`
    raises for templates and placeholders.
    """
    if not is_on(FEATURE) or not is_address(subscriber.email) or not _is_active(subscriber):
        return False
    person = str(Recipient(subscriber.email, "" if has_web_address(subscriber.name) else subscriber.name))
    leave = unsubscribe_url(subscriber)
    queue(
        template=template,
        to=[person if is_address(person) else subscriber.email],
        context={**context, "unsubscribe_url": leave, "preferences_url": preferences_url(subscriber)},
        headers={"List-Unsubscribe": f"<{leave}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
    )
    return True


def _is_active(subscriber: Subscriber) -> bool:
    """Lock the subscriber until the transaction ends, so that unsubscribing happens before the email or after it."""
    found = Subscriber.objects.select_for_update(no_key=True).filter(pk=subscriber.pk)
    return found.values_list("status", flat=True).first() == Status.ACTIVE
