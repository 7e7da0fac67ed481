"""Fulfilling an order, whole and in parts: API, service, email, webhook."""

from collections import Counter
from typing import Any

import pytest

from cms_api.core.errors import Invalid
from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.crm.models import Activity
from commerce.shop.models import Order, Shipment
from commerce.shop.services import fulfilling
from commerce.shop.services.ending import cancel_order, refund_order
from commerce.shop.services.fulfilling import correct_tracking, fulfill_order
from commerce.shop.types.orders import tracking_url
from tests.client import Api, together
from tests.figures import figure
from tests.unprotected import meet_before, without_transactions

from .builders import make_method, make_order, make_paid_order, make_variant
from .outcomes import emitted, kinds, outcome

pytestmark = pytest.mark.django_db


def mails(template: str = "order_shipped") -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(template=template))


@pytest.mark.both_databases
def test_it_works(shop_api: Api) -> None:
    order = make_paid_order()
    body = {"carrier": "UPS", "tracking_number": "1Z 999"}
    response = shop_api.post(f"/shop/orders/{order.number}/fulfill", body)
    assert response.status_code == 200
    data = response.json()["data"]
    assert (data["status"], data["carrier"], data["tracking_number"]) == ("fulfilled", "UPS", "1Z 999")
    assert data["tracking_url"] == "https://www.ups.com/track?tracknum=1Z%20999"
    assert data["fulfilled_at"] is not None
    (mail,) = mails()
    assert "https://www.ups.com/track?tracknum=1Z%20999" in mail.text
    kind, payload = emitted()[-1]
    assert (kind, payload) == ("order.status_changed", data)


def test_an_empty_body_is_enough(shop_api: Api) -> None:
    order = make_paid_order()
    response = shop_api.post(f"/shop/orders/{order.pk}/fulfill")
    assert (response.status_code, response.json()["data"]["tracking_url"]) == (200, None)


def test_the_customer_is_not_emailed_if_not_wanted(shop_api: Api) -> None:
    order = make_paid_order()
    assert shop_api.post(f"/shop/orders/{order.pk}/fulfill", {"send_email": False}).status_code == 200
    assert mails() == []


@pytest.mark.parametrize(
    "body", [{"carrier": 7}, {"carrier": "x" * 51}, {"tracking_url": "javascript:alert(1)"}, {"send_email": "no"}]
)
def test_bad_input_is_refused(shop_api: Api, body: dict[str, Any]) -> None:
    order = make_paid_order()
    response = shop_api.post(f"/shop/orders/{order.pk}/fulfill", body)
    assert (response.status_code, set(response.json()["errors"])) == (422, set(body))
    order.refresh_from_db()
    assert (order.status, Shipment.objects.count()) == ("paid", 0)


@pytest.mark.both_databases
def test_only_a_paid_order_can_be_fulfilled(shop_api: Api) -> None:
    pending, cancelled = make_order(), make_order(email="other@example.com")
    cancel_order(order=cancelled)
    fulfilled = fulfill_order(order=make_paid_order(email="third@example.com"))
    for order in (pending, cancelled, fulfilled):
        response = shop_api.post(f"/shop/orders/{order.pk}/fulfill")
        assert (response.status_code, set(response.json()["errors"])) == (422, {"status"})
    assert shop_api.post("/shop/orders/999/fulfill").status_code == 404


@pytest.mark.both_databases
def test_a_part_leaves_the_order_paid() -> None:
    mug, print_ = make_variant(), make_variant()
    order = make_paid_order((mug, 2), (print_, 1))
    first, second = order.items.all()
    fulfill_order(order=order, pieces={first.pk: 1, second.pk: 0}, tracking={"carrier": "dhl", "tracking_number": "A"})
    order.refresh_from_db()
    assert (order.status, order.tracking_number, [item.shipped for item in order.items.all()]) == ("paid", "A", [1, 0])
    assert kinds().count("order.status_changed") == 1
    fulfill_order(order=order, tracking={"carrier": "fedex", "tracking_number": "B"})
    order.refresh_from_db()
    assert (order.status, order.tracking_number, [item.shipped for item in order.items.all()]) == ("fulfilled", "B", [2, 1])
    assert (Shipment.objects.count(), len(mails())) == (2, 2)


@pytest.mark.parametrize("pieces", [{0: 1}, {-1: 3}, {-1: -1}, {-1: 0}])
def test_more_than_was_sold_cannot_be_shipped(pieces: dict[int, int]) -> None:
    order = make_paid_order()
    (item,) = order.items.all()
    with pytest.raises(Invalid) as refusal:
        fulfill_order(order=order, pieces={item.pk if key else 10**6: number for key, number in pieces.items()})
    assert set(refusal.value.errors) == {"items"}
    assert not Shipment.objects.exists()


def test_a_pick_up_is_ready_rather_than_shipped() -> None:
    order = make_paid_order(shipping_method=make_method("Pick-up at the mill", kind="pickup").pk)
    fulfill_order(order=order)
    assert mails() == []
    (mail,) = mails("order_ready")
    assert "Pick-up at the mill" in mail.text


@pytest.mark.both_databases
def test_an_order_of_which_all_is_refunded_has_nothing_to_ship() -> None:
    order = make_paid_order()
    (item,) = order.items.all()
    refund_order(order=order, pieces={item.pk: item.quantity}, restock=True)
    with pytest.raises(Invalid):
        fulfill_order(order=order)
    assert not Shipment.objects.exists()


def test_a_correction_is_mailed_only_when_asked_for() -> None:
    order = fulfill_order(order=make_paid_order(), tracking={"carrier": "ups", "tracking_number": "1"}, send_email=False)
    shipment = Shipment.objects.get()
    assert correct_tracking(shipment=shipment, tracking={"carrier": "ups", "tracking_number": "2"})
    order.refresh_from_db()
    assert (order.tracking_number, mails()) == ("2", [])
    shipment.refresh_from_db()
    assert not correct_tracking(shipment=shipment, tracking={"carrier": "ups", "tracking_number": "2"})
    assert correct_tracking(shipment=shipment, tracking={"carrier": "ups", "tracking_number": "3"}, send_email=True)
    assert len(mails()) == 1


def test_the_timeline_has_it() -> None:
    switch_feature(name="crm", on=True)
    order = fulfill_order(order=make_paid_order())
    assert Activity.objects.filter(summary=f"Order {order.number} shipped").exists()


def ship(order: Order, times: int) -> Counter[str]:
    """Ship an order so often in each of ten threads; return how often what came of it."""

    def work(_: int) -> Counter[str]:
        return Counter(outcome(lambda: fulfill_order(order=Order.objects.get(pk=order.pk))) for _ in range(times))

    return sum(together(work, 10), Counter())


@pytest.mark.django_db(transaction=True)
def test_many_repeated_requests_ship_once() -> None:
    times = figure(12, 100)
    assert ship(make_paid_order(), times) == {"done": 1, "status": 10 * times - 1}
    assert (Shipment.objects.count(), len(mails()), kinds().count("order.status_changed")) == (1, 1, 2)


@pytest.mark.django_db(transaction=True)
def test_control_without_the_lock_it_is_shipped_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same callers all find a paid order of which nothing has been shipped."""
    order = make_paid_order()
    without_transactions(monkeypatch)
    meet_before(monkeypatch, fulfilling, "_read_pieces", threads=10)
    # The number that was read is written: the table itself would refuse more pieces than were sold.
    monkeypatch.setattr(fulfilling, "F", lambda name: 0)
    assert ship(order, 1) == {"done": 10}
    assert (Shipment.objects.count(), len(mails()), kinds().count("order.status_changed")) == (10, 10, 11)


@pytest.mark.parametrize(
    ("carrier", "number", "url"),
    [
        ("UPS", "1Z", "https://www.ups.com/track?tracknum=1Z"),
        ("usps", "94 00", "https://tools.usps.com/go/TrackConfirmAction?tLabels=94%2000"),
        ("FedEx", "7/8", "https://www.fedex.com/fedextrack/?trknbr=7%2F8"),
        ("dhl", "JD0", "https://www.dhl.com/en/express/tracking.html?AWB=JD0"),
        ("royal mail", "RM1", ""),
        ("ups", " ", ""),
    ],
)
def test_tracking_addresses(carrier: str, number: str, url: str) -> None:
    assert tracking_url(carrier, number) == url
