"""The pages of tickets as a visitor goes through them."""

import html
import re
from typing import Any

from django.test import Client

from cms_api.content.models import ContentItem
from commerce.ticketing.models import Reservation
from commerce.ticketing.selectors.orders import RESERVATION_LINK

from .builders import first_start, type_of


def path_of(event: ContentItem) -> str:
    return f"/events/{event.slug}"


def plain(text: str) -> str:
    """A text with simple spaces."""
    return " ".join(text.split())


def text_of(answer: Any) -> str:
    """The words of a page, without tags."""
    main = answer.content.decode().partition("<main")[2].partition("</main>")[0]
    return plain(html.unescape(re.sub("<[^>]*>", " ", main)))


def chosen(event: ContentItem, **quantities: int) -> dict[str, str]:
    """The input of the form for numbers of tickets by type: `Adult=2`."""
    return {f"quantity-{type_of(event, name).pk}": str(number) for name, number in quantities.items()}


def reserve(client: Client, event: ContentItem, start: str = "", typed: Any = None, **quantities: int) -> Any:
    """Send the form on the event's page."""
    sent = {"occurrence": start or first_start(event), "code": "", **chosen(event, **quantities), **(typed or {})}
    return client.post(f"{path_of(event)}/tickets", sent)


def checkout_path(reservation: Reservation) -> str:
    return RESERVATION_LINK.path(reservation)


def errors(answer: Any) -> list[tuple[str, str]]:
    assert answer.status_code == 422
    return list(answer.context["errors"])


def pay_there(client: Client, answer: Any) -> str:
    """Pay on the payment page that an answer leads to; return the path of the page after it."""
    page = client.get(answer.headers["Location"], follow=True)
    shown = page.redirect_chain[-1][0] if page.redirect_chain else answer.headers["Location"]
    paid = client.post(shown, {"decision": "pay"})
    back = client.get(paid.headers["Location"])
    return str(back.headers["Location"])
