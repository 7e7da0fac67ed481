"""Storing a card with the first payment, and charging it without its customer."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.members.models import Plan
from commerce.payments.models import Payment, SavedMethod
from commerce.payments.services import charge_saved_method, close_payments, close_payments_later, settle, start_payment
from commerce.payments.services.providers import stripe
from commerce.payments.services.sweeping import sweep_payments
from commerce.payments.types import PaymentStatus, ProviderError
from tests.client import together

from .bills import BILLS, calls, make_bill
from .conftest import start, statuses
from .stripe_stub import StripeStub

pytestmark = pytest.mark.django_db
CHARGE = "POST /v1/payment_intents"


@pytest.fixture
def card(stub: StripeStub) -> SavedMethod:
    """A card that was stored with a payment."""
    BILLS.saves_method = True
    payment = start(make_bill(name="1041"))
    stub.pay(payment.reference)
    method = settle(payment_id=payment.pk).saved_method
    assert method is not None
    BILLS.saves_method = False
    return method


def charge(bill: Plan, card: SavedMethod) -> Payment:
    return charge_saved_method(payable="bill", record_id=bill.pk, method=card)


def charged(stub: StripeStub) -> list[int]:
    """The amounts that were taken without a payment page."""
    return [intent["amount_received"] for intent in stub.intents.values() if intent.get("amount_received")]


@pytest.mark.both_databases
def test_it_works(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    assert (card.provider, card.label, stub.saved) == ("stripe", "Visa •••• 4242", {card.reference: card.customer})
    payment = charge(bill, card)
    assert (payment.status, payment.amount, payment.saved_method, payment.url) == ("succeeded", bill.price, card, "")
    assert payment.reference == payment.charge
    assert stub.intents[payment.charge]["metadata"] == {"payment": payment.external_id, "site": "http://testserver"}
    assert calls(bill) == ["paid"]


def test_a_payment_that_stores_nothing_has_no_method(stub: StripeStub, paid: Payment) -> None:
    assert paid.saved_method is None
    assert not stub.saved
    assert not SavedMethod.objects.exists()


@pytest.mark.both_databases
def test_the_same_card_is_stored_once(stub: StripeStub, card: SavedMethod) -> None:
    first = Payment.objects.get()
    BILLS.saves_method = True
    second = start(make_bill())
    stub.pay(second.reference)
    intent = stub.intents[stub.session(second.reference)["payment_intent"]]
    intent["payment_method"], intent["customer"] = card.reference, card.customer
    assert settle(payment_id=second.pk).saved_method == first.saved_method == SavedMethod.objects.get()


def test_a_declined_card(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    stub.declines = "Your card has expired."
    payment = charge(bill, card)
    assert (payment.status, payment.error) == ("failed", "Your card has expired.")
    assert calls(bill) == ["failed"]
    stub.declines = ""
    assert charge(bill, card).status == "succeeded"
    assert statuses(bill) == ["failed", "succeeded"]


def test_what_is_paid_is_not_charged(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    charge(bill, card)
    with pytest.raises(Invalid, match="was paid"):
        charge(bill, card)
    assert charged(stub) == [1250]


@pytest.mark.parametrize("hours", [0, 30])
@pytest.mark.both_databases
def test_a_lost_answer_does_not_charge_twice(
    stub: StripeStub, bill: Plan, card: SavedMethod, wait: Callable[..., None], hours: int
) -> None:
    """Within a day, the idempotency key is enough; later, the charge is looked for."""
    stub.loses_answers = 2
    payment = charge(bill, card)
    assert (payment.status, charged(stub)) == ("started", [1250])
    wait(hours=hours, minutes=10)
    if hours:
        stub._keys.clear()
    sweep_payments()
    payment.refresh_from_db()
    assert (payment.status, charged(stub), calls(bill)) == ("succeeded", [1250], ["paid"])


def test_a_charge_that_never_arrived_is_sent_later(
    stub: StripeStub, bill: Plan, card: SavedMethod, wait: Callable[..., None]
) -> None:
    stub.is_down = True
    assert charge(bill, card).status == "started"
    stub.is_down = False
    wait(hours=30)
    sweep_payments()
    assert (statuses(bill), charged(stub)) == (["succeeded"], [1250])


@pytest.mark.both_databases
def test_a_charge_under_way_is_taken_up_again(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    stub.is_down = True
    first = charge(bill, card)
    stub.is_down = False
    assert charge(bill, card) == first
    assert (statuses(bill), charged(stub)) == (["succeeded"], [1250])


def test_a_payment_page_is_closed_before_a_charge(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    page = start(bill)
    assert charge(bill, card).status == "succeeded"
    assert stub.session(page.reference)["status"] == "expired"
    assert statuses(bill) == ["expired", "succeeded"]


def test_a_page_that_was_paid_is_not_charged(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    stub.pay(start(bill).reference)
    with pytest.raises(Invalid, match="already been paid"):
        charge(bill, card)
    assert (calls(bill), charged(stub)) == (["paid"], [])


def test_no_page_is_opened_beside_a_charge(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    stub.loses_answers = 2
    charge(bill, card)
    with pytest.raises(Invalid, match="already been paid"):
        start_payment(payable="bill", record_id=bill.pk)
    assert (statuses(bill), charged(stub)) == (["succeeded"], [1250])


def test_a_page_replaces_a_charge_that_never_arrived(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    """The customer pays by another card: the old one is not charged."""
    stub.is_down = True
    charge(bill, card)
    stub.is_down = False
    assert start(bill).status == "open"
    assert (statuses(bill), charged(stub)) == (["expired", "open"], [])


def test_a_page_follows_a_charge_that_fails(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    stub.loses_answers, stub.declines = 2, "Your card has expired."
    charge(bill, card)
    assert start(bill).status == "open"
    assert statuses(bill) == ["failed", "open"]


def test_a_charge_that_the_record_does_not_want_is_not_sent(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    stub.is_down = True
    payment = charge(bill, card)
    Plan.objects.filter(pk=bill.pk).update(enabled=False)
    with pytest.raises(ProviderError):
        settle(payment_id=payment.pk)
    stub.is_down = False
    assert settle(payment_id=payment.pk).status == "expired"
    Plan.objects.filter(pk=bill.pk).update(enabled=True)
    assert settle(payment_id=payment.pk).status == "expired"
    assert charged(stub) == []


def test_another_amount_or_card_replaces_a_charge_that_never_arrived(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    other = SavedMethod.objects.create(provider="stripe", reference="pm_x", customer="cus_x", created_at=card.created_at)
    stub.saved["pm_x"] = "cus_x"
    stub.is_down = True
    charge(bill, card)
    stub.is_down = False
    assert charge(bill, other).saved_method == other
    assert (statuses(bill), charged(stub)) == (["expired", "succeeded"], [1250])
    second = make_bill(name="1050")
    stub.is_down = True
    charge(second, card)
    stub.is_down = False
    Plan.objects.filter(pk=second.pk).update(price_cents=700)
    assert charge(second, card).amount_cents == 700
    assert (statuses(second), charged(stub)) == (["expired", "succeeded"], [1250, 700])


def test_a_charge_that_is_closed_during_an_outage_is_not_sent(
    stub: StripeStub, bill: Plan, card: SavedMethod, commits: Callable[[], Any], wait: Callable[..., None]
) -> None:
    stub.is_down = True
    charge(bill, card)
    with commits():
        close_payments_later(payable="bill", record_id=bill.pk)
    assert statuses(bill) == ["started"]
    stub.is_down = False
    wait(minutes=5)
    sweep_payments()
    assert (statuses(bill), charged(stub)) == (["expired"], [])
    assert charge(bill, card).status == "succeeded"


def test_a_charge_whose_outcome_is_unknown_cannot_be_closed(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    stub.is_down = True
    charge(bill, card)
    assert not close_payments(payable="bill", record_id=bill.pk)
    assert statuses(bill) == ["started"]


def test_money_for_a_cancelled_record_is_unapplied(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    stub.loses_answers = 2
    payment = charge(bill, card)
    Plan.objects.filter(pk=bill.pk).update(enabled=False)
    assert settle(payment_id=payment.pk).is_to_settle


def test_test_payments(test_payments: None, bill: Plan) -> None:
    BILLS.saves_method = True
    first = start(bill)
    Payment.objects.filter(pk=first.pk).update(provider_state={"status": PaymentStatus.SUCCEEDED.value})
    card = settle(payment_id=first.pk).saved_method
    assert card is not None
    assert str(card) == "Test card"
    later = make_bill(name="1043")
    assert charge(later, card).status == "succeeded"
    set_setting(key="payments.allow_test_payments", value=False)
    with pytest.raises(Invalid, match="aren't available"):
        charge(make_bill(name="1044"), card)


def test_closed_charges_do_not_keep_pages_from_ending_during_an_outage(
    stub: StripeStub, card: SavedMethod, wait: Callable[..., None]
) -> None:
    stub.is_down = True
    closed = [charge(make_bill(name=f"106{number}"), card) for number in range(4)]
    for payment in closed:
        close_payments_later(payable="bill", record_id=payment.record_id)
    stub.is_down = False
    page = start(make_bill(name="1070"))
    stub.is_down = True
    wait(hours=25)
    sweep_payments()
    page.refresh_from_db()
    assert page.status == "expired"
    assert {each.status for each in Payment.objects.filter(pk__in=[each.pk for each in closed])} == {"started"}


@pytest.mark.parametrize(("state", "status"), [({"status": "succeeded"}, "succeeded"), ({}, "expired")])
def test_a_test_payment_that_is_closed(test_payments: None, bill: Plan, state: dict[str, str], status: str) -> None:
    card = SavedMethod.objects.create(provider="offline", reference="test_0", created_at=bill.created_at)
    payment = charge(bill, card)
    Payment.objects.filter(pk=payment.pk).update(status="started", reference=None, charge="", provider_state=state)
    assert close_payments(payable="bill", record_id=bill.pk) == (status == "expired")
    assert statuses(bill) == [status]


def race(bill: Plan, card: SavedMethod) -> None:
    def attempt() -> str:
        try:
            return charge(bill, card).status
        except Invalid:
            return "refused"

    assert "succeeded" in together(lambda _: attempt(), 10)


@pytest.mark.django_db(transaction=True)
def test_ten_charges_at_once(stub: StripeStub, bill: Plan, card: SavedMethod) -> None:
    stub.delay = 0.05
    race(bill, card)
    assert (statuses(bill), charged(stub), calls(bill)) == (["succeeded"], [1250], ["paid"])


@pytest.mark.django_db(transaction=True)
def test_without_the_idempotency_key_the_same_charge_is_made_again(
    stub: StripeStub, bill: Plan, card: SavedMethod, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: ten requests do meet."""
    keys = count()
    monkeypatch.setattr(stripe, "_key", lambda kind, row: f"{kind}-{next(keys)}")
    stub.delay = 0.05
    race(bill, card)
    assert len(charged(stub)) > 1
    assert calls(bill) == ["paid"]
