"""Input for a booking whose time was taken meanwhile: the form of the next time begins with it."""

import time
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict

from ..models import Service

_KEY = "booking_draft"
_LIFETIME_SECONDS = 3600
#: Names of inputs that are not kept: those about this one request, and the price.
_OTHERS = {"csrfmiddlewaretoken", "hp_url", "total_cents"}


def keep(request: HttpRequest, service: Service) -> None:
    """Store the input in the visitor's session, for an hour."""
    sent = [(name, text) for name, texts in request.POST.lists() for text in texts if name not in _OTHERS and name[:1] != "_"]
    request.session[_KEY] = {"service": service.pk, "until": int(time.time()) + _LIFETIME_SECONDS, "sent": urlencode(sent)}


def take(request: HttpRequest, service: Service) -> QueryDict | None:
    """Return the stored input for a service, or None."""
    draft = request.session.get(_KEY)
    if not draft or draft["service"] != service.pk:
        return None
    if draft["until"] < time.time():
        drop(request)
        return None
    return QueryDict(draft["sent"])


def drop(request: HttpRequest) -> None:
    request.session.pop(_KEY, None)
