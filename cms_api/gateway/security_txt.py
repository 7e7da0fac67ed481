"""`/.well-known/security.txt` (RFC 9116): whom to tell about a vulnerability, while the site's owner has said so."""

from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from cms_api.flags.selectors import get_words
from cms_api.http import wire
from cms_api.mail.types import is_address

CONTACT = "security.contact"
PATH = ".well-known/security.txt"
#: How long readers may rely on an answer.
VALID_FOR = timedelta(days=180)


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    contacts = get_words(CONTACT)
    if not contacts:
        raise Http404
    until = (timezone.now() + VALID_FOR).replace(hour=0, minute=0, second=0)
    lines = [
        *(f"Contact: {address(each)}" for each in contacts),
        f"Expires: {wire.instant(until)}",
        f"Preferred-Languages: {settings.LANGUAGE_CODE}",
        f"Canonical: {settings.BASE_URL}/{PATH}",
        "",
    ]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


def address(contact: str) -> str:
    return f"mailto:{contact}" if is_address(contact) else contact


def contact_mistake(contact: str) -> str:
    """Return why a contact cannot be one; empty if it can."""
    try:
        parts = urlsplit(contact)
        is_page = parts.scheme == "https" and bool(parts.hostname)
    except ValueError:
        is_page = False
    is_usable = contact.isprintable() and (is_address(contact) or is_page)
    return "" if is_usable else "Enter email addresses, or addresses of pages that begin with https://."
