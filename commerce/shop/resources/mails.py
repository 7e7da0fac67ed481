"""The parts of emails about orders: what was bought, what was sent, and where it is."""

from django.conf import settings
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from cms_api.core.module import Block
from commerce.common.resources import sums_block
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import Order, Shipment
from ..selectors.downloads import files_of
from ..selectors.orders import ORDER_LINK
from ..types.orders import carrier_name
from . import sums

_NOTHING = Block("", "")


def summary(order: Order) -> Block:
    """Return the items of an order and its totals."""
    items = [(str(item), format_money(Money(item.total_cents, order.currency))) for item in order.items.all()]
    totals = sums.of_order(order)
    return sums_block(items, totals)


def downloads(order: Order) -> Block:
    """Return the links to the files of an order; nothing if it has none."""
    token = ORDER_LINK.token(order)
    links = [
        (file.filename, settings.BASE_URL + reverse("shop_download", args=[token, item.pk, file.pk]))
        for item, file in files_of(order)
    ]
    if not links:
        return _NOTHING
    text = "\n".join(["Your downloads:", *(f"- {name}: {link}" for name, link in links)])
    items = format_html_join("", '<li><a href="{}">{}</a></li>', ((link, name) for name, link in links))
    return Block(text, format_html("<p>Your downloads:</p><ul>{}</ul>", items))


def shipment(sent: Shipment) -> Block:
    """Return what a parcel contains."""
    names = [str(each) for each in sent.items.select_related("item")]
    items = format_html_join("", "<li>{}</li>", ((name,) for name in names))
    return Block("\n".join(f"- {name}" for name in names), format_html("<ul>{}</ul>", items))


def tracking(sent: Shipment) -> Block:
    """Return how a parcel can be followed; nothing if it cannot."""
    named = " ".join(filter(None, (carrier_name(sent.carrier), sent.tracking_number)))
    if not named:
        return _NOTHING if not sent.tracking_url else Block(f"Track your parcel:\n{sent.tracking_url}", _link(sent.tracking_url))
    if not sent.tracking_url:
        return Block(f"Tracking: {named}", format_html("<p>Tracking: {}</p>", named))
    return Block(
        f"Tracking: {named}\n{sent.tracking_url}",
        format_html('<p>Tracking: <a href="{}">{}</a></p>', sent.tracking_url, named),
    )


def _link(url: str) -> SafeString:
    return format_html('<p><a href="{}">Track your parcel</a></p>', url)
