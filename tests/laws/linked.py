"""A record of each kind that people reach by a link, made by its module's own service."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model

from commerce.booking.models import Appointment
from commerce.donations.models import Donation, Fundraiser, RecurringDonation
from commerce.invoicing.models import Invoice
from commerce.marketing.models import Subscriber
from commerce.members.models import Member
from commerce.payments.models import Payment
from commerce.projects.models import Project
from commerce.real_estate.models import SavedSearch
from commerce.real_estate.services import save_search
from commerce.restaurant.models import RestaurantOrder
from commerce.reviews.models import Invitation
from commerce.shop.models import Order
from commerce.support.models import Ticket
from commerce.ticketing.models import AttendeeTicket, Reservation, TicketOrder, WaitingEntry
from commerce.ticketing.services.ending import void_tickets
from events.models import Rsvp
from tests.commerce.booking.builders import make_appointment
from tests.commerce.donations import builders as donations
from tests.commerce.invoicing.builders import make_invoice, pay
from tests.commerce.marketing.conftest import make_subscriber
from tests.commerce.members.conftest import make_member
from tests.commerce.projects.builders import make_project
from tests.commerce.restaurant import builders as restaurant
from tests.commerce.reviews.builders import make_invitation
from tests.commerce.shop import builders as shop
from tests.commerce.support.builders import make_ticket
from tests.commerce.ticketing import builders as ticketing
from tests.events.guests import make_event, make_reply

#: By name, which stands in the address of the person.
Maker = Callable[[str], Any]


def address(name: str) -> str:
    return f"{name}@example.com"


def payment(name: str) -> Payment:
    invoice = make_invoice()
    pay(invoice)
    return Payment.objects.get(payable="invoice", record_id=invoice.pk)


def free_ticket(name: str) -> AttendeeTicket:
    """The only ticket of an event."""
    event = ticketing.make_sales(ticketing.adult(pricing="free", price_cents=0, size=1))
    return ticketing.make_order(event, buyer_values={"email": address(name)}).tickets.get()


def waiting(name: str) -> WaitingEntry:
    """Somebody on a waiting list, to whom a seat is offered."""
    sold = free_ticket("eve")
    entry = ticketing.wait(sold.order.event, email=address(name))
    void_tickets(order=sold.order, tickets=[sold.pk])
    entry.refresh_from_db()
    return entry


def recurring(name: str) -> RecurringDonation:
    made = donations.make_donation(email=address(name), frequency="monthly").recurring
    assert made
    return made


def saved_search(name: str) -> SavedSearch:
    return save_search(user=User.objects.create(username=name, email=address(name)), values={"name": "Houses"})


MAKERS: Mapping[type[Model], Maker] = {
    Appointment: lambda name: make_appointment(email=address(name)),
    AttendeeTicket: free_ticket,
    Donation: lambda name: donations.make_donation(email=address(name)),
    Fundraiser: lambda name: donations.make_fundraiser(donations.make_campaign(), email=address(name)),
    Invitation: lambda name: make_invitation(email=address(name)),
    Invoice: lambda name: make_invoice(),
    Member: lambda name: make_member(address(name)),
    Order: lambda name: shop.make_order(email=address(name)),
    Payment: payment,
    Project: lambda name: make_project(client_email=address(name)),
    RecurringDonation: recurring,
    Reservation: lambda name: ticketing.make_reservation(ticketing.make_sales()),
    RestaurantOrder: lambda name: restaurant.make_order(email=address(name)),
    Rsvp: lambda name: make_reply(make_event(), email=address(name)),
    SavedSearch: saved_search,
    Subscriber: lambda name: make_subscriber(address(name)),
    Ticket: lambda name: make_ticket(email=address(name)),
    TicketOrder: lambda name: ticketing.make_order(ticketing.make_sales(), buyer_values={"email": address(name)}),
    WaitingEntry: waiting,
}
