"""Customers of the restaurant in the CRM: the contact, and its timeline."""

from typing import Any

import pytest

from cms_api.flags.services import switch_feature
from commerce.crm.models import Activity, Contact
from commerce.crm.services import upsert_contact
from commerce.crm.types import ActivityKind
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.restaurant.services.kitchen import cancel_order, complete_order, start_preparing

from .builders import ADDRESS, make_order, make_zone

pytestmark = pytest.mark.django_db


@pytest.fixture
def crm() -> None:
    switch_feature(name="crm", on=True)


def orders() -> Any:
    """The timeline without its emails."""
    return Activity.objects.filter(kind=ActivityKind.ORDER)


def timeline() -> list[str]:
    return list(orders().order_by("pk").values_list("summary", flat=True))


def test_without_the_crm_nothing_is_written() -> None:
    make_order()
    assert (Contact.objects.count(), Activity.objects.count()) == (0, 0)


def test_a_customer_becomes_a_contact(crm: None) -> None:
    make_zone()
    order = make_order(name="Dana van Dyck", phone="555 0100", fulfillment="delivery", delivery_address=ADDRESS)
    contact = Contact.objects.get()
    assert (contact.email, contact.first_name, contact.last_name, contact.phone, contact.city) == (
        "dana@example.com",
        "Dana",
        "van Dyck",
        "555 0100",
        "Brattleboro",
    )
    assert timeline() == [f"Placed restaurant order {order.number} ($23.00)"]
    assert orders().get().link == f"/admin/restaurant/orders/inspect/{order.pk}/"


def test_what_is_known_of_a_contact_stays(crm: None) -> None:
    upsert_contact(values={"email": "dana@example.com", "first_name": "Daniela"}, source="admin")
    make_order(name="Dana Reyes", email="DANA@example.com", phone="555 0100")
    contact = Contact.objects.get()
    assert (contact.first_name, contact.last_name, contact.phone) == ("Daniela", "Reyes", "555 0100")


@pytest.mark.both_databases
def test_the_timeline_has_how_orders_end(crm: None) -> None:
    first, second = make_order(), make_order()
    start_preparing(order=first)
    complete_order(order=first)
    cancel_order(order=second)
    cancel_order(order=second)
    assert timeline() == [
        f"Placed restaurant order {first.number} ($20.00)",
        f"Placed restaurant order {second.number} ($20.00)",
        f"Restaurant order {first.number} completed",
        f"Restaurant order {second.number} cancelled",
    ]
    assert Contact.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_an_online_order_is_recorded_when_it_is_paid(crm: Any) -> None:
    order = make_order(payment_method="online")
    assert timeline() == []
    payment = start_payment(payable="restaurant_order", record_id=order.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    for _ in range(2):
        settle(payment_id=payment.pk)
    assert timeline() == [f"Placed restaurant order {order.number} ($20.00)"]
