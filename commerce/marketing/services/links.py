"""Links that stand in mails: each says, signed, whom it is for and what it may be used for. What holds one needs no password."""

from collections.abc import Sequence
from datetime import UTC, datetime

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils import timezone

from ..models import MailingList, Subscriber
from ..types import Promise

#: How long a link that confirms is good, in seconds; those that end something do not run out.
CONFIRM_WITHIN = 30 * 24 * 3600

_UNSUBSCRIBE = signing.Signer(salt="marketing.unsubscribe")
_PREFERENCES = signing.Signer(salt="marketing.preferences")
_CONFIRM = "marketing.confirm"


class Expired(Exception):
    """A link that was good once."""


def unsubscribe_url(subscriber: Subscriber) -> str:
    """Where somebody unsubscribes: people by a button, their mail programs with one POST (RFC 8058)."""
    return _absolute("unsubscribe", _UNSUBSCRIBE.sign(str(subscriber.pk)))


def preferences_url(subscriber: Subscriber) -> str:
    """Where somebody chooses what to hear of."""
    return _absolute("subscriptions", _PREFERENCES.sign(str(subscriber.pk)))


def confirm_url(subscriber: Subscriber, *, lists: Sequence[MailingList] = (), first_name: str = "", last_name: str = "") -> str:
    """Where somebody shows that the address is theirs, and gets what was asked for with it."""
    asked = [subscriber.pk, [each.pk for each in lists], first_name, last_name, timezone.now().timestamp()]
    return _absolute("subscribe_confirm", signing.dumps(asked, salt=_CONFIRM, compress=True))


def _absolute(name: str, token: str) -> str:
    return settings.BASE_URL + reverse(name, args=[token])


def find_unsubscribing(token: str) -> Subscriber | None:
    """Whose link to unsubscribe this is; None for what we did not sign."""
    return _find(_UNSUBSCRIBE, token)


def find_choosing(token: str) -> Subscriber | None:
    """Whose link to the preferences this is; None for what we did not sign."""
    return _find(_PREFERENCES, token)


def _find(signer: signing.Signer, token: str) -> Subscriber | None:
    try:
        number = signer.unsign(token)
    except signing.BadSignature:
        return None
    return Subscriber.objects.filter(pk=number).first()


def read_promise(token: str) -> Promise | None:
    """What a link confirms; None for what we did not sign. Raises Expired."""
    try:
        number, lists, first_name, last_name, asked_at = signing.loads(token, salt=_CONFIRM, max_age=CONFIRM_WITHIN)
    except signing.SignatureExpired:
        raise Expired from None
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return Promise(number, tuple(lists), first_name, last_name, datetime.fromtimestamp(asked_at, UTC))
