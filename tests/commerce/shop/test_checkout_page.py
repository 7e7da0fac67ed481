"""The checkout as customers use it: what is prefilled, priced and refused, and where it leads."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.common.services.taxes import save_tax_rule
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, settle
from commerce.payments.types import PaymentStatus
from commerce.shop.models import Cart, Order, ProductVariant
from commerce.shop.services.paying import ORDERS
from commerce.shop.views import checkout
from tests.commerce.shop.builders import record_order_payment
from tests.people import PASSWORD
from tests.refusals import is_refused_for

from .builders import ADDRESS, make_cart, make_code, make_method, make_product, make_variant

pytestmark = pytest.mark.django_db(transaction=True)

CHECKOUT = "/shop/checkout"


@pytest.fixture(autouse=True)
def ready(shop: None) -> None:
    set_setting(key="payments.allow_test_payments", value=True)


def visit(cart: Cart) -> Client:
    visitor = Client()
    visitor.cookies["cart"] = cart.token
    return visitor


def typed(kind: str = "shipping", **changes: str) -> dict[str, str]:
    """An address as its form sends it."""
    return {f"{kind}-{name}": value for name, value in {**ADDRESS, **changes}.items()}


def form(**changes: Any) -> dict[str, Any]:
    """A complete form, with the only shipping method."""
    return {"email": "dana@example.com", "phone": "", "same_address": "1", "note": "", "place": "1", **typed(), **changes}


def place(visitor: Client, **changes: Any) -> Any:
    chosen = {"shipping_method": make_method().pk} if "shipping_method" not in changes else {}
    return visitor.post(CHECKOUT, form(**chosen, **changes))


def text(answer: Any) -> str:
    return str(answer.content.decode())


def total(answer: Any) -> str:
    found = re.search(r"<dt>Total</dt><dd>([^<]+)</dd>", text(answer))
    assert found
    return found[1]


def test_it_works() -> None:
    variant = make_variant(price=1250, stock=5, product={"name": "Mug"})
    method = make_method()
    visitor = visit(make_cart((variant, 2)))
    page = visitor.get(CHECKOUT)
    for words in ("Order summary", "2 x Mug", "Continue to payment", "Standard", 'value="US" selected', 'autocomplete="email"'):
        assert words in text(page)
    assert (total(page), "Error:" in text(page)) == ("$30.00", False)
    answer = visitor.post(CHECKOUT, form(shipping_method=method.pk, total_cents="3000", note="Ring twice."))
    order = Order.objects.get()
    assert (order.status, order.total_cents, order.name, order.customer_note) == ("pending", 3000, "Dana Reyes", "Ring twice.")
    assert order.billing_address == order.shipping_address
    payment = Payment.objects.get()
    assert (answer.status_code, payment.record_id, payment.amount_cents) == (302, order.pk, 3000)
    confirm = visitor.get(answer.headers["Location"], follow=True)
    assert "$30.00" in text(confirm)
    paid = visitor.post(confirm.redirect_chain[-1][0], {"decision": "pay"}, follow=True)
    assert "Thank you! We've received your payment" in text(paid)
    order.refresh_from_db()
    assert order.status == "paid"
    assert visitor.get(CHECKOUT).headers["Location"] == "/shop/cart"


def test_an_empty_cart_leads_back() -> None:
    assert Client().get(CHECKOUT).headers["Location"] == "/shop/cart"
    assert Client().post(CHECKOUT, form()).headers["Location"] == "/shop/cart"


def test_the_next_visit_is_prefilled(accounts_on: None) -> None:
    cart = make_cart()
    visitor = visit(cart)
    assert place(visitor, phone="555 0100", note="Ring twice.").status_code == 302
    page = text(visitor.get(CHECKOUT))
    for words in ('value="dana@example.com"', 'value="14 Canal Street"', 'value="05301"', 'value="555 0100"', "Ring twice."):
        assert words in page
    member = create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")
    signed_in = visit(make_cart(user=member))
    signed_in.force_login(member)
    assert 'value="mia@example.com"' in text(signed_in.get(CHECKOUT))


def test_an_update_shows_the_new_place_without_errors() -> None:
    save_tax_rule(values={"country": "US", "region": "VT", "label": "VT tax", "percent": Decimal(10)})
    make_method("Domestic", price_cents=500, countries=["US"])
    abroad = make_method("Abroad", price_cents=2000, countries=["GB"], position=1)
    visitor = visit(make_cart((make_variant(price=1000), 2)))
    empty = dict.fromkeys(typed(), "")
    sent = {"email": "not an address", "note": "Ring twice.", **empty, "update": "1"}
    page = visitor.post(CHECKOUT, {**sent, "shipping-country": "US", "shipping-state": "Vermont"})
    assert (page.status_code, total(page)) == (200, "$27.50")
    for words in ('role="alert"', "form__error", "Error:"):
        assert words not in text(page)
    for words in ("VT tax 10%", "Ring twice.", 'value="not an address"', 'value="Vermont"'):
        assert words in text(page)
    page = visitor.post(CHECKOUT, {**sent, "shipping-country": "GB"})
    assert (total(page), "Abroad" in text(page), "Domestic" in text(page)) == ("$40.00", True, False)
    assert f'value="{abroad.pk}" checked' in text(page)
    page = visitor.post(CHECKOUT, {**sent, "shipping-country": "FR"})
    assert "We don't ship to this address." in text(page)
    assert not Order.objects.exists()


def test_an_update_keeps_a_different_billing_address() -> None:
    visitor = visit(make_cart())
    sent = {**form(**typed("billing", street="7 Other Street"), update="1")}
    del sent["same_address"], sent["place"]
    page = text(visitor.post(CHECKOUT, sent))
    assert 'value="7 Other Street"' in page
    assert '<details class="checkout__billing" open>' in page


def test_errors_are_listed_and_stand_at_their_fields() -> None:
    visitor = visit(make_cart())
    answer = place(visitor, email="nobody", **typed(street="", postal_code="ABC"))
    page = text(answer)
    assert (answer.status_code, Order.objects.count()) == (422, 0)
    assert "Please fix 3 fields" in page
    assert "<title>Error: Checkout" in page
    for name in ("id_email", "id_shipping-street", "id_shipping-postal_code"):
        assert f'<a href="#{name}">' in page
        assert f'id="{name}-error"' in page
    assert 'value="nobody"' in page


def test_errors_of_a_billing_address_count_only_if_it_is_used() -> None:
    visitor = visit(make_cart())
    wrong = typed("billing", street="", postal_code="")
    changes = {**form(shipping_method=make_method().pk), **wrong}
    page = visitor.post(CHECKOUT, {name: value for name, value in changes.items() if name != "same_address"})
    assert (page.status_code, 'id="id_billing-street-error"' in text(page)) == (422, True)
    page = visitor.post(CHECKOUT, {**changes, "email": ""})
    assert 'id="id_billing-street-error"' not in text(page)
    assert visitor.post(CHECKOUT, changes).status_code == 302


def test_an_own_billing_address_is_stored() -> None:
    changes = form(shipping_method=make_method().pk, **typed("billing", street="7 Other Street"))
    del changes["same_address"]
    assert visit(make_cart()).post(CHECKOUT, changes).status_code == 302
    order = Order.objects.get()
    assert order.shipping_address
    assert order.billing_address
    assert (order.shipping_address["street"], order.billing_address["street"]) == ("14 Canal Street", "7 Other Street")


HOSTILE: list[dict[str, Any]] = [
    {"email": "a\0b@example.com"},
    {"email": "x" * 10_000 + "@example.com"},
    {"phone": "1\0"},
    {"phone": "1\n2"},
    {"note": "\0"},
    {"note": "x" * 100_000},
    {"shipping-country": "\0"},
    {"shipping-country": "XX"},
    {"shipping-country": ""},
    {"shipping-state": "\0"},
    {"shipping-state": "Atlantis"},
    {"shipping-name": "\0"},
    {"shipping-postal_code": "9" * 1000},
    {"shipping_method": ""},
    {"shipping_method": "0"},
    {"shipping_method": "-1"},
    {"shipping_method": "9" * 5000},
    {"shipping_method": "1.5"},
    {"shipping_method": "\0"},
    {"shipping_method": "²"},
    {"total_cents": "1"},
    {"total_cents": "-1"},
    {"total_cents": "9" * 5000},
    {"total_cents": "\0"},
    {"total_cents": "ten"},
]


def test_what_makes_no_sense_is_refused_and_writes_nothing() -> None:
    method = make_method()
    visitor = visit(make_cart((make_variant(), 1)))
    for changes in HOSTILE:
        sent = {"shipping_method": method.pk, **changes}
        answer = visitor.post(CHECKOUT, form(**sent))
        assert (answer.status_code, Order.objects.count(), Payment.objects.count()) == (422, 0, 0), str(changes)[:50]
        assert 'role="alert"' in text(answer), str(changes)[:50]
        assert visitor.post(CHECKOUT, {**form(**changes), "update": "1"}).status_code == 200, str(changes)[:50]
    assert ProductVariant.objects.get().reserved == 0


def test_prices_of_the_browser_change_nothing() -> None:
    visitor = visit(make_cart((make_variant(price=1000), 2)))
    sent = {"price_cents": "1", "subtotal_cents": "1", "shipping_cents": "0", "discount_cents": "2000", "tax_cents": "0"}
    assert place(visitor, **sent).status_code == 302
    assert Order.objects.get().total_cents == 2500


def test_a_total_that_has_changed_is_shown_first() -> None:
    save_tax_rule(values={"country": "US", "region": "VT", "label": "VT tax", "percent": Decimal(10)})
    variant = make_variant(price=1000)
    method = make_method().pk
    visitor = visit(make_cart((variant, 2)))
    ProductVariant.objects.update(price_cents=1100)
    answer = visitor.post(CHECKOUT, form(shipping_method=method, total_cents="2500", **typed(state="Vermont")))
    assert (answer.status_code, total(answer)) == (422, "$29.70")
    assert "The total has changed to $29.70. Review your order and try again." in text(answer)
    shown = re.search(r'name="total_cents" value="(\d+)"', text(answer))
    assert shown
    # The order is as the page showed it, also where a state is written in full.
    answer = visitor.post(CHECKOUT, form(shipping_method=method, total_cents=shown[1], **typed(state="Vermont")))
    assert (answer.status_code, Order.objects.get().total_cents) == (302, 2970)


def test_a_cart_of_downloads_is_not_shipped() -> None:
    product = make_product(kind="digital", price=1500, stock=None)
    visitor = visit(make_cart((ProductVariant.objects.get(product=product), 1)))
    page = text(visitor.get(CHECKOUT))
    assert ("Shipping address" in page, "Billing address" in page) == (False, True)
    answer = visitor.post(CHECKOUT, {"email": "dana@example.com", **typed("billing")})
    order = Order.objects.get()
    assert (answer.status_code, order.is_shipped, order.shipping_address, order.name) == (302, False, None, "Dana Reyes")


def test_an_order_of_nothing_needs_no_payment() -> None:
    set_setting(key="payments.allow_test_payments", value=False)
    make_code("GIFT", percent=Decimal(100))
    cart = make_cart((make_variant(), 1))
    Cart.objects.filter(pk=cart.pk).update(discount_code="GIFT")
    visitor = visit(cart)
    method = make_method(price_cents=0).pk
    assert "Place order" in text(visitor.get(CHECKOUT))
    answer = visitor.post(CHECKOUT, form(shipping_method=method), follow=True)
    assert "Thank you!" in text(answer)
    assert (Order.objects.get().status, Payment.objects.count()) == ("paid", 0)


def test_without_a_way_to_pay_nothing_is_placed() -> None:
    set_setting(key="payments.allow_test_payments", value=False)
    visitor = visit(make_cart())
    answer = place(visitor)
    assert (answer.status_code, Order.objects.count()) == (422, 0)
    assert "Online payments aren&#x27;t available at the moment." in text(answer)


def test_less_than_can_be_paid_is_not_placed(settings: Any) -> None:
    settings.STRIPE_SECRET_KEY = "sk_test"
    set_setting(key="payments.provider", value="stripe")
    method = make_method(price_cents=0)
    visitor = visit(make_cart((make_variant(price=30), 1)))
    assert "Amounts below $0.50 can&#x27;t be paid online." in text(visitor.get(CHECKOUT))
    answer = place(visitor, shipping_method=method.pk)
    assert (answer.status_code, Order.objects.count()) == (422, 0)
    assert "Amounts below $0.50 can&#x27;t be paid online." in text(answer)


def test_a_code_that_no_longer_applies() -> None:
    cart = make_cart()
    Cart.objects.filter(pk=cart.pk).update(discount_code="GONE")
    visitor = visit(cart)
    assert "This discount code isn&#x27;t valid." in text(visitor.get(CHECKOUT))
    answer = place(visitor)
    assert (answer.status_code, Order.objects.count()) == (422, 0)


def test_what_has_been_sold_meanwhile() -> None:
    variant = make_variant(stock=2, product={"name": "Mug"})
    visitor = visit(make_cart((variant, 2)))
    ProductVariant.objects.update(stock=1)
    answer = place(visitor)
    assert (answer.status_code, "Only 1 of Mug left." in text(answer)) == (422, True)


def test_an_order_that_was_paid_in_another_tab() -> None:
    visitor = visit(make_cart())
    place(visitor)
    payment = Payment.objects.get()
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    answer = place(visitor)
    order = Order.objects.get()
    assert (order.status, answer.headers["Location"].startswith("/shop/orders/")) == ("paid", True)
    assert visitor.cookies["cart_items"].value == ""


def test_while_a_payment_is_on_its_way_something_else_can_be_bought() -> None:
    cart = make_cart((make_variant(), 1))
    visitor = visit(cart)
    place(visitor)
    decide_test_payment(payment=Payment.objects.get(), status=PaymentStatus.PROCESSING)
    answer = place(visitor)
    order = Order.objects.get()
    assert (order.is_processing, answer.headers["Location"].startswith("/shop/orders/")) == (True, True)
    visitor.post("/shop/cart/add", {"variant": make_variant(price=700).pk})
    place(visitor)
    assert list(Order.objects.order_by("pk").values_list("subtotal_cents", flat=True)) == [1000, 700]


def test_a_second_checkout_replaces_the_first() -> None:
    visitor = visit(make_cart((make_variant(price=1000), 1)))
    first, second = place(visitor), place(visitor, email="new@example.com")
    assert first.headers["Location"] != second.headers["Location"]
    assert Order.objects.get().email == "new@example.com"
    assert sorted(Payment.objects.values_list("status", flat=True)) == ["expired", "open"]


def test_the_31st_order_of_an_address_in_an_hour_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checkout.Checkout.orders_per_hour == 30
    monkeypatch.setattr(checkout.Checkout, "orders_per_hour", 3)
    method = make_method().pk
    visitor = visit(make_cart((make_variant(), 1)))
    for number in range(3):
        assert visitor.post(CHECKOUT, form(shipping_method=method, note=f"{number}")).status_code == 302
    answer = visitor.post(CHECKOUT, form(shipping_method=method))
    assert is_refused_for(answer, 3600)
    assert 'role="alert"' in text(answer)


def test_news_are_confirmed_by_email_once_the_order_is_paid() -> None:
    visitor = visit(make_cart((make_variant(), 1)))
    assert "Email me news and offers" not in text(visitor.get(CHECKOUT))
    switch_feature(name="marketing", on=True)
    assert "Email me news and offers" in text(visitor.get(CHECKOUT))
    place(visitor, wants_news="1")
    confirmation = OutgoingMail.objects.filter(template="subscription_confirm")
    assert not confirmation.exists()
    order = Order.objects.get()
    record_order_payment(order=order, values={"method": "cash"})
    assert confirmation.get().recipient == "dana@example.com"


def test_no_news_while_marketing_is_off() -> None:
    visitor = visit(make_cart((make_variant(), 1)))
    switch_feature(name="marketing", on=True)
    place(visitor, wants_news="1")
    switch_feature(name="marketing", on=False)
    record_order_payment(order=Order.objects.get(), values={"method": "cash"})
    assert not OutgoingMail.objects.filter(template="subscription_confirm").exists()


def test_the_payment_page_is_for_the_order_of_its_customer() -> None:
    place(visit(make_cart((make_variant(), 1))))
    payment = Payment.objects.get()
    assert ORDERS.name(payment.record_id) == "ORD-1001"
    assert settle(payment_id=payment.pk).status == PaymentStatus.OPEN
