"""The way to the payment page and back, and test payments."""

from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.contrib.messages.storage.fallback import FallbackStorage
from django.test import Client, RequestFactory

from cms_api.core.errors import Invalid
from cms_api.core.slow_requests import SlowRequests
from cms_api.flags.services import set_setting
from commerce.members.models import Plan
from commerce.payments import selectors, views
from commerce.payments.models import Payment
from commerce.payments.services import settle
from commerce.payments.services.providers import stripe
from commerce.payments.services.starting import UNREACHABLE

from .bills import calls, make_bill
from .conftest import start, statuses
from .stripe_stub import StripeStub

pytestmark = pytest.mark.django_db


def confirm(payment: Payment, decision: str) -> Any:
    return Client().post(payment.url, {"decision": decision})


@pytest.mark.both_databases
def test_it_works(test_payments: None, bill: Plan) -> None:
    payment = start(bill)
    client = Client()
    answer = client.get(selectors.payment_path(payment))
    assert answer.headers["Location"] == payment.url
    page = client.get(payment.url).content.decode()
    for text in ("Test mode: no money moves.", "Bill 1042", "$12.50", "Decline", "/bills/1/cancel"):
        assert text in page
    answer = confirm(payment, "pay")
    assert answer.headers["Location"] == selectors.LINK.path(payment)
    assert client.get(answer.headers["Location"]).headers["Location"] == "/bills/1"
    assert (statuses(bill), calls(bill)) == (["succeeded"], ["paid"])
    for path in (payment.url, selectors.payment_path(payment)):
        assert client.get(path).headers["Location"] == selectors.LINK.path(payment)


def test_a_test_payment_can_be_declined(test_payments: None, bill: Plan) -> None:
    payment = start(bill)
    back = confirm(payment, "decline").headers["Location"]
    client = Client()
    answer = client.get(back)
    assert answer.headers["Location"] == "/bills/1/cancel"
    assert [str(message) for message in get_messages(answer.wsgi_request)] == [views.FAILED]
    assert confirm(payment, "pay").status_code == 303
    assert settle(payment_id=payment.pk).status == "failed"
    assert start(bill) != payment


@pytest.mark.parametrize("decision", ["", "nonsense", "\0", "succeeded"])
def test_another_button_leaves_it_open(decision: str, test_payments: None, bill: Plan) -> None:
    payment = start(bill)
    assert confirm(payment, decision).status_code == 303
    page = Client().get(selectors.LINK.path(payment)).content.decode()
    assert "Your payment isn&#x27;t complete" in page
    assert statuses(bill) == ["open"]


def test_test_payments_are_refused_where_they_are_not_allowed(test_payments: None, bill: Plan, stub: StripeStub) -> None:
    at_stripe = start(bill)
    set_setting(key="payments.provider", value="offline")
    payment = start(make_bill(name="7"))
    path = payment.url
    assert Client().get(path.replace(selectors.LINK.token(payment), selectors.LINK.token(at_stripe))).status_code == 404
    set_setting(key="payments.allow_test_payments", value=False)
    assert Client().get(path).status_code == 404
    assert confirm(payment, "pay").status_code == 404


def test_another_site_is_reached_by_a_page_of_ours(stub: StripeStub, payment: Payment) -> None:
    answer = Client().get(selectors.payment_path(payment))
    assert answer.status_code == 200
    assert f'content="0;url={payment.url}"' in answer.content.decode()
    assert {"no-store", "private"} <= set(answer.headers["Cache-Control"].split(", "))


def test_the_page_after_paying_says_how_it_stands(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    path = selectors.LINK.path(payment)

    def said() -> str:
        return Client().get(path).content.decode()

    assert "isn&#x27;t complete" in said()
    stub.is_down = True
    assert "checking your payment" in said()
    stub.is_down = False
    stub.pay(payment.reference, by="bank")
    assert "on its way" in said()
    Plan.objects.update(enabled=False)
    stub.arrive(payment.reference)
    assert "We&#x27;ve received your payment" in said()


def test_methods_that_pages_do_not_have(payment: Payment) -> None:
    for end, method in (("pay", "POST"), ("return", "POST"), ("confirm", "PUT")):
        assert Client().generic(method, f"/payments/{selectors.LINK.token(payment)}/{end}").status_code == 405


def test_the_button_is_protected_from_other_sites(test_payments: None, bill: Plan) -> None:
    payment = start(bill)
    assert Client(enforce_csrf_checks=True).post(payment.url, {"decision": "pay"}).status_code == 403
    assert statuses(bill) == ["open"]


def test_a_slow_provider_does_not_occupy_every_thread(
    stub: StripeStub, payment: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that find no room ask later, as if it was away."""
    monkeypatch.setattr(stripe, "REQUESTS", SlowRequests(1))
    asked = len(stub.requests)
    with stripe.REQUESTS.enter():
        answer = Client().get(selectors.LINK.path(payment))
        assert (answer.status_code, "We&#x27;re checking your payment" in answer.content.decode()) == (200, True)
        with pytest.raises(Invalid) as refusal:
            start(make_bill(name="8"))
    assert refusal.value.message == UNREACHABLE
    assert len(stub.requests) == asked
    Client().get(selectors.LINK.path(payment))
    assert len(stub.requests) == asked + 1


def test_a_link_does_not_ask_the_provider_over_and_over(stub: StripeStub, payment: Payment) -> None:
    asked = len(stub.requests)
    pages = [Client().get(selectors.LINK.path(payment)).content.decode() for _ in range(views.REQUESTS_PER_MINUTE + 5)]
    assert len(stub.requests) == asked + views.REQUESTS_PER_MINUTE
    assert "We&#x27;re checking your payment" in pages[-1]
    stub.pay(payment.reference)
    settle(payment_id=payment.pk)
    assert Client().get(selectors.LINK.path(payment)).headers["Location"] == "/bills/1"


def test_a_payment_page_is_not_asked_for_over_and_over(stub: StripeStub, bill: Plan, rf: RequestFactory) -> None:
    request = rf.post("/")
    request.session = Client().session
    request._messages = FallbackStorage(request)  # type: ignore[attr-defined]
    asked = {"payable": "bill", "record_id": bill.pk, "back": "/bills/1"}
    answers = [views.redirect_to_payment(request, **asked).headers["Location"] for _ in range(views.REQUESTS_PER_MINUTE + 1)]
    assert "/bills/1" not in answers[:-1]
    assert answers[-1] == "/bills/1"
    assert [str(each) for each in request._messages] == [views.TOO_OFTEN]  # type: ignore[attr-defined]
