"""Receipts, and statements of a year, as PDF."""

from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from cms_api.flags.services import set_setting
from commerce.common.services.documents import Pdf
from commerce.donations.models import Donation
from commerce.donations.resources.documents import receipt_pdf, statement_pdf
from commerce.donations.selectors.donations import paid_in, years_of
from commerce.donations.services import DONATIONS
from commerce.payments.services import send_refund

from .builders import make_campaign, paid_donation
from .page_builders import this_year

ADDRESS = {"street": "14 Canal Street", "city": "Brattleboro", "state": "VT", "postal_code": "05301", "country": "US"}


def text_of(pdf: Pdf) -> str:
    assert pdf.missing == ""
    return " ".join(" ".join(page.extract_text().split()) for page in PdfReader(BytesIO(pdf.content)).pages)


def refunded(donation: Donation, cents: int) -> Donation:
    (refund,) = DONATIONS.refund(donation, amount_cents=cents)
    send_refund(refund_id=refund.pk)
    donation.refresh_from_db()
    return donation


def test_it_works() -> None:
    set_setting(key="donations.receipt_text", value="Registered charity, EIN 12-3456789.")
    set_setting(key="site.name", value="The Old Mill")
    donation = paid_donation(
        make_campaign(),
        covers_fee=True,
        designation="Youth workshops",
        tribute={"type": "memory", "name": "Alma Reyes"},
        address=ADDRESS,
    )
    text = text_of(receipt_pdf(donation))
    for words in (
        "The Old Mill",
        "Donation receipt",
        "DON-1001",
        "Received from",
        "Dana Reyes",
        "14 Canal Street",
        "Brattleboro",
        "A kiln for the mill, Youth workshops",
        "In memory of Alma Reyes",
        "$51.81 received on",
        "Donation $50.00",
        "Transaction fee covered $1.81",
        "Total $51.81",
        "Registered charity, EIN 12-3456789.",
    ):
        assert words in text, words
    assert "Refunded" not in text


def test_a_refund_is_on_the_receipt() -> None:
    assert "Refunded $20.00" in text_of(receipt_pdf(refunded(paid_donation(), 2000)))


@pytest.mark.both_databases
def test_the_statement_of_a_year() -> None:
    set_setting(key="donations.receipt_text", value="Registered charity.")
    paid_donation(make_campaign(), address=ADDRESS)
    refunded(paid_donation(amount_cents=10_000, address=ADDRESS), 2500)
    paid_donation(email="other@example.com", amount_cents=777)
    year = this_year()
    text = text_of(statement_pdf(list(paid_in(year, email="dana@example.com")), year))
    for words in ("Donation statement", str(year), "DON-1001", "DON-1002", "A kiln for the mill", "$50.00", "$100.00"):
        assert words in text
    for words in ("Refunded: $25.00", "Total (USD) $125.00", "14 Canal Street", "Registered charity.", "dana@example.com"):
        assert words in text
    assert "DON-1003" not in text


def test_the_same_donations_make_the_same_bytes() -> None:
    donation, year = paid_donation(), this_year()
    assert receipt_pdf(donation).content == receipt_pdf(donation).content
    assert statement_pdf([donation], year).content == statement_pdf([donation], year).content


def test_long_and_hostile_texts_make_a_document() -> None:
    long = {"first_name": "x" * 100, "last_name": '#panic("x")', "tribute": {"type": "honor", "name": "y" * 200}}
    donation = paid_donation(make_campaign("z" * 150), **long)
    assert '#panic("x")' in text_of(receipt_pdf(donation))
    many = [donation] * 80
    assert len(PdfReader(BytesIO(statement_pdf(many, this_year()).content)).pages) > 1


def test_years_are_those_of_the_sites_clock(clock: Any) -> None:
    set_setting(key="site.timezone", value="America/New_York")
    clock("2026-01-01 04:59")
    paid_donation()
    assert years_of(Donation.objects.all()) == [2025]
    clock("2026-01-01 05:01")
    paid_donation()
    assert years_of(Donation.objects.all()) == [2026, 2025]
    assert [each.number for each in paid_in(2025)] == ["DON-1001"]
