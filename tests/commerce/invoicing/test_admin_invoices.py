"""Invoices and estimates in the admin: their lists, their form and their pages."""

import csv
import io
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.flags.services import set_setting
from commerce.common.services import save_tax_rule
from commerce.invoicing.models import Invoice
from commerce.invoicing.services import credit_invoice, duplicate_invoice, send_invoice
from commerce.invoicing.services.pdfs import pdf_of, typeset_stored
from tests import people

from .admin_forms import invoice_form, item_row
from .builders import item, make_client, make_draft, make_estimate, make_invoice, make_overdue, make_void, pay, reloaded

INVOICES, ESTIMATES = "/admin/invoices/", "/admin/estimates/"


def text(answer: Any) -> str:
    return str(answer.content.decode())


def shown(admin: Client, address: str = INVOICES, **query: Any) -> list[str]:
    """The numbers on a list."""
    answer = admin.get(address, query)
    assert answer.status_code == 200
    return [str(invoice) for invoice in answer.context["object_list"]]


def test_it_works(admin_client: Client) -> None:
    client = make_client("Reyes Ceramics")
    row = item_row(description="Hall", quantity="1.5", unit_price_cents="100", discount_percent="10", tax_percent="20")
    values = invoice_form(client, row, item_row(), reference="PO-7", discount_percent="10", issue_date="2026-05-04")
    answer = admin_client.post(f"{INVOICES}new/", values)
    invoice = Invoice.objects.get()
    assert answer.headers["Location"] == f"{INVOICES}inspect/{invoice.pk}/"
    assert (invoice.kind, invoice.status, invoice.client, invoice.reference) == ("invoice", "draft", client, "PO-7")
    assert (invoice.subtotal_cents, invoice.discount_cents, invoice.tax_cents) == (16_000, 1_600, 2_430)
    assert (invoice.issue_date, invoice.due_date) == (date(2026, 5, 4), date(2026, 6, 3))
    page = text(admin_client.get(f"{INVOICES}inspect/{invoice.pk}/"))
    for words in ("Reyes Ceramics", "PO-7", "Hall", "$100.00", "1.5", "Tax 20%", "$168.30", "Mark as issued", "A preview"):
        assert words in page
    edited = {**values, "reference": "PO-8", "items_editor-0-value-quantity": "2"}
    assert admin_client.post(f"{INVOICES}edit/{invoice.pk}/", edited).status_code == 302
    invoice.refresh_from_db()
    assert (invoice.reference, invoice.subtotal_cents) == ("PO-8", 20_500)


def test_an_estimate(admin_client: Client) -> None:
    assert "Add estimate" in text(admin_client.get(ESTIMATES))
    admin_client.post(f"{ESTIMATES}new/", invoice_form(make_client(), due_date="2030-01-31"))
    estimate = Invoice.objects.get()
    assert (estimate.kind, estimate.number, estimate.due_date) == ("estimate", "EST-1001", date(2030, 1, 31))
    page = text(admin_client.get(f"{ESTIMATES}inspect/{estimate.pk}/"))
    assert "Valid until" in page
    assert "Record payment" not in page
    assert admin_client.get(f"{INVOICES}inspect/{estimate.pk}/").status_code == 404
    assert shown(admin_client) == []


def test_the_form_shows_a_draft_as_it_is(admin_client: Client) -> None:
    draft = make_draft(item(1250, "1.5", tax="8.875", tax_label="Sales tax"), discount_percent="12.5", due_days=10)
    form = admin_client.get(f"{INVOICES}edit/{draft.pk}/").context["form"]
    (block,) = form.initial["items_editor"]
    values = {name: value for name, value in block.value.items() if name != "description"}
    assert values == {
        "quantity": Decimal("1.5"),
        "unit_price_cents": 1250,
        "discount_percent": None,
        "tax_percent": Decimal("8.875"),
        "tax_label": "Sales tax",
    }
    assert (form.initial["discount_percent"], form.initial["days"], form.initial["recipient"]) == (Decimal("12.5"), 10, "")


def test_a_draft_in_another_currency_is_written_in_it(admin_client: Client) -> None:
    """The site has had yen, which have no decimals."""
    draft = make_draft(item(1500), item(1500))
    Invoice.objects.filter(pk=draft.pk).update(currency="jpy", discount_cents=200)
    page = f"{INVOICES}edit/{draft.pk}/"
    shown = text(admin_client.get(page))
    for words in ("Discount as an amount (JPY)", 'value="200"', "&quot;1500&quot;"):
        assert words in shown
    rows = (item_row(quantity="1", unit_price_cents="1,500"), item_row(quantity="1", unit_price_cents="2000"))
    assert admin_client.post(page, invoice_form(draft.client, *rows, discount="300")).status_code == 302
    written = reloaded(draft)
    assert (written.subtotal_cents, written.discount_cents, written.total_cents, written.currency) == (3500, 300, 3200, "jpy")
    refused = admin_client.post(page, invoice_form(draft.client, item_row(unit_price_cents="12.50")))
    assert "Enter an amount such as 1,500." in text(refused)


def test_a_new_form_begins_with_the_settings(admin_client: Client) -> None:
    set_setting(key="invoicing.terms", value="Pay to account 7.")
    set_setting(key="invoicing.due_days", value=14)
    client = make_client()
    form = admin_client.get(f"{INVOICES}new/", {"client": client.pk}).context["form"]
    assert (form.initial["terms"], form.initial["days"], form.initial["client"]) == ("Pay to account 7.", 14, client)
    for value in ("x", "\0", "9" * 30, "-1"):
        assert "client" not in admin_client.get(f"{INVOICES}new/", {"client": value}).context["form"].initial


def test_a_tax_without_a_name_gets_that_of_the_tax_rate(admin_client: Client) -> None:
    rule = {"country": "DE", "region": "", "tax_class": "standard", "label": "MwSt.", "percent": Decimal(19)}
    save_tax_rule(values=rule)
    client = make_client(country="DE")
    draft = make_draft(client=client)
    assert 'label="MwSt."' in text(admin_client.get(f"{INVOICES}edit/{draft.pk}/"))
    rows = (item_row(tax_percent="19"), item_row(tax_percent="7"), item_row(tax_percent="19", tax_label="VAT"))
    admin_client.post(f"{INVOICES}edit/{draft.pk}/", invoice_form(client, *rows))
    assert [each.tax_label for each in draft.items.all()] == ["MwSt.", "Tax", "VAT"]


def test_another_client_gets_its_own_address(admin_client: Client) -> None:
    draft, other = make_draft(), make_client()
    admin_client.post(f"{INVOICES}edit/{draft.pk}/", invoice_form(other))
    assert reloaded(draft).email == other.email
    admin_client.post(f"{INVOICES}edit/{draft.pk}/", invoice_form(other, recipient="Desk@Example.com"))
    assert reloaded(draft).email == "desk@example.com"


def test_without_days_and_date_nothing_is_due(admin_client: Client) -> None:
    draft = make_draft()
    admin_client.post(f"{INVOICES}edit/{draft.pk}/", invoice_form(draft.client, days=""))
    assert reloaded(draft).due_date is None


ROW = "items_editor-0-value-"


def test_refusals_are_shown_at_their_fields(admin_client: Client) -> None:
    for changes, words in [
        ({"client": "99"}, "Select a valid choice"),
        ({"recipient": "nobody"}, "Enter a valid email address"),
        ({"issue_date": "tomorrow"}, "Enter a date such as"),
        ({"issue_date": "2026-05-04", "due_date": "2026-05-03"}, "must not be before"),
        ({"discount": "5", "discount_percent": "5"}, "as an amount or as a percentage"),
        ({"notes": "a\0b"}, "Null characters"),
        ({f"{ROW}description": "x" * 501}, "at most 500 characters"),
        ({f"{ROW}quantity": "many"}, "Enter a number from 0"),
        ({f"{ROW}unit_price_cents": "cheap"}, "Enter an amount such as 1,500.00"),
        ({f"{ROW}unit_price_cents": "9999999999"}, "Enter an amount of at most 999,999,999.99"),
        ({f"{ROW}discount_percent": "101"}, "from 0 to 100"),
        ({"items_editor-count": "0"}, "This field is required"),
    ]:
        answer = admin_client.post(f"{INVOICES}new/", {**invoice_form(make_client()), **changes})
        assert answer.status_code == 200
        assert words in text(answer)
        assert not Invoice.objects.exists()


def test_a_refusal_stands_in_its_row(admin_client: Client) -> None:
    rows = (item_row(), item_row(quantity="x"))
    answer = admin_client.post(f"{INVOICES}new/", invoice_form(make_client(), *rows))
    (error,) = answer.context["form"].errors.as_data()["items_editor"]
    assert set(error.block_errors) == {1}
    assert set(error.block_errors[1].block_errors) == {"quantity"}


def test_many_items_are_saved(admin_client: Client) -> None:
    admin_client.post(f"{INVOICES}new/", invoice_form(make_client(), *(item_row() for _ in range(40))))
    assert Invoice.objects.get().items.count() == 40


def test_only_drafts_are_edited(admin_client: Client) -> None:
    invoice = make_invoice()
    address = f"{INVOICES}edit/{invoice.pk}/"
    assert admin_client.get(address).headers["Location"] == f"{INVOICES}inspect/{invoice.pk}/"
    answer = admin_client.post(address, invoice_form(invoice.client, reference="X"))
    assert "Only drafts can be changed." in text(answer)
    assert reloaded(invoice).reference == ""
    assert address not in text(admin_client.get(INVOICES))
    assert address not in text(admin_client.get(f"{INVOICES}inspect/{invoice.pk}/"))


@pytest.mark.both_databases
def test_filters_and_search(admin_client: Client) -> None:
    draft, sent = make_draft(reference="PO-77"), make_invoice(issue_date=date(2026, 5, 4), due_days=3650)
    partial, overdue, paid, void = make_invoice(), make_overdue(), make_invoice(), make_void()
    pay(partial, 1)
    pay(paid)
    numbers = {
        "draft": draft,
        "paid": paid,
        "void": void,
        "overdue": overdue,
        "partial": partial,
    }
    for status, invoice in numbers.items():
        assert shown(admin_client, status=status) == [str(invoice)]
    assert set(shown(admin_client, status="sent")) == {str(sent), str(partial), str(overdue)}
    assert set(shown(admin_client, status="outstanding")) == {str(sent), str(partial), str(overdue)}
    assert shown(admin_client, client=sent.client_id) == [str(sent)]
    assert shown(admin_client, issue_date_from="2026-05-04", issue_date_to="2026-05-04") == [str(sent)]
    assert shown(admin_client, due_date_to="2026-01-31") == [str(overdue)]
    assert shown(admin_client, q="po-77") == [str(draft)]
    page = text(admin_client.get(INVOICES))
    for words in ("Overdue", "Partially paid", "Void", "$99.99"):
        assert words in page


def test_filters_that_make_no_sense(admin_client: Client) -> None:
    for query in ({"client": "\0"}, {"client": "9" * 30}, {"due_date_from": "0001-01-01"}):
        assert admin_client.get(INVOICES, query).status_code in {200, 400, 404}


@pytest.mark.both_databases
def test_the_list_is_sorted(admin_client: Client) -> None:
    first, last = make_invoice(item(1), client=make_client("A")), make_invoice(client=make_client("B"), due_days=90)
    Invoice.objects.filter(pk=first.pk).update(issue_date=timezone.now() - timedelta(days=90))
    make_draft(item(0), client=make_client("0"), due_date=None, due_days=None)
    for name in ("number", "client_name", "total_cents", "balance_due_cents", "issue_date", "due_date"):
        ordered = shown(admin_client, ordering=name)
        assert ordered.index(str(first)) < ordered.index(str(last)), name
        assert shown(admin_client, ordering=f"-{name}").index(str(last)) < 2, name


@pytest.mark.both_databases
def test_lists_take_a_constant_number_of_statements(admin_client: Client) -> None:
    def statements(address: str) -> int:
        admin_client.get(address)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(address).status_code == 200
        return len(caught)

    def make() -> None:
        pay(make_invoice(), 1)
        make_overdue()
        make_estimate()

    addresses = (INVOICES, f"{INVOICES}?status=overdue", ESTIMATES)
    make()
    before = [statements(address) for address in addresses]
    for _ in range(2):
        make()
    assert [statements(address) for address in addresses] == before


def test_csv(admin_client: Client) -> None:
    invoice = make_invoice(item(10_000, tax=20), client=make_client("=cmd"), discount_cents=1_000, reference="PO-1")
    pay(invoice, 800)
    credit_invoice(invoice=invoice, amount_cents=1_000, reason="Less")
    answer = admin_client.get(INVOICES, {"export": "csv"})
    (row,) = csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig")))
    assert (row["Number"], row["Status"], row["Currency"]) == ("INV-1001", "Partially paid", "USD")
    amounts = {name: row[name] for name in ("Subtotal", "Discount", "Tax", "Total", "Paid", "Credited", "Balance due")}
    assert amounts == {
        "Subtotal": "100.00",
        "Discount": "10.00",
        "Tax": "18.00",
        "Total": "108.00",
        "Paid": "8.00",
        "Credited": "10.00",
        "Balance due": "90.00",
    }
    assert not row["Client"].startswith("=")


def test_the_page_of_an_invoice(admin_client: Client) -> None:
    invoice = make_invoice(item(10_000, tax=20), client=make_client("Nordlicht"), notes="Two\nlines", terms="<b>Net</b>")
    payment = pay(invoice, 2_000, reference="FT-1", note="Deposit")
    note = credit_invoice(invoice=invoice, amount_cents=1_000, reason="One hour less")
    typeset_stored(invoice.pdf.pk)
    invoice.pdf.refresh_from_db()
    page = text(admin_client.get(f"{INVOICES}inspect/{invoice.pk}/"))
    words = ("$120.00", "$90.00", "FT-1", "Deposit", note.number, "One hour less", invoice.pdf.sha256, "Two<br>lines")
    for each in (*words, "&lt;b&gt;Net", f"{INVOICES}receipt/{payment.pk}/", f"{INVOICES}credit-note/{note.pk}/", "/invoices/"):
        assert each in page


def test_characters_without_a_font_are_named(admin_client: Client) -> None:
    invoice = make_invoice()
    invoice.pdf.missing = "\N{EGYPTIAN HIEROGLYPH A001}"
    invoice.pdf.save()
    assert "No font of the document has these characters" in text(admin_client.get(f"{INVOICES}inspect/{invoice.pk}/"))


def test_documents(admin_client: Client) -> None:
    invoice, draft, estimate = make_invoice(), make_draft(), make_estimate()
    payment = pay(invoice, 1)
    note = credit_invoice(invoice=invoice, amount_cents=1, reason="x")
    stored = admin_client.get(f"{INVOICES}pdf/{invoice.pk}/")
    assert stored.content == pdf_of(invoice)
    addresses = (
        f"{INVOICES}pdf/{draft.pk}/",
        f"{ESTIMATES}pdf/{estimate.pk}/",
        f"{INVOICES}receipt/{payment.pk}/",
        f"{INVOICES}credit-note/{note.pk}/",
    )
    for address in addresses:
        answer = admin_client.get(address)
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/pdf")
        assert "no-store" in answer.headers["Cache-Control"]
    for missing in (f"{INVOICES}pdf/{estimate.pk}/", f"{INVOICES}receipt/999/", f"{INVOICES}credit-note/999/"):
        assert admin_client.get(missing).status_code == 404


def test_history(admin_client: Client) -> None:
    draft = make_draft()
    send_invoice(invoice=draft)
    pay(draft)
    page = text(admin_client.get(f"{INVOICES}history/{draft.pk}/"))
    for words in ("Created", "Issued", "Sent to", "Paid $100.00 (Cash)"):
        assert words in page


def test_editors_have_no_access(sign_in: Callable[[Any], Client]) -> None:
    invoice, draft = make_invoice(), make_draft()
    note = credit_invoice(invoice=invoice, amount_cents=1, reason="x")
    editor = sign_in(people.bob())
    pages = ("", "new/", f"edit/{draft.pk}/", f"inspect/{draft.pk}/", f"pdf/{draft.pk}/", f"credit-note/{note.pk}/")
    for page in pages:
        assert editor.get(INVOICES + page).status_code in {302, 403}
    editor.post(f"{INVOICES}new/", invoice_form(draft.client))
    editor.post(f"{INVOICES}edit/{draft.pk}/", invoice_form(draft.client, reference="X"))
    assert (Invoice.objects.count(), reloaded(draft).reference) == (2, "")
    assert INVOICES not in text(editor.get("/admin/"))


def test_managers_have_access(sign_in: Callable[[Any], Client]) -> None:
    draft = make_draft()
    manager = sign_in(people.mallory_manager())
    assert manager.get(f"{INVOICES}inspect/{draft.pk}/").status_code == 200
    assert manager.post(f"{ESTIMATES}new/", invoice_form(draft.client)).status_code == 302
    assert INVOICES in text(manager.get("/admin/"))


def test_a_copy_leads_to_its_form(admin_client: Client) -> None:
    invoice = make_invoice(item(700), reference="PO-3")
    answer = admin_client.post(f"{INVOICES}duplicate/{invoice.pk}/", {"next": INVOICES})
    copy = Invoice.objects.order_by("pk").last()
    assert copy is not None
    assert (copy.is_draft, copy.total_cents, copy.reference) == (True, 700, "PO-3")
    assert answer.headers["Location"] == f"{INVOICES}edit/{copy.pk}/"
    assert duplicate_invoice(invoice=copy).pk != copy.pk
