"""The page of an order and what hangs on it: paying again, downloads, the receipt; and the orders of an account."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from cms_api.accounts.services import create_member
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, start_payment
from commerce.payments.types import PaymentStatus
from commerce.shop.models import Order, ProductFile, ProductVariant
from commerce.shop.selectors.orders import ORDER_LINK
from commerce.shop.services import delete_product, save_product
from commerce.shop.services.ending import cancel_order, refund_order
from commerce.shop.services.fulfilling import fulfill_order
from commerce.shop.services.housekeeping import release_lapsed_orders
from commerce.shop.types.orders import PAYABLE
from tests.commerce.shop.builders import record_order_payment
from tests.people import PASSWORD

from .builders import make_method, make_order, make_paid_order, make_product, make_variant

pytestmark = pytest.mark.django_db


def text(answer: Any) -> str:
    return str(answer.content.decode())


def page(order: Order) -> str:
    answer = Client().get(ORDER_LINK.path(order))
    assert answer.status_code == 200
    return text(answer)


def test_it_works() -> None:
    order = make_order((make_variant(price=1250, product={"name": "Mug"}), 2), note="Ring twice.")
    shown = page(order)
    for words in (order.number, "2 x Mug", "$30.00", "Pay $30.00", "Awaiting payment", "14 Canal Street", "Ring twice."):
        assert words in shown
    for words in ("Receipt", "Downloads"):
        assert words not in shown


def test_each_status_in_the_words_of_customers() -> None:
    paid = make_paid_order()
    for words in ("Thank you!", "Receipt (PDF)", "Paid"):
        assert words in page(paid)
    fulfill_order(order=paid, tracking={"carrier": "ups", "tracking_number": "1Z9"})
    for words in ("on its way", "https://www.ups.com/track?tracknum=1Z9", "UPS 1Z9", "Shipped"):
        assert words in page(paid)
    cancelled = make_order(email="b@example.com")
    cancel_order(order=cancelled)
    assert "This order has been cancelled." in page(cancelled)
    assert "Pay $" not in page(cancelled)
    processing = make_order(email="c@example.com")
    Order.objects.filter(pk=processing.pk).update(is_processing=True)
    assert "Your payment is on its way." in page(processing)
    assert "Pay $" not in page(processing)


@pytest.mark.both_databases
def test_an_order_that_is_picked_up() -> None:
    order = make_paid_order(shipping_method=make_method("Pick-up", kind="pickup", price_cents=0).pk)
    assert "when your order ships" not in page(order)
    fulfill_order(order=order)
    for words in ("on its way", "Shipped"):
        assert words not in page(order)
    for words in ("Your order is ready for pick-up.", "Ready on", "Ready for pick-up"):
        assert words in page(order)


@pytest.mark.both_databases
def test_an_order_of_which_a_part_has_been_sent() -> None:
    order = make_paid_order((make_variant(), 2))
    fulfill_order(order=order, pieces={order.items.get().pk: 1})
    assert "Part of your order is on its way." in page(order)


def test_a_token_is_kept_secret() -> None:
    answer = Client().get(ORDER_LINK.path(make_order()))
    assert "no-store" in answer.headers["Cache-Control"]
    assert "noindex" in answer.headers["X-Robots-Tag"]


def test_the_receipt_is_there_once_it_is_paid() -> None:
    order = make_order()
    path = ORDER_LINK.path(order) + "/receipt.pdf"
    assert Client().get(path).status_code == 404
    answer = Client().get(ORDER_LINK.path(make_paid_order(email="b@example.com")) + "/receipt.pdf")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/pdf")
    assert answer.content.startswith(b"%PDF-")


@pytest.mark.django_db(transaction=True)
def test_a_lapsed_order_is_paid_from_its_page() -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    variant = make_variant(stock=2, product={"name": "Mug"})
    order = make_order((variant, 2))
    Order.objects.update(reserved_until=timezone.now() - timedelta(minutes=1))
    release_lapsed_orders()
    visitor = Client()
    path = ORDER_LINK.path(order) + "/pay"
    answer = visitor.post(path)
    assert (answer.status_code, ProductVariant.objects.get().reserved) == (302, 2)
    # A second press leads to the same page.
    assert visitor.post(path).headers["Location"] == answer.headers["Location"]
    decide_test_payment(payment=Payment.objects.get(), status=PaymentStatus.SUCCEEDED)
    visitor.get(visitor.get(answer.headers["Location"]).headers["Location"], follow=True)
    order.refresh_from_db()
    assert order.status == "paid"
    assert "This order doesn&#x27;t wait for a payment." in text(visitor.post(path, follow=True))


@pytest.mark.django_db(transaction=True)
def test_an_order_of_what_has_been_sold_cannot_be_paid() -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    variant = make_variant(stock=2, product={"name": "Mug"})
    order = make_order((variant, 2))
    Order.objects.update(reserved_until=timezone.now() - timedelta(minutes=1))
    release_lapsed_orders()
    make_paid_order((variant, 2), email="b@example.com")
    answer = Client().post(ORDER_LINK.path(order) + "/pay", follow=True)
    assert "Mug is out of stock." in text(answer)
    assert not Payment.objects.exclude(provider="").exists()


def test_paying_needs_a_token_of_the_form() -> None:
    order = make_order()
    assert Client(enforce_csrf_checks=True).post(ORDER_LINK.path(order) + "/pay").status_code == 403
    assert Client().get(ORDER_LINK.path(order) + "/pay").status_code == 405


def downloadable() -> ProductVariant:
    file = SimpleUploadedFile("patterns.pdf", b"%PDF-1.7 patterns")
    product = make_product("Patterns", kind="digital", price=1500, stock=None, files=[file])
    return ProductVariant.objects.select_related("product").get(product=product)


def test_downloads(django_capture_on_commit_callbacks: Any) -> None:
    variant = downloadable()
    order = make_order((variant, 1), shipping_address=None, shipping_method=None)
    file, item = ProductFile.objects.get(), order.items.get()
    path = f"{ORDER_LINK.path(order)}/files/{item.pk}/{file.pk}"
    assert Client().get(path).status_code == 404
    paid = make_paid_order((variant, 1), shipping_address=None, shipping_method=None, email="b@example.com")
    own = f"{ORDER_LINK.path(paid)}/files/{paid.items.get().pk}/{file.pk}"
    assert own in page(paid)
    answer = Client().get(own)
    assert b"".join(answer.streaming_content) == b"%PDF-1.7 patterns"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="patterns.pdf"'
    assert (answer.headers["Content-Type"], "no-store" in answer.headers["Cache-Control"]) == ("application/octet-stream", True)
    # The item of another order, and a file that does not exist.
    assert Client().get(f"{ORDER_LINK.path(paid)}/files/{item.pk}/{file.pk}").status_code == 404
    assert Client().get(f"{ORDER_LINK.path(paid)}/files/{paid.items.get().pk}/{file.pk + 1}").status_code == 404
    with django_capture_on_commit_callbacks(execute=True):
        refund_order(order=paid)
    assert Client().get(own).status_code == 404
    assert "Downloads" not in page(paid)


def test_a_product_whose_files_customers_have_bought_is_not_deleted(django_capture_on_commit_callbacks: Any) -> None:
    variant = downloadable()
    order = make_paid_order((variant, 1), shipping_address=None, shipping_method=None)
    with pytest.raises(Invalid) as refused:
        delete_product(product=variant.product)
    assert refused.value.message == "Customers have bought the files of this product. Archive it instead."
    assert "Downloads" in page(order)
    with django_capture_on_commit_callbacks(execute=True):
        refund_order(order=order)
    delete_product(product=variant.product)
    assert not ProductFile.objects.exists()


@pytest.mark.both_databases
def test_a_file_that_is_removed_is_kept_for_those_who_ordered_it(django_capture_on_commit_callbacks: Any) -> None:
    variant = downloadable()
    by = {"shipping_address": None, "shipping_method": None}
    order, waiting = make_paid_order((variant, 1), **by), make_order((variant, 1), **by, email="b@example.com")
    first = ProductFile.objects.get()
    save_product(product=variant.product, values={"files": []})
    record_order_payment(order=waiting, values={"method": "cash"})
    for each in (order, waiting):
        answer = Client().get(f"{ORDER_LINK.path(each)}/files/{each.items.get().pk}/{first.pk}")
        assert b"".join(answer.streaming_content) == b"%PDF-1.7 patterns"
        assert "patterns.pdf" in page(each)
    later = make_paid_order((variant, 1), **by, email="c@example.com")
    assert "Downloads" not in page(later)
    assert Client().get(f"{ORDER_LINK.path(later)}/files/{later.items.get().pk}/{first.pk}").status_code == 404
    with pytest.raises(Invalid, match="removed"):
        save_product(product=variant.product, values={"files": [first.pk]})
    with django_capture_on_commit_callbacks(execute=True):
        for each in (order, waiting, later):
            refund_order(order=each)
    delete_product(product=variant.product)
    assert not ProductFile.objects.exists()


@pytest.mark.both_databases
def test_a_file_that_nobody_has_ordered_is_deleted() -> None:
    """It may have been added by mistake to a product that others have bought."""
    variant = downloadable()
    order = make_paid_order((variant, 1), shipping_address=None, shipping_method=None)
    first = ProductFile.objects.get()
    mistake = SimpleUploadedFile("salaries.pdf", b"%PDF-1.7 salaries")
    save_product(product=variant.product, values={"files": [first.pk, mistake]})
    assert "salaries.pdf" in page(order)
    save_product(product=variant.product, values={"files": [first.pk]})
    assert ProductFile.objects.get() == first
    assert "patterns.pdf" in page(order)


def test_a_file_that_is_missing_on_the_disk() -> None:
    variant = downloadable()
    paid = make_paid_order((variant, 1), shipping_address=None, shipping_method=None)
    file = ProductFile.objects.get()
    file.file.storage.delete(file.file.name)
    assert Client().get(f"{ORDER_LINK.path(paid)}/files/{paid.items.get().pk}/{file.pk}").status_code == 404


def member(email: str = "mia@example.com") -> Any:
    return create_member(email=email, password=PASSWORD, name="Mia Sand")


@pytest.mark.both_databases
def test_the_orders_of_an_account(accounts_on: None) -> None:
    mia = member()
    own = make_order(user=mia, email="other@example.com")
    same_address = make_paid_order(email="MIA@example.com")
    foreign = make_order(email="dana@example.com")
    visitor = Client()
    assert visitor.get("/accounts/orders/").status_code == 302
    visitor.force_login(mia)
    answer = visitor.get("/accounts/orders/")
    for order, is_shown in ((own, True), (same_address, True), (foreign, False)):
        assert (order.number in text(answer)) is is_shown
    assert "no-store" in answer.headers["Cache-Control"]
    for number in ("0", "-1", "x", "9" * 30, "\0"):
        assert visitor.get("/accounts/orders/", {"page": number}).status_code == 200


def test_an_address_that_is_not_confirmed_shows_nothing(accounts_on: None) -> None:
    mia = member()
    mia.emailaddress_set.update(verified=False)
    order = make_order(email="mia@example.com")
    visitor = Client()
    visitor.force_login(mia)
    answer = visitor.get("/accounts/orders/")
    assert order.number not in text(answer)


@pytest.mark.both_databases
def test_without_orders(accounts_on: None) -> None:
    visitor = Client()
    visitor.force_login(member())
    assert "You haven't ordered anything yet." in text(visitor.get("/accounts/orders/"))


@pytest.mark.django_db(transaction=True)
def test_the_page_takes_back_the_number_in_the_header() -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    visitor = Client()
    visitor.post("/shop/cart/add", {"variant": make_variant().pk})
    assert visitor.cookies["cart_items"].value == "1"
    visitor.get("/shop/cart")
    order = make_paid_order(email="b@example.com")
    visitor.get(ORDER_LINK.path(order))
    assert visitor.cookies["cart_items"].value == "1"
    assert start_payment(payable=PAYABLE, record_id=make_order().pk)
