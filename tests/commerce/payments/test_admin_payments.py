"""Payments in the admin: the list, a payment's page, settling, and the cards of the home."""

import csv
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from cms_api.flags.services import set_setting, switch_feature
from commerce.members.models import Plan
from commerce.payments.admin import cards
from commerce.payments.models import Payment, Refund
from commerce.payments.services import record_payment, request_refund, settle
from tests import people
from tests.submitting import shown_key

from .bills import calls, make_bill
from .conftest import send, start
from .stripe_stub import StripeStub

pytestmark = pytest.mark.django_db

LIST = "/admin/payments/"


@pytest.fixture
def late(stub: StripeStub, payment: Payment) -> Payment:
    """Money for a bill that was cancelled."""
    Plan.objects.update(enabled=False)
    stub.pay(payment.reference)
    return settle(payment_id=payment.pk)


def test_it_works(admin_client: Client, stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]) -> None:
    with commits():
        request_refund(payable="bill", record_id=bill.pk, amount_cents=250, reason="Broken.")
    send(stub.disputed(paid.charge))
    page = admin_client.get(LIST).content.decode()
    for text in ("Bill 1042", "$12.50", "Succeeded", "Stripe", "Disputed by the customer"):
        assert text in page
    page = admin_client.get(f"{LIST}inspect/{paid.pk}/").content.decode()
    url = reverse("property_listings:inspect", args=[bill.pk])
    for text in (url, "Broken.", "$2.50", "charge.dispute.created", paid.charge, "disputes this payment"):
        assert text in page
    assert "Bill 1042" in admin_client.get(f"{LIST}?q=1042").content.decode()
    assert "Bill 1042" not in admin_client.get(f"{LIST}?q=4711").content.decode()


def test_a_record_of_a_feature_that_is_off_has_no_link(admin_client: Client, bill: Plan, paid: Payment) -> None:
    link = f'<a href="{reverse("property_listings:inspect", args=[bill.pk])}">'
    assert link in admin_client.get(f"{LIST}inspect/{paid.pk}/").content.decode()
    switch_feature(name="shop", on=True)
    switch_feature(name="real_estate", on=False)
    page = admin_client.get(f"{LIST}inspect/{paid.pk}/").content.decode()
    assert link not in page
    assert "Bill 1042" in page


@pytest.mark.both_databases
def test_filters(admin_client: Client, late: Payment) -> None:
    for query in ("to_settle=yes", "status=succeeded", "provider=stripe"):
        assert "Bill 1042" in admin_client.get(f"{LIST}?{query}").content.decode()
    for query in ("failed_refund=yes", "status=open", "provider=offline", "dispute=open"):
        assert "Bill 1042" not in admin_client.get(f"{LIST}?{query}").content.decode()


def test_unapplied_money_is_applied(admin_client: Client, bill: Plan, late: Payment) -> None:
    path = f"{LIST}apply/{late.pk}/"
    assert "cancelled, changed or paid" in admin_client.post(path, follow=True).content.decode()
    Plan.objects.update(enabled=True)
    assert "The payment has been applied." in admin_client.post(path, follow=True).content.decode()
    assert calls(bill) == ["paid"]
    assert "already done" in admin_client.post(path, follow=True).content.decode()


def test_applying_too_much_says_what_is_left(admin_client: Client, stub: StripeStub, payment: Payment) -> None:
    stub.pay(payment.reference, amount=2000)
    settle(payment_id=payment.pk)
    page = admin_client.post(f"{LIST}apply/{payment.pk}/", follow=True).content.decode()
    assert "The payment has been applied. $7.50 of it was not needed, and is left to settle." in page


def test_unapplied_money_is_refunded(admin_client: Client, late: Payment, commits: Callable[[], Any]) -> None:
    path = f"{LIST}refund/{late.pk}/"
    assert "$12.50 goes back to the customer." in admin_client.get(path).content.decode()
    with commits():
        admin_client.post(path)
    assert Refund.objects.get().status == "succeeded"
    assert "already done" in admin_client.post(path, follow=True).content.decode()
    assert Refund.objects.count() == 1


def test_applying_it_closes_the_page_that_the_customer_has_opened(
    admin_client: Client, stub: StripeStub, bill: Plan, late: Payment, commits: Callable[[], Any]
) -> None:
    Plan.objects.update(enabled=True)
    opened = start(bill)
    with commits():
        admin_client.post(f"{LIST}apply/{late.pk}/")
    opened.refresh_from_db()
    assert (opened.status, stub.sessions[opened.reference or ""]["status"]) == ("expired", "expired")
    assert calls(bill)[0] == "paid"


def test_a_refund_that_failed_is_made_in_another_way(
    admin_client: Client, stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]
) -> None:
    with commits():
        (refund,) = request_refund(payable="bill", record_id=bill.pk, amount_cents=500, reason="Broken.")
    path = f"{LIST}record-refund/{paid.pk}/"
    assert path not in admin_client.get(f"{LIST}inspect/{paid.pk}/").content.decode()
    refund.refresh_from_db()
    send(stub.decide_refund(refund.reference, "failed"))
    assert path in admin_client.get(f"{LIST}inspect/{paid.pk}/").content.decode()
    assert "Record refund of $5.00" in admin_client.get(path).content.decode()
    key = shown_key(admin_client, path)
    page = admin_client.post(path, {"note": "Transfer 17", "once": key}, follow=True).content.decode()
    assert "The refund has been recorded." in page
    assert "Made in another way" in page
    assert path not in page


def test_pending_refunds_are_shown_as_pending(
    admin_client: Client, stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]
) -> None:
    stub.is_down = True
    with commits():
        request_refund(payable="bill", record_id=bill.pk, amount_cents=500, reason="Broken.")
    for path in (LIST, f"{LIST}inspect/{paid.pk}/"):
        assert "$5.00 refunded, $5.00 of it pending" in admin_client.get(path).content.decode()


def test_csv(admin_client: Client, bill: Plan) -> None:
    record_payment(payable="bill", record_id=bill.pk, amount_cents=1250, method="cash", reference="=1+1")
    answer = admin_client.get(f"{LIST}?export=csv")
    header, row = csv.reader(StringIO(b"".join(answer.streaming_content).decode(), newline=""))
    assert header[:4] == ["For", "Email", "Amount", "Currency"]
    assert row[:8] == ["Bill 1042", "mia@example.com", "12.50", "usd", "0.00", "succeeded", "Cash", "'=1+1"]


@pytest.mark.both_databases
def test_a_list_takes_as_many_statements_for_eight_as_for_two(admin_client: Client) -> None:
    counts = []
    admin_client.get(LIST)
    for many in (2, 6):
        for number in range(many):
            record_payment(payable="bill", record_id=make_bill(name=str(number)).pk, amount_cents=1, method="cash")
        with CaptureQueriesContext(connection) as found:
            admin_client.get(LIST)
        counts.append(len(found))
    assert counts[0] == counts[1]


def test_cards_say_what_needs_attention(stub: StripeStub, late: Payment, commits: Callable[[], Any]) -> None:
    request = people.request_by(people.alice())
    shown = {card.title: card.count for card in (each(request) for each in all_cards()) if card and card.count}
    assert shown == {"Payments to settle": 1}
    send(stub.disputed(late.charge))
    assert cards.disputes(request).count == 1
    set_setting(key="payments.provider", value="offline")
    card = cards.set_up(request)
    assert card is not None
    assert card.urgent
    set_setting(key="payments.allow_test_payments", value=True)
    assert cards.set_up(request) is None


def test_others_than_managers_see_nothing(late: Payment, sign_in: Callable[[Any], Client]) -> None:
    manager, bob = people.mallory_manager(), people.bob()
    assert sign_in(manager).get(LIST).status_code == 200
    assert sign_in(bob).get(LIST).status_code == 302
    sign_in(bob).post(f"{LIST}refund/{late.pk}/")
    assert not Refund.objects.exists()


def all_cards() -> list[Callable[..., Any]]:
    return [cards.set_up, cards.to_settle, cards.failed_refunds, cards.disputes]


def test_nobody_adds_payments_by_hand(admin_client: Client, bill: Plan, payment: Payment) -> None:
    assert start(bill) == payment
    assert admin_client.get(f"{LIST}new/").status_code == 404
    assert admin_client.get(f"{LIST}inspect/99999999999999999999/").status_code == 404
