"""The public pages of ticketing."""

from django.urls import path

from .views import account, checkout, orders, reserve, tickets, waiting

urlpatterns = [
    path("events/tickets/checkout/<secret:token>", checkout.checkout, name="tickets_checkout"),
    path("events/tickets/checkout/<secret:token>/change", checkout.give_up, name="tickets_give_up"),
    path("events/tickets/orders/<secret:token>", orders.show, name="tickets_order"),
    path("events/tickets/orders/<secret:token>/pay", orders.pay, name="tickets_pay"),
    path("events/tickets/orders/<secret:token>/tickets.pdf", orders.pdf, name="tickets_pdf"),
    path("events/tickets/t/<secret:token>", tickets.show, name="tickets_ticket"),
    path("events/tickets/t/<secret:token>/ticket.pdf", tickets.pdf, name="ticket_pdf"),
    path("events/tickets/t/<secret:token>/transfer", tickets.transfer, name="tickets_transfer"),
    path("events/tickets/offers/<secret:token>", waiting.offer, name="tickets_offer"),
    path("events/tickets/waiting/<secret:token>/leave", waiting.leave, name="tickets_leave"),
    path("events/<slug:slug>/tickets", reserve.tickets, name="tickets_reserve"),
    path("events/<slug:slug>/tickets/waiting", waiting.wait, name="tickets_wait"),
    path("accounts/tickets/", account.account_tickets, name="account_tickets"),
]
