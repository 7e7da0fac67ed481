"""Forms of the admin that move money: a double click sends them twice at the same moment, and they are carried out once."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from cms_api.adminkit.once import ALREADY_SUBMITTED
from commerce.booking.services import confirm_appointment
from commerce.invoicing.models import CreditNote
from commerce.payments.models import Payment, Refund
from tests.client import together
from tests.commerce.invoicing import builders as invoicing
from tests.commerce.sales.kinds import KINDS, open_business
from tests.commerce.shop import builders as shop
from tests.commerce.ticketing import builders as ticketing
from tests.confirming import button_of

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[[], Any]


def paid_invoice() -> Any:
    invoice = invoicing.make_invoice()
    invoicing.pay(invoice)
    return invoice


def confirmed_appointment() -> Any:
    appointment = KINDS["appointment"].make()
    confirm_appointment(appointment=appointment)
    return appointment


#: Records by the form that is sent about them, and how many rows there are once it was carried out once.
CASES: dict[str, tuple[Make, int]] = {
    "invoices:refund": (paid_invoice, 2),
    "invoices:record_payment": (invoicing.make_invoice, 1),
    "invoices:credit": (invoicing.make_invoice, 1),
    "orders:refund": (lambda: shop.make_paid_order((shop.make_variant(price=5000), 1)), 2),
    "ticket_orders:refund": (lambda: ticketing.paid_order(ticketing.make_sales(ticketing.adult()), Adult=1), 2),
    "appointments:record_payment": (confirmed_appointment, 1),
}
#: Those without a second step.
UNREVIEWED = {"invoices:record_payment", "appointments:record_payment"}


@pytest.fixture(autouse=True)
def business(db: None) -> None:
    open_business()


def rows() -> int:
    return Payment.objects.count() + Refund.objects.count() + CreditNote.objects.count()


def filled_in(client: Client, path: str) -> dict[str, str]:
    """A form as its page shows it, with a part of what may be entered."""
    page = client.get(path)
    fields = page.context["entry_form"].fields
    kept = {name: str(field.initial) for name, field in fields.items() if field.widget.is_hidden}
    return {
        **kept,
        "amount_cents": "10.00",
        "reason": "A scratch",
        "method": "cash",
        "once": page.context["once"],
    }


@pytest.mark.parametrize("name", CASES)
def test_a_double_click_moves_money_once(name: str, admin_client: Client) -> None:
    make, once = CASES[name]
    path = reverse(name, args=[make().pk])
    values = filled_in(admin_client, path)
    if name not in UNREVIEWED:
        values["confirmed"] = button_of(admin_client.post(path, values))

    def send(number: int) -> Any:
        browser = Client()
        browser.cookies = admin_client.cookies
        return browser.post(path, values)

    assert [answer.status_code for answer in together(send, 2)] == [302, 302]
    assert rows() == once


def test_what_was_refused_can_be_sent_again(admin_client: Client) -> None:
    invoice = invoicing.make_invoice()
    path = reverse("invoices:record_payment", args=[invoice.pk])
    values = {**filled_in(admin_client, path), "amount_cents": "1000.00"}
    refused = admin_client.post(path, values)
    assert (refused.status_code, rows()) == (422, 0)
    assert refused.context["once"] == values["once"]
    assert admin_client.post(path, {**values, "amount_cents": "40.00"}).status_code == 302
    # Another form, and the same one again: by then, the page would refuse its amount.
    again = {**values, "amount_cents": "40.00", "most_cents": "6000"}
    assert ALREADY_SUBMITTED in admin_client.post(path, again, follow=True).content.decode()
    assert rows() == 1


def test_a_second_click_is_not_refused_for_what_the_first_has_changed(admin_client: Client) -> None:
    """With 60 of 100 paid, the form would refuse another 60."""
    path = reverse("invoices:record_payment", args=[invoicing.make_invoice().pk])
    values = {**filled_in(admin_client, path), "amount_cents": "60.00"}
    assert admin_client.post(path, values).status_code == 302
    assert ALREADY_SUBMITTED in admin_client.post(path, values, follow=True).content.decode()
    assert rows() == 1
