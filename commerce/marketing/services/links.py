"""Signed links in emails: each states its recipient and purpose, and works without a password."""

from collections.abc import Sequence
from datetime import UTC, datetime

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils import timezone

from cms_api.http.signed_links import SignedLink, find_by_key

from ..models import MailingList, Subscriber
from ..types import Promise

#: Lifetime of confirmation links in seconds; unsubscribe and preference links do not expire.
CONFIRM_SECONDS = 30 * 24 * 3600

_UNSUBSCRIBE = SignedLink("marketing.unsubscribe", Subscriber, view="unsubscribe")
_PREFERENCES = SignedLink("marketing.preferences", Subscriber, view="subscriptions")
_CONFIRM = "marketing.confirm"


class Expired(Exception):
    """The link was valid but has expired."""


def unsubscribe_url(subscriber: Subscriber) -> str:
    """Return the unsubscribe link: a page with a button for people, one POST for mail programs (RFC 8058)."""
    return _UNSUBSCRIBE.url(subscriber)


def preferences_url(subscriber: Subscriber) -> str:
    """Return the link to the subscriber's preferences."""
    return _PREFERENCES.url(subscriber)


def confirm_url(subscriber: Subscriber, *, lists: Sequence[MailingList] = (), first_name: str = "", last_name: str = "") -> str:
    """Return the link that confirms the address, and with it the requested lists and names."""
    asked = [subscriber.link_key.hex, [each.slug for each in lists], first_name, last_name, timezone.now().timestamp()]
    return settings.BASE_URL + reverse("subscribe_confirm", args=[signing.dumps(asked, salt=_CONFIRM, compress=True)])


def find_unsubscribing(token: str) -> Subscriber | None:
    """Return the subscriber of an unsubscribe link; None if the signature is invalid."""
    return _UNSUBSCRIBE.find(Subscriber.objects.all(), token)


def find_choosing(token: str) -> Subscriber | None:
    """Return the subscriber of a preferences link; None if the signature is invalid."""
    return _PREFERENCES.find(Subscriber.objects.all(), token)


def read_promise(token: str) -> Promise | None:
    """Return the request a link confirms; None if the signature is invalid, or the subscriber is gone. Raises Expired."""
    try:
        key, lists, first_name, last_name, asked_at = signing.loads(token, salt=_CONFIRM, max_age=CONFIRM_SECONDS)
    except signing.SignatureExpired:
        raise Expired from None
    except (signing.BadSignature, ValueError, TypeError):
        return None
    subscriber = find_by_key(Subscriber.objects.all(), str(key))
    if subscriber is None:
        return None
    return Promise(subscriber.pk, tuple(lists), first_name, last_name, datetime.fromtimestamp(asked_at, UTC))
