"""Orders in the admin: the list, the page of an order, and everything that is done there."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.sending import send_due
from commerce.payments.models import Payment
from commerce.payments.selectors import refundable_cents
from commerce.shop.models import Order, OrderRefund, Shipment
from commerce.shop.services.fulfilling import fulfill_order
from tests import people
from tests.confirming import button_of, post_twice

from .builders import ADDRESS, make_order, make_paid_order, make_variant

pytestmark = pytest.mark.django_db

ORDERS = "/admin/orders/"

Act = Callable[..., Any]


def text(answer: Any) -> str:
    return str(answer.content.decode())


def url(action: str, order: Order) -> str:
    return f"{ORDERS}{action}/{order.pk}/"


def shown(admin: Client, **query: str) -> list[str]:
    """The numbers of the orders on the list."""
    answer = admin.get(ORDERS, query)
    assert answer.status_code == 200
    return [order.number for order in answer.context["object_list"]]


def mails(template: str) -> int:
    return OutgoingMail.objects.filter(template=template).count()


@pytest.fixture
def act(admin_client: Client, django_capture_on_commit_callbacks: Any) -> Act:
    """Sends the form of a transition, after which refunds have been sent."""

    def send(action: str, order: Order, **values: Any) -> Any:
        with django_capture_on_commit_callbacks(execute=True):
            answer = post_twice(admin_client, url(action, order), values)
        order.refresh_from_db()
        return answer

    return send


def test_it_works(admin_client: Client) -> None:
    order = make_paid_order(
        (make_variant(price=1250, sku="MUG", product={"name": "Mug"}), 2), note="Ring twice.", phone="555 0100"
    )
    assert shown(admin_client) == [order.number]
    page = text(admin_client.get(ORDERS))
    for words in (order.number, "Dana Reyes", "dana@example.com", "Paid", "$30.00"):
        assert words in page
    page = text(admin_client.get(url("inspect", order)))
    for words in (
        "Mug",
        "MUG",
        "$12.50",
        "$30.00",
        "14 Canal Street",
        "Ring twice.",
        "555 0100",
        "Ship items",
        "Refund",
        "Placed",
    ):
        assert words in page
    for words in ("Record payment", "Cancel order"):
        assert words not in page


@pytest.mark.both_databases
def test_filters_and_search(admin_client: Client) -> None:
    pending, paid = make_order(email="pia@example.com", name="Pia Holm"), make_paid_order((make_variant(sku="MUG-7"), 1))
    old = make_order(email="old@example.com")
    Order.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=3))
    assert shown(admin_client) == [paid.number, pending.number, old.number]
    assert shown(admin_client, status="paid") == [paid.number]
    assert shown(admin_client, status="pending") == [pending.number, old.number]
    assert shown(admin_client, status="abandoned") == [old.number]
    assert shown(admin_client, q="holm") == [pending.number]
    assert shown(admin_client, q=paid.number.lower()) == [paid.number]
    assert shown(admin_client, q="MUG-7") == [paid.number]
    assert shown(admin_client, q="old@example.com") == [old.number]
    assert shown(admin_client, q="\0") is not None
    today = timezone.now().date().isoformat()
    assert old.number not in shown(admin_client, created_at_from=today)
    assert "Abandoned" in text(admin_client.get(ORDERS))


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client, django_assert_max_num_queries: Any) -> None:
    for number in range(12):
        make_order((make_variant(), 1), (make_variant(), 1), email=f"buyer{number}@example.com")
    admin_client.get(ORDERS)
    with django_assert_max_num_queries(30):
        admin_client.get(ORDERS)
    with django_assert_max_num_queries(30):
        admin_client.get(ORDERS, {"export": "csv"}).getvalue()


def test_csv(admin_client: Client) -> None:
    order = make_paid_order((make_variant(price=1250, product={"name": "=Mug"}), 2))
    answer = admin_client.get(ORDERS, {"export": "csv"})
    (row,) = csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig")))
    assert (row["Order"], row["Status"], row["Items"], row["Total"]) == (order.number, "paid", "2 x =Mug", "30.00")
    assert (row["Currency"], row["Refunded"]) == ("USD", "0.00")
    assert row["Shipping address"].startswith("Dana Reyes, 14 Canal Street, Brattleboro, VT 05301")


def test_shipping(act: Act, admin_client: Client) -> None:
    order = make_paid_order((make_variant(product={"name": "Mug"}), 2))
    item = order.items.get()
    form = text(admin_client.get(url("ship", order)))
    for words in ("Mug (of 2)", "Carrier", "Tracking number", "Email the customer"):
        assert words in form
    values = {f"pieces-{item.pk}": "1", "carrier": "UPS", "tracking_number": "1Z9", "tracking_url": "", "send_email": "on"}
    assert act("ship", order, **values).status_code == 302
    assert (order.status, order.tracking_url) == ("paid", "https://www.ups.com/track?tracknum=1Z9")
    assert mails("order_shipped") == 1
    assert "Mug (of 1)" in text(admin_client.get(url("ship", order)))
    assert act("ship", order, **{f"pieces-{item.pk}": "1"}).status_code == 302
    assert (order.status, mails("order_shipped")) == ("fulfilled", 1)
    page = text(admin_client.get(url("inspect", order)))
    for words in ("UPS", "1Z9", "Fulfilled"):
        assert words in page
    # Nothing is left, so a stale form ships nothing.
    assert act("ship", order, **values).status_code == 302
    assert Shipment.objects.count() == 2


def test_a_shipment_that_makes_no_sense_is_refused_at_its_field(act: Act) -> None:
    order = make_paid_order((make_variant(), 2))
    for name, value in [
        ("pieces", "3"),
        ("pieces", "9" * 5000),
        ("pieces", "1\0"),
        ("tracking_number", "x" * 101),
        ("tracking_url", "javascript:alert(1)"),
    ]:
        field = f"pieces-{order.items.get().pk}" if name == "pieces" else name
        answer = act("ship", order, **{f"pieces-{order.items.get().pk}": "1", field: value})
        assert (answer.status_code, set(answer.context["entry_form"].errors)) == (422, {field})
        assert (order.status, Shipment.objects.count()) == ("paid", 0)


def test_a_shipment_of_nothing_is_refused(act: Act) -> None:
    order = make_paid_order()
    answer = act("ship", order, carrier="UPS")
    assert (answer.status_code, "Choose at least one item to ship." in text(answer)) == (422, True)


def test_correcting_the_tracking(act: Act, admin_client: Client) -> None:
    order = fulfill_order(order=make_paid_order(), tracking={"carrier": "ups", "tracking_number": "1"}, send_email=False)
    shipment = Shipment.objects.get()
    path = f"{ORDERS}shipments/{shipment.pk}/tracking/"
    assert path in text(admin_client.get(url("inspect", order)))
    assert 'value="ups"' in text(admin_client.get(path))
    assert admin_client.post(path, {"carrier": "dhl", "tracking_number": "2", "tracking_url": ""}).status_code == 302
    order.refresh_from_db()
    assert (order.carrier, order.tracking_number, mails("order_shipped")) == ("dhl", "2", 0)
    assert order.tracking_url.endswith("AWB=2")
    admin_client.post(path, {"carrier": "dhl", "tracking_number": "3", "tracking_url": "", "send_email": "on"})
    assert mails("order_shipped") == 1
    answer = admin_client.post(path, {"carrier": "x" * 51})
    assert (answer.status_code, set(answer.context["entry_form"].errors)) == (422, {"carrier"})


def refund_form(order: Order, **values: str) -> dict[str, str]:
    return {"amount_cents": "", "reason": "", "left_cents": str(refundable_cents("order", order.pk)), **values}


def test_refunding(act: Act, admin_client: Client) -> None:
    order = make_paid_order((make_variant(price=1000, product={"name": "Mug"}), 2))
    item = order.items.get()
    form = text(admin_client.get(url("refund", order)))
    for words in ("Mug (of 2)", "Amount (at most $25.00)", "Put the items back into stock", 'name="left_cents" value="2500"'):
        assert words in form
    first = refund_form(order, **{f"pieces-{item.pk}": "1"}, restock="on", reason="Broken")
    # Nothing goes back before the amount has been confirmed, and not if somebody changes it on the way.
    asked = admin_client.post(url("refund", order), first)
    assert (asked.status_code, button_of(asked), "1 x Mug" in text(asked)) == (200, "Refund $10.00", True)
    for more in ({"confirmed": "Refund $9.00"}, {"confirmed": ""}, {"change": "1"}):
        admin_client.post(url("refund", order), {**first, **more})
    assert OrderRefund.objects.count() == 0
    assert act("refund", order, **first).status_code == 302
    assert order.refunded_cents == 1000
    # The same form again, from another tab or by a second click.
    answer = act("refund", order, **first)
    assert (answer.status_code, order.refunded_cents) == (422, 1000)
    assert "This order has been refunded in the meantime. Check what is left." in text(answer)
    assert act("refund", order, **refund_form(order, amount_cents="5.00")).status_code == 302
    assert (order.status, order.refunded_cents) == ("paid", 1500)
    # A blank amount is everything that is left, which the button says.
    assert button_of(admin_client.post(url("refund", order), refund_form(order))) == "Refund $10.00"
    assert act("refund", order, **refund_form(order)).status_code == 302
    assert (order.status, order.refunded_cents, OrderRefund.objects.count()) == ("refunded", 2500, 3)
    page = text(admin_client.get(url("inspect", order)))
    for words in ("Broken", "Refunded", "$10.00", "restocked"):
        assert words in page
    assert mails("order_refunded") == 3


def test_a_refund_that_makes_no_sense_is_refused_at_its_field(act: Act) -> None:
    order = make_paid_order((make_variant(price=1000), 2))
    for name, value in [
        ("amount_cents", "25.01"),
        ("amount_cents", "-1"),
        ("amount_cents", "1e999999"),
        ("amount_cents", "1\0"),
        ("reason", "\0"),
        ("left_cents", "2499"),
    ]:
        answer = act("refund", order, **refund_form(order, **{name: value}))
        found = set(answer.context["entry_form"].errors) - {"left_cents"}
        assert (answer.status_code, found) == (422, {"__all__" if name == "left_cents" else name})
        assert (order.refunded_cents, OrderRefund.objects.count()) == (0, 0)


def test_recording_a_payment(act: Act, admin_client: Client) -> None:
    order = make_order()
    assert "Record payment" in text(admin_client.get(url("inspect", order)))
    assert (
        act("record-payment", order, method="bank_transfer", paid_at="2026-03-01", note="Ref 7", most_cents="2500").status_code
        == 302
    )
    assert (order.status, mails("order_confirmed"), Payment.objects.get().method) == ("paid", 1, "bank_transfer")
    # A stale page records nothing twice.
    assert act("record-payment", order, method="cash").status_code == 302
    assert Payment.objects.count() == 1


def test_a_payment_that_makes_no_sense_is_refused_at_its_field(act: Act) -> None:
    order = make_order()
    for name, value in [
        ("method", ""),
        ("method", "card"),
        ("paid_at", "2999-01-01"),
        ("paid_at", "x"),
        ("note", "\0"),
        ("note", "x" * 501),
    ]:
        answer = act("record-payment", order, **{"method": "cash", "most_cents": "2500", name: value})
        assert (answer.status_code, set(answer.context["entry_form"].errors)) == (422, {name})
        assert (order.status, Payment.objects.count()) == ("pending", 0)


def test_a_payment_of_the_first_day_of_the_calendar(act: Act, admin_client: Client) -> None:
    order = make_order()
    assert act("record-payment", order, method="cash", most_cents="2500", paid_at="0001-01-01").status_code == 422
    assert admin_client.get(url("inspect", order)).status_code == 200


def test_cancelling(act: Act, admin_client: Client) -> None:
    order = make_order()
    assert "The items go back into stock" in text(admin_client.get(url("cancel", order)))
    assert act("cancel", order).status_code == 302
    assert (order.status, mails("order_cancelled")) == ("cancelled", 1)
    assert act("cancel", order).status_code == 302
    assert mails("order_cancelled") == 1
    page = text(admin_client.get(url("inspect", order)))
    for words in ("Ship items", "Record payment", "Refund</"):
        assert words not in page


@pytest.mark.both_databases
def test_several_orders_are_shipped_at_once(admin_client: Client) -> None:
    paid, pending = make_paid_order(), make_order(email="b@example.com")
    path = "/admin/bulk/shop/order/ship/"
    query = f"?id={paid.pk}&id={pending.pk}&next={ORDERS}"
    assert admin_client.get(path + query).status_code == 200
    assert admin_client.post(path + query, {"send_email": "on"}).status_code == 302
    assert list(Order.objects.order_by("pk").values_list("status", flat=True)) == ["fulfilled", "pending"]
    assert mails("order_shipped") == 1


def test_documents(admin_client: Client) -> None:
    order, pending = make_paid_order(), make_order(email="b@example.com")
    for name in ("receipt", "packing_slip"):
        answer = admin_client.get(url(name.replace("_", "-"), order))
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/pdf")
        assert "no-store" in answer.headers["Cache-Control"]
    assert admin_client.get(url("receipt", pending)).status_code == 404
    assert admin_client.get(f"{ORDERS}receipt/999/").status_code == 404


def test_characters_that_no_font_has_are_noted(admin_client: Client) -> None:
    order = make_paid_order(shipping_address={**ADDRESS, "name": "Dana \U00012000"})
    # The receipt is made when its email is sent.
    send_due()
    assert "The receipt lacks some characters: \U00012000" in text(admin_client.get(url("inspect", order)))
    for name, words in (("receipt", "The receipt"), ("packing-slip", "The packing slip")):
        assert admin_client.get(url(name, order)).status_code == 200
        page = text(admin_client.get(ORDERS))
        assert f"{words} of {order.number} lacks some characters: \U00012000" in page


def test_editors_have_no_access(sign_in: Callable[[Any], Client]) -> None:
    order = make_paid_order()
    editor = sign_in(people.bob())
    for path in (ORDERS, *(url(name, order) for name in ("inspect", "history", "ship", "refund", "receipt", "packing-slip"))):
        assert editor.get(path).status_code in {302, 403}
    editor.post(url("ship", order), {f"pieces-{order.items.get().pk}": "2"})
    editor.post(url("refund", order), refund_form(order))
    order.refresh_from_db()
    assert (order.status, Shipment.objects.count(), OrderRefund.objects.count()) == ("paid", 0, 0)
    assert ORDERS not in text(editor.get("/admin/"))


def test_managers_have_access(sign_in: Callable[[Any], Client]) -> None:
    order = make_paid_order()
    manager = sign_in(people.mallory_manager())
    assert manager.get(url("inspect", order)).status_code == 200
    assert manager.post(url("ship", order), {f"pieces-{order.items.get().pk}": "2"}).status_code == 302
    assert Shipment.objects.count() == 1


def test_history(admin_client: Client, act: Act) -> None:
    order = make_order()
    act("record-payment", order, method="cash", most_cents="2500")
    act("ship", order, **{f"pieces-{order.items.get().pk}": "2", "carrier": "UPS", "tracking_number": "1Z9"})
    act("refund", order, **refund_form(order))
    page = text(admin_client.get(url("history", order)))
    for words in ("Placed", "Paid $25.00", "Fulfilled (UPS 1Z9)", "Asked to refund $25.00", "Refunded $25.00"):
        assert words in page
