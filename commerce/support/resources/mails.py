"""The parts of emails about tickets."""

from html import escape

from cms_api.auth.selectors import owns_address
from cms_api.core.module import Block
from cms_api.flags.selectors import get_setting, site_formats, site_timezone
from cms_api.mail.types import quote_without_links
from cms_api.text.excerpts import shorten

from ..models import Message, Ticket
from ..selectors.tickets import public_messages
from ..types.tickets import AuthorType, Channel

#: Earlier messages that an answer repeats, and the characters of each.
_QUOTED_MESSAGES = 3
_QUOTED_CHARACTERS = 2000
#: Channels on which a sender enters an address: the site's own form, and those that send what they receive to the API.
_FORMS = (Channel.WEBSITE, Channel.API)


def history(ticket: Ticket, message: Message) -> Block:
    """Return the public messages before an answer, newest first; none if `support.quote_history` is off.

    Those from a form are quoted without links, unless the requester's account has confirmed the address: it may be a stranger's.
    """
    earlier = public_messages(ticket).filter(pk__lt=message.pk).order_by("-created_at", "-id")
    quoted = list(earlier[:_QUOTED_MESSAGES]) if get_setting("support.quote_history") else []
    is_confirmed = owns_address(ticket.user, ticket.email)
    texts, parts = [], []
    for each in quoted:
        body = each.body if len(each.body) <= _QUOTED_CHARACTERS else each.body[:_QUOTED_CHARACTERS].rstrip() + "…"
        if each.author_type == AuthorType.CUSTOMER and each.channel in _FORMS and not is_confirmed:
            body = quote_without_links(body)
        moment = site_formats().datetime(each.created_at.astimezone(site_timezone()))
        heading = f"{each.author_name or each.author_email}, {moment}:"
        texts.append(heading + "\n" + "\n".join(f"> {line}".rstrip() for line in body.split("\n")))
        parts.append(f"<p>{escape(heading)}</p><blockquote>{escape(body).replace(chr(10), '<br>')}</blockquote>")
    return Block("\n\n".join(texts), "".join(parts))


def intro(message: Message | None) -> str:
    """Return the beginning of a message, for staff."""
    return shorten(message.body, 500) if message else ""
