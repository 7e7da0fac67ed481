"""The addresses that answers are sent to: each has a signed token that names its ticket."""

import base64
import re
from collections.abc import Iterable

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

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
        return str(settings.SUPPORT_REPLY_ADDRESS.replace(TOKEN, reply_token(ticket.pk)))
    return support_address()


def reply_token(ticket_id: int) -> str:
    """Return the token of a ticket, with 80 bits of signature: an address has room for 64 characters before its @."""
    signature = salted_hmac("support.reply", str(ticket_id), algorithm="sha256").digest()[:10]
    return f"{ticket_id}-{base64.b32encode(signature).decode().lower()}"


def ticket_of_addresses(addresses: Iterable[str]) -> int | None:
    """Return the id of the ticket that the first valid token among some addresses names."""
    if TOKEN not in settings.SUPPORT_REPLY_ADDRESS:
        return None
    before, _, after = settings.SUPPORT_REPLY_ADDRESS.lower().partition(TOKEN)
    pattern = re.compile(re.escape(before) + _SHAPE + re.escape(after))
    for address in addresses:
        found = pattern.fullmatch(address.lower())
        if found is not None:
            number = int(found[1].partition("-")[0])
            if number < 2**63 and constant_time_compare(found[1], reply_token(number)):
                return number
    return None


def is_own_address(address: str) -> bool:
    """Return whether people write to the help desk at an address: an email from there has come back."""
    return address.lower() == support_address().lower() or ticket_of_addresses([address]) is not None
