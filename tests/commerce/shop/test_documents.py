"""The receipt and the packing slip of an order, read back from their PDFs."""

from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from django.conf import LazySettings
from pypdf import PdfReader

from cms_api.flags.services import set_setting
from commerce.common.services.documents import Pdf
from commerce.shop.models import Order, OrderItem
from commerce.shop.resources.documents import packing_slip, receipt

pytestmark = pytest.mark.django_db

ADDRESS = {
    "name": "Dana Reyes",
    "street": "14 Canal Street",
    "street2": "",
    "city": "Brattleboro",
    "state": "VT",
    "postal_code": "05301",
    "country": "US",
}
PLACED, PAID = datetime(2026, 3, 1, 18, 28, tzinfo=UTC), datetime(2026, 3, 2, 9, tzinfo=UTC)
#: Text that must neither run nor fail.
HOSTILE = [
    '#panic() #read("/etc/passwd") $x^2$ *bold* _it_ `code` <label> @ref \\ // /* = head',
    "x" * 3000,
    "word " * 600,
    "<script>alert(1)</script> {{ settings }} %s",
    "a\0b\x07c",
    "\ud800",
    "زبون من القاهرة",
    "東京都千代田区",
    "🎁 gift 👩‍👩‍👧",
    "a\u0301\u0302" * 100,
    "\u202e reversed",
]


def make_order(items: int = 2, **values: Any) -> Order:
    """A paid order with a discount, shipping and tax, of mugs and a file to download."""
    stored = {
        "number": "ORD-1142",
        "status": "paid",
        "email": "dana.reyes@example.com",
        "name": "Dana Reyes",
        "phone": "+1 802 555 0142",
        "currency": "usd",
        "subtotal_cents": 8300,
        "discount_cents": 830,
        "discount_code": "WELCOME10",
        "shipping_cents": 600,
        "tax_cents": 448,
        "total_cents": 8518,
        "taxes": [{"label": "Sales tax", "percent": "6", "net_cents": 7470, "tax_cents": 448}],
        "shipping_method": "Standard",
        "shipping_address": ADDRESS,
        "billing_address": ADDRESS,
        "customer_note": "Please ring twice.",
    }
    moments = {"placed_at": PLACED, "paid_at": PAID, "created_at": PLACED, "updated_at": PAID}
    order = Order.objects.create(**{**stored, **moments, **values})
    for position in range(items - 1):
        make_item(order, position=position, name="Stoneware mug", variant_name="Grey", sku=f"MUG-{position}", quantity=2)
    make_item(order, position=items, name="Letterpress pattern", is_digital=True, unit_price_cents=3500)
    return order


def make_item(order: Order, **values: Any) -> OrderItem:
    sold = {"quantity": 1, "unit_price_cents": 2400, "tax_percent": Decimal(6)}
    return OrderItem.objects.create(order=order, **{**sold, **values})


def text_of(pdf: Pdf) -> str:
    reader = PdfReader(BytesIO(pdf.content))
    return " ".join(" ".join(page.extract_text() for page in reader.pages).split())


def test_it_works() -> None:
    set_setting(key="site.name", value="The Old Mill")
    set_setting(key="taxes.business_details", value="The Old Mill Ltd; 1 Mill Lane; Tax number 12-345")
    pdf = receipt(make_order())
    assert (pdf.content[:5], pdf.missing) == (b"%PDF-", "")
    # The standard for archives names itself in the file.
    assert b"pdfaid:part>3<" in pdf.content
    text = text_of(pdf)
    for words in (
        *("Receipt", "ORD-1142", "The Old Mill Ltd", "1 Mill Lane", "Tax number 12-345", "dana.reyes@example.com"),
        *("Order date", "March 1, 2026", "Payment date", "March 2, 2026", "Billing and shipping address"),
        *("Dana Reyes", "14 Canal Street", "Brattleboro, VT 05301", "United States"),
        *("Stoneware mug, Grey", "SKU MUG-0", "$24.00", "$48.00", "Letterpress pattern", "$35.00"),
        *("Subtotal", "$83.00", "Discount (WELCOME10)", "-$8.30", "Standard", "$6.00", "Sales tax 6", "$4.48", "Total", "$85.18"),
        "Page 1 of 1",
    ):
        assert words in text, words
    assert "Refunded" not in text


def test_a_packing_slip_has_what_is_sent_and_no_prices() -> None:
    order = make_order()
    make_item(order, position=9, name="Kettle", quantity=3, shipped=1, refunded=1)
    make_item(order, position=10, name="Returned", quantity=1, refunded=1)
    text = text_of(packing_slip(order))
    for words in ("Packing slip", "ORD-1142", "Ship to", "Dana Reyes", "Stoneware mug, Grey", "Kettle 2 1", "Please ring twice."):
        assert words in text, words
    for words in ("$", "Letterpress", "Returned", "Total"):
        assert words not in text, words


def test_a_refund_and_another_address_are_shown() -> None:
    billing = {
        **ADDRESS,
        "name": "Reyes Ltd",
        "street": "1 High Street",
        "city": "London",
        "postal_code": "N1 1AA",
        "country": "GB",
    }
    text = text_of(receipt(make_order(refunded_cents=2400, billing_address=billing)))
    for words in ("Billing address", "Shipping address", "Reyes Ltd", "United Kingdom", "Refunded", "-$24.00"):
        assert words in text, words


@pytest.mark.both_databases
def test_an_order_that_is_only_downloaded_has_no_address() -> None:
    text = text_of(receipt(make_order(1, shipping_address=None, billing_address=None, is_shipped=False)))
    assert "address" not in text
    assert "Customer" in text_of(packing_slip(Order.objects.get()))


@pytest.mark.parametrize(("currency", "amount"), [("jpy", "¥8,518"), ("kwd", "KWD8.518"), ("eur", "€85.18")])
def test_amounts_have_the_decimals_of_their_currency(currency: str, amount: str) -> None:
    assert " ".join(amount.split()) in text_of(receipt(make_order(currency=currency)))


@pytest.mark.both_databases
def test_the_same_order_makes_the_same_bytes() -> None:
    order = make_order()
    assert receipt(order).content == receipt(order).content
    assert packing_slip(order).content == packing_slip(order).content


def test_a_long_order_takes_several_pages_with_the_header_on_each() -> None:
    pages = PdfReader(BytesIO(receipt(make_order(100)).content)).pages
    assert len(pages) > 3
    for number, page in enumerate(pages[:-1], 1):
        text = page.extract_text()
        assert f"Page {number} of {len(pages)}" in text
        assert "Quantity" in text


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_neither_runs_nor_fails(hostile: str) -> None:
    stored = hostile.encode("utf-8", "replace").decode().replace("\0", "")
    set_setting(key="taxes.business_details", value=stored)
    values = {"name": stored[:200], "email": f"{stored[:200]}@example.com", "phone": stored[:50], "customer_note": stored[:1000]}
    order = make_order(**values, billing_address={**ADDRESS, "street": stored, "country": stored}, discount_code=stored[:40])
    make_item(order, name=stored[:200], variant_name=stored[:200], sku=stored[:64])
    # Not stored, so that it is not cut.
    order.customer_note = hostile
    order.shipping_address = {**ADDRESS, "name": hostile}
    for pdf in (receipt(order), packing_slip(order)):
        assert "ORD-1142" in text_of(pdf)
        assert len(pdf.missing) < 20


def test_typst_markup_is_shown_as_it_was_entered() -> None:
    assert "#panic() $x$ *bold*" in text_of(packing_slip(make_order(customer_note="#panic() $x$ *bold*")))


def test_characters_that_no_font_has_are_named() -> None:
    pdf = receipt(make_order(shipping_address={**ADDRESS, "name": "Dana \U00012000"}))
    assert pdf.missing == "\U00012000"
    assert b"pdfaid" not in pdf.content


@pytest.mark.parametrize(("country", "height"), [("US", 792), ("GB", 842)])
def test_the_paper_is_that_of_the_country(country: str, height: int, settings: LazySettings) -> None:
    set_setting(key="site.country", value=country)
    assert round(PdfReader(BytesIO(receipt(make_order()).content)).pages[0].mediabox.height) == height


def test_nothing_in_a_document_is_negative_zero() -> None:
    text = text_of(receipt(make_order(discount_cents=0, discount_code="", shipping_cents=0)))
    assert "Free" in text
    assert "-$0.00" not in text
