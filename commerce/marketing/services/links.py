"""Signed links in emails: each states its recipient and purpose, and works without a password."""

from collections.abc import Sequence
from datetime import UTC, datetime

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils import timezone

from ..models import MailingList, Subscriber
from ..types import Promise

#: Lifetime of confirmation links in seconds; unsubscribe and preference links do not expire.
CONFIRM_WITHIN = 30 * 24 * 3600

_UNSUBSCRIBE = signing.Signer(salt="marketing.unsubscribe")
_PREFERENCES = signing.Signer(salt="marketing.preferences")
_CONFIRM = "marketing.confirm"


class Expired(Exception):
    """The link was valid but has expired."""


def unsubscribe_url(subscriber: Subscriber) -> str:
    """Return the unsubscribe link: a page with a button for people, one POST for mail programs (RFC 8058)."""
    return _absolute("unsubscribe", _UNSUBSCRIBE.sign(str(subscriber.pk)))


def preferences_url(subscriber: Subscriber) -> str:
    """Return the link to the subscriber's preferences."""
    return _absolute("subscriptions", _PREFERENCES.sign(str(subscriber.pk)))


def confirm_url(subscriber: Subscriber, *, lists: Sequence[MailingList] = (), first_name: str = "", last_name: str = "") -> str:
    """Return the link that confirms the address, and with it the requested lists and names."""
    asked = [subscriber.pk, [each.pk for each in lists], first_name, last_name, timezone.now().timestamp()]
    return _absolute("subscribe_confirm", signing.dumps(asked, salt=_CONFIRM, compress=True))


def _absolute(name: str, token: str) -> str:
    return settings.BASE_URL + reverse(name, args=[token])


def find_unsubscribing(token: str) -> Subscriber | None:
    """Return the subscriber of an unsubscribe link; None if the signature is invalid."""
    return _find(_UNSUBSCRIBE, token)


def find_choosing(token: str) -> Subscriber | None:
    """Return the subscriber of a preferences link; None if the signature is invalid."""
    return _find(_PREFERENCES, token)


def _find(signer: signing.Signer, token: str) -> Subscriber | None:
    try:
        number = signer.unsign(token)
    except signing.BadSignature:
        return None
    return Subscriber.objects.filter(pk=number).first()


def read_promise(token: str) -> Promise | None:
    """Return the request a link confirms; None if the signature is invalid. Raises Expired."""
    try:
        number, lists, first_name, last_name, asked_at = signing.loads(token, salt=_CONFIRM, max_age=CONFIRM_WITHIN)
    except signing.SignatureExpired:
        raise Expired from None
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return Promise(number, tuple(lists), first_name, last_name, datetime.fromtimestamp(asked_at, UTC))
