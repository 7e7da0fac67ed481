"""Invoices, estimates, credit notes and receipts, read back from their PDFs."""

from datetime import date
from hashlib import sha256
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from cms_api.flags.services import set_setting
from commerce.common.services.documents import Pdf
from commerce.invoicing.models import Client, CreditNote, Invoice
from commerce.invoicing.resources.documents import credit_note_pdf, invoice_pdf, receipt_pdf
from commerce.invoicing.services import credit_invoice, reopen_estimate, save_client, save_invoice, send_invoice
from commerce.invoicing.services.pdfs import content_of, pdf_of, typeset_stored
from tests.commerce.shop.test_documents import HOSTILE, text_of

from .builders import item, make_client, make_draft, make_estimate, make_invoice, pay, reloaded

pytestmark = pytest.mark.django_db
ISSUED, DUE = date(2026, 3, 4), date(2026, 4, 3)


def dana() -> Client:
    address = {"street": "14 Canal Street", "city": "Brattleboro", "state": "VT", "postal_code": "05301", "country": "US"}
    return make_client("Reyes Ceramics", contact_name="Dana Reyes", tax_id="US 12-3456789", **address)


def stored(invoice: Invoice) -> str:
    return text_of(Pdf(pdf_of(invoice)))


@pytest.mark.both_databases
def test_it_works() -> None:
    set_setting(key="site.name", value="The Old Mill")
    set_setting(key="taxes.business_details", value="The Old Mill Ltd; 1 Mill Lane; Tax number 12-345")
    invoice = make_invoice(
        item(75_000, 2, tax="8.25", tax_label="Sales tax", description="Hall, days"),
        item(8_000, "4.5", discount_percent=10, description="Engineer, hours"),
        client=dana(),
        issue_date=ISSUED,
        due_date=DUE,
        discount_percent=5,
        reference="PO-4711",
        notes="Thank you.",
        terms="By bank transfer.",
    )
    assert b"pdfaid:part>3<" in pdf_of(invoice)
    assert invoice.pdf.missing == ""
    text = stored(invoice)
    for words in (
        *("Invoice INV-1001", "The Old Mill Ltd", "1 Mill Lane", "Tax number 12-345", "Bill to Reyes Ceramics", "Dana Reyes"),
        *("14 Canal Street", "Brattleboro, VT 05301", "United States", "Tax ID US 12-3456789", "Your reference PO-4711"),
        *("Date March 4, 2026", "Due date April 3, 2026", "$1,850.36 due April 3, 2026"),
        *("Description Quantity Price Tax Amount", "Hall, days 2 $750.00 8.25% $1,500.00"),
        *("Engineer, hours 10% discount 4.5 $80.00 $324.00", "Subtotal $1,824.00", "Discount (5%) -$91.20"),
        *("Sales tax 8.25% $117.56", "Total $1,850.36", "Notes Thank you.", "Terms By bank transfer.", "Page 1 of 1"),
    ):
        assert words in text, words
    assert "Draft" not in text


def test_an_estimate_and_a_draft() -> None:
    text = stored(make_estimate(issue_date=ISSUED, due_date=DUE))
    for words in ("Estimate EST-1001", "Prepared for", "Valid until April 3, 2026", "$100.00, valid until April 3, 2026"):
        assert words in text, words
    assert "Tax" not in text
    assert "Draft invoice" in stored(make_draft())
    assert "Draft estimate" in stored(make_draft(kind="estimate"))


def test_inclusive_prices_say_so() -> None:
    text = stored(make_invoice(item(12_000, tax=20, tax_label="VAT"), prices_include_tax=True))
    assert "Total $120.00 Includes VAT 20% $20.00" in text


def test_an_issued_invoice_never_changes() -> None:
    client = dana()
    invoice, estimate = make_invoice(client=client), make_estimate(client=client)
    before = pdf_of(invoice)
    typeset_stored(invoice.pdf.pk)
    invoice.pdf.refresh_from_db()
    assert (sha256(before).hexdigest(), bytes(invoice.pdf.content)) == (invoice.pdf.sha256, before)
    save_client(client=client, values={"name": "Reyes & Daughter"})
    set_setting(key="site.name", value="Another name")
    pay(invoice, 1_000)
    send_invoice(invoice=invoice)
    assert pdf_of(reloaded(invoice)) == before
    assert "Reyes Ceramics" in stored(reloaded(invoice))
    # An estimate may be changed until it is accepted.
    reopen_estimate(estimate=estimate)
    save_invoice(invoice=estimate, values={"notes": "Changed."})
    assert "Changed." in stored(reloaded(estimate))
    assert "Reyes & Daughter" in stored(reloaded(estimate))


def test_the_same_invoice_makes_the_same_bytes() -> None:
    invoice = make_invoice()
    assert invoice_pdf(invoice).content == invoice_pdf(reloaded(invoice)).content == pdf_of(invoice)


def test_a_credit_note_lists_what_it_takes_back_of_each_tax_rate() -> None:
    sold = [item(10_000, tax=20, tax_label="VAT"), item(10_000, tax="5.5", tax_label="VAT"), item(2_000)]
    invoice = make_invoice(*sold, client=dana(), reference="PO-4711")
    note = credit_invoice(invoice=invoice, amount_cents=12_275, reason="One hour less.")
    text = text_of(Pdf(content_of(note.pdf)))
    for words in (
        *("Credit note CN-1001", "Credit to Reyes Ceramics", "Invoice INV-1001", "Your reference PO-4711"),
        *("Credit of $122.75 for invoice INV-1001", "Tax rate Net Tax Amount", "VAT 20% $50.00 $10.00 $60.00"),
        *("VAT 5.5% $50.00 $2.75 $52.75", "No tax $10.00 $0.00 $10.00", "Total $122.75", "Reason One hour less."),
    ):
        assert words in text, words
    assert credit_note_pdf(CreditNote.objects.get()).content == content_of(note.pdf)


def test_the_receipt_of_a_payment() -> None:
    invoice = make_invoice(client=dana(), issue_date=ISSUED)
    payment = pay(invoice, 4_000, method="bank_transfer", reference="FT-88120")
    text = text_of(receipt_pdf(reloaded(invoice), payment))
    for words in (
        *("Receipt INV-1001", "Received from Reyes Ceramics", "$40.00 paid on", "Payment method Bank transfer"),
        *("Reference FT-88120", "Invoice date March 4, 2026", "Invoice total $100.00", "Amount paid $40.00", "$60.00"),
    ):
        assert words in text, words


@pytest.mark.parametrize(("country", "height"), [("US", 792), ("DE", 842)])
def test_the_paper_is_that_of_the_country(country: str, height: int) -> None:
    set_setting(key="site.country", value=country)
    invoice = make_invoice()
    note = credit_invoice(invoice=invoice, reason="Not needed.")
    for content in (pdf_of(invoice), content_of(note.pdf)):
        assert round(PdfReader(BytesIO(content)).pages[0].mediabox.height) == height


def test_many_items_take_several_pages_with_the_header_on_each() -> None:
    pages = PdfReader(BytesIO(pdf_of(make_invoice(*[item(tax=20)] * 100)))).pages
    assert len(pages) > 3
    for number, page in enumerate(pages, 1):
        text = " ".join(page.extract_text().split())
        assert f"Page {number} of {len(pages)}" in text
        assert "INV-1001" in text
        assert ("Quantity Price Tax Amount" in text) == ("Work" in text)


@pytest.mark.parametrize("hostile", HOSTILE[::2], ids=range(0, len(HOSTILE), 2))
def test_hostile_text_neither_runs_nor_fails(hostile: str) -> None:
    """Every second text that a receipt of the shop stands, which is set by the same code."""
    text = " ".join(hostile.encode("utf-8", "replace").decode().replace("\0", "").replace("\x07", "").split())
    invoice = make_invoice(item(description=text[:500], tax=5, tax_label=text[:20] or "Tax"), notes=text[:4000])
    # Not stored, so that it is not cut.
    invoice.client_name = invoice.terms = invoice.reference = hostile
    note = credit_invoice(invoice=invoice, reason=text[:500])
    note.invoice.client_lines = [hostile]
    payment: Any = pay(make_invoice(), reference=text[:50])
    for pdf, number in (
        (invoice_pdf(invoice), "INV-1001"),
        (credit_note_pdf(note), "CN-1001"),
        (receipt_pdf(invoice, payment), "INV-1001"),
    ):
        assert number in text_of(pdf)


@pytest.mark.parametrize(("quantity", "shown"), [("1", "1"), ("10", "10"), ("0.25", "0.25"), ("1000", "1,000"), ("0", "0")])
def test_quantities_are_written_as_people_do(quantity: str, shown: str) -> None:
    assert f"Work {shown} $1.00" in stored(make_invoice(item(100, quantity)))
