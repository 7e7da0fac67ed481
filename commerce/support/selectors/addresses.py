"""The addresses that answers are sent to: each has a signed token that names its ticket."""

import base64
import re
from collections.abc import Iterable

from django.conf import settings
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from cms_api.core.identifiers import MAX_ID
from cms_api.mail.types import is_address

from ..models import Ticket

#: Stands for the token in SUPPORT_REPLY_ADDRESS.
TOKEN = "{token}"
#: Mail servers may change the case of an address, so that a token has lower-case letters and digits only.
_SHAPE = r"([1-9][0-9]{0,18}-[a-z2-7]{16})"


def support_address() -> str:
    """Return the address that people write to: that of replies without its token; empty if there is none."""
    bare = re.sub(r"[+._-]?\{token\}", "", settings.SUPPORT_REPLY_ADDRESS)
    return bare if is_address(bare) else settings.BUSINESS_EMAIL


def reply_address(ticket: Ticket) -> str:
    """Return the address for answers to a ticket; without a pattern, it is that of the help desk."""
    if TOKEN in settings.SUPPORT_REPLY_ADDRESS:
        return str(settings.SUPPORT_REPLY_ADDRESS.replace(TOKEN, reply_token(ticket)))
    return support_address()


def reply_token(ticket: Ticket) -> str:
    """Return the token of a ticket: its id, and 80 bits to prove its key. An address has room for 64 characters before @."""
    return _token(ticket.pk, ticket.link_key.hex)


def _token(ticket_id: int, signed: str) -> str:
    signature = salted_hmac("support.reply", signed, algorithm="sha256").digest()[:10]
    return f"{ticket_id}-{base64.b32encode(signature).decode().lower()}"


def ticket_of_addresses(addresses: Iterable[str]) -> int | None:
    """Return the id of the ticket that the first valid token among some addresses names."""
    for address in addresses:
        token = _token_in(address)
        number = int(token.partition("-")[0]) if token else 0
        ticket = Ticket.objects.only("link_key", "old_links_until").filter(pk=number).first() if 0 < number <= MAX_ID else None
        if ticket is not None and _proves(token, ticket):
            return ticket.pk
    return None


def _token_in(address: str) -> str:
    """Return what stands in an address where the pattern of SUPPORT_REPLY_ADDRESS has the token; empty if nothing does."""
    if TOKEN not in settings.SUPPORT_REPLY_ADDRESS:
        return ""
    before, _, after = settings.SUPPORT_REPLY_ADDRESS.lower().partition(TOKEN)
    found = re.fullmatch(re.escape(before) + _SHAPE + re.escape(after), address.lower())
    return found[1] if found else ""


def _proves(token: str, ticket: Ticket) -> bool:
    """Return whether a token was made for a ticket; formerly, it proved the id alone."""
    is_old = ticket.old_links_until is not None and ticket.old_links_until > timezone.now()
    return constant_time_compare(token, reply_token(ticket)) or (
        is_old and constant_time_compare(token, _token(ticket.pk, str(ticket.pk)))
    )


def is_own_address(address: str) -> bool:
    """Return whether people write to the help desk at an address: an email from there has come back."""
    return address.lower() == support_address().lower() or bool(_token_in(address))
