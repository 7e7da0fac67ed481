"""The public pages of ticketing."""

from collections.abc import Callable, Iterator
from typing import Any

from django.urls import URLPattern, path

from .views import account, checkout, orders, reserve, tickets, waiting


def _both(route: str, view: Callable[..., Any], name: str) -> Iterator[URLPattern]:
    """Yield a page's pattern, and that of its address with a slash at the end."""
    yield path(route, view, name=name)
    yield path(f"{route}/", view)


urlpatterns: list[URLPattern] = [
    *_both("events/tickets/checkout/<secret:token>", checkout.checkout, "tickets_checkout"),
    *_both("events/tickets/checkout/<secret:token>/change", checkout.give_up, "tickets_give_up"),
    *_both("events/tickets/orders/<secret:token>", orders.show, "tickets_order"),
    *_both("events/tickets/orders/<secret:token>/pay", orders.pay, "tickets_pay"),
    path("events/tickets/orders/<secret:token>/tickets.pdf", orders.pdf, name="tickets_pdf"),
    *_both("events/tickets/t/<secret:token>", tickets.show, "tickets_ticket"),
    path("events/tickets/t/<secret:token>/ticket.pdf", tickets.pdf, name="ticket_pdf"),
    *_both("events/tickets/t/<secret:token>/transfer", tickets.transfer, "tickets_transfer"),
    *_both("events/tickets/offers/<secret:token>", waiting.offer, "tickets_offer"),
    *_both("events/tickets/waiting/<secret:token>/leave", waiting.leave, "tickets_leave"),
    *_both("events/<slug:slug>/tickets", reserve.tickets, "tickets_reserve"),
    *_both("events/<slug:slug>/tickets/waiting", waiting.wait, "tickets_wait"),
    path("accounts/tickets/", account.account_tickets, name="account_tickets"),
]
