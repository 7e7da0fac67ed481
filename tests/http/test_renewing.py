"""Links end by themselves when a record belongs to another person, and so do those that lead to it."""

from collections.abc import Callable
from typing import Any

import pytest

from cms_api.flags.services import set_setting, switch_feature
from cms_api.http.renewing import renew_link
from commerce.donations.services import save_fundraiser
from commerce.invoicing.services import accept_estimate, convert_estimate, delete_client, save_client, save_invoice
from commerce.projects.services import save_project
from commerce.shop.models import Cart
from commerce.shop.services import placing
from commerce.support.selectors.addresses import reply_address, ticket_of_addresses
from commerce.support.services import merge_tickets, set_requester
from commerce.ticketing.services import buying
from tests import people
from tests.commerce.donations import builders as donations
from tests.commerce.invoicing.builders import make_client, make_draft, make_estimate
from tests.commerce.projects.builders import make_project
from tests.commerce.shop import builders as shop
from tests.commerce.support.builders import make_ticket
from tests.commerce.ticketing import builders as ticketing
from tests.features import switch_all_on

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _everything_on(db: None, settings: Any) -> None:
    switch_all_on()
    set_setting(key="payments.allow_test_payments", value=True)
    settings.SUPPORT_REPLY_ADDRESS = "support+{token}@help.example"


def is_renewed(record: Any, change: Callable[[], Any]) -> bool:
    """Whether a change ends the links to a record."""
    former = record.link_key
    change()
    record.refresh_from_db()
    return bool(record.link_key != former)


@pytest.mark.both_databases
def test_a_project_of_another_client() -> None:
    first, second = make_client(), make_client()
    project = make_project(client=first, client_email="")
    assert not is_renewed(project, lambda: save_project(project=project, values={"name": "Mural", "client_name": "Kim"}))
    assert is_renewed(project, lambda: save_project(project=project, values={"client": second}))
    assert is_renewed(project, lambda: save_project(project=project, values={"client_email": "kim@example.com"}))
    assert not is_renewed(project, lambda: save_client(client=second, values={"email": "new@example.com"}))


def test_projects_of_a_client_whose_address_ends() -> None:
    client = make_client()
    project = make_project(client=client, client_email="")
    assert not is_renewed(project, lambda: save_client(client=client, values={"phone": "1"}))
    assert is_renewed(project, lambda: save_client(client=client, values={"email": "new@example.com"}))
    switch_feature(name="projects", on=False)
    assert is_renewed(project, lambda: delete_client(client=client))


def test_a_draft_of_another_client() -> None:
    draft = make_draft()
    assert not is_renewed(draft, lambda: save_invoice(invoice=draft, values={"reference": "7"}))
    assert is_renewed(draft, lambda: save_invoice(invoice=draft, values={"client": make_client()}))


def test_a_fundraiser_of_another_organizer() -> None:
    fundraiser = donations.make_fundraiser(donations.make_campaign())
    assert not is_renewed(fundraiser, lambda: save_fundraiser(fundraiser=fundraiser, values={"name": "For the kiln"}))
    assert is_renewed(fundraiser, lambda: save_fundraiser(fundraiser=fundraiser, values={"email": "kim@example.com"}))


def test_a_request_of_another_requester() -> None:
    ticket = make_ticket()
    address = reply_address(ticket)
    assert not is_renewed(ticket, lambda: set_requester(ticket=ticket, email=ticket.email, name="Dana R."))
    assert ticket_of_addresses([address]) == ticket.pk
    assert is_renewed(ticket, lambda: set_requester(ticket=ticket, email="kim@example.com"))
    assert ticket_of_addresses([address]) is None
    assert ticket_of_addresses([reply_address(ticket)]) == ticket.pk


@pytest.mark.django_db(transaction=True)
def test_a_checkout_with_another_address() -> None:
    order = shop.make_order()
    cart = Cart.objects.get()
    for email, expected in ((order.email, False), ("kim@example.com", True)):
        values = shop.checkout_values(email=email)
        assert is_renewed(order, lambda values=values: placing.place_order(cart=cart, values=values)) == expected
    reservation = ticketing.make_reservation(ticketing.make_sales())
    bought = buying.place_order(reservation=reservation, values=ticketing.buyer())
    for email, expected in ((bought.email, False), ("kim@example.com", True)):
        values = ticketing.buyer(email=email)
        assert is_renewed(bought, lambda values=values: buying.place_order(reservation=reservation, values=values)) == expected


def test_pages_that_lead_to_a_record_end_with_its_links() -> None:
    estimate = make_estimate()
    accept_estimate(estimate=estimate, name="Dana Reyes", user=people.alice())
    invoice = convert_estimate(estimate=estimate)
    gift = donations.make_donation(frequency="monthly")
    first, second = make_ticket(), make_ticket()
    merge_tickets(ticket=first, into=second)
    order = ticketing.make_order(ticketing.make_sales())
    recurring, reservation = gift.recurring, order.reservation
    for record, leading in (
        (invoice, estimate),
        (gift, recurring),
        (recurring, gift),
        (second, first),
        (order, reservation),
    ):
        assert is_renewed(leading, lambda record=record: renew_link(record=record)), leading
