"""Clients and recurring invoices in the admin, the chooser of clients, statements and the cards of the home."""

import csv
import io
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.adminkit.cards import Card
from cms_api.flags.services import switch_feature
from commerce.crm.models import Contact
from commerce.invoicing.admin import cards
from commerce.invoicing.models import Client as Customer
from commerce.invoicing.models import Invoice, RecurringInvoice
from commerce.invoicing.services import accept_estimate, convert_estimate
from commerce.invoicing.services.recurring import create_due_invoices
from tests import people

from .admin_forms import item_row, recurring_form
from .builders import item, make_client, make_draft, make_estimate, make_invoice, make_overdue, make_recurring, pay

CLIENTS, RECURRING = "/admin/invoices/clients/", "/admin/invoices/recurring/"
CHOOSER = f"{CLIENTS}choose/"


def text(answer: Any) -> str:
    return str(answer.content.decode())


def shown(admin: Client, address: str = CLIENTS, **query: Any) -> list[str]:
    answer = admin.get(address, query)
    assert answer.status_code == 200
    return [str(record) for record in answer.context["object_list"]]


def client_form(**changes: str) -> dict[str, str]:
    names = ("contact_name", "phone", "tax_id", "street", "street2", "city", "state", "postal_code", "country", "notes")
    return {"name": "Nordlicht", "email": "lena@example.com", **dict.fromkeys(names, ""), **changes}


def test_it_works(admin_client: Client) -> None:
    form = client_form(contact_name="Lena Brandt", street="Hafenstrasse 12", city="Hamburg", country="DE", tax_id="DE1")
    answer = admin_client.post(f"{CLIENTS}new/", form)
    client = Customer.objects.get()
    assert answer.headers["Location"] == f"{CLIENTS}inspect/{client.pk}/"
    invoice = make_overdue(client=client)
    pay(invoice, 1_000)
    make_estimate(client=client)
    page = text(admin_client.get(CLIENTS))
    for words in ("Nordlicht", "Lena Brandt", "Germany", "$90.00"):
        assert words in page
    page = text(admin_client.get(f"{CLIENTS}inspect/{client.pk}/"))
    for words in ("Hafenstrasse 12", "DE1", "$90.00", "Overdue", "EST-1001", f"/admin/invoices/new/?client={client.pk}"):
        assert words in page
    admin_client.post(f"{CLIENTS}edit/{client.pk}/", {**form, "name": "Nordlicht AG"})
    assert Customer.objects.get().name == "Nordlicht AG"


def test_the_form_shows_the_country(admin_client: Client) -> None:
    known, other = make_client(country="Germany"), make_client(country="Atlantis")
    for client, code in ((known, "DE"), (other, "Atlantis")):
        form = admin_client.get(f"{CLIENTS}edit/{client.pk}/").context["form"]
        assert form.initial["country"] == code
        assert code in dict(form.fields["country"].choices)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": "a\0b"}, "name"),
        ({"email": "nobody"}, "email"),
        ({"country": "XX"}, "country"),
    ],
)
def test_refusals_are_shown_at_their_fields(admin_client: Client, changes: dict[str, str], field: str) -> None:
    answer = admin_client.post(f"{CLIENTS}new/", client_form(**changes))
    assert (answer.status_code, set(answer.context["form"].errors)) == (200, {field})
    assert not Customer.objects.exists()


def test_clients_with_invoices_stay(admin_client: Client) -> None:
    billed, other = make_draft().client, make_client()
    admin_client.post(f"{CLIENTS}delete/{billed.pk}/")
    admin_client.post(f"{CLIENTS}delete/{other.pk}/")
    assert list(Customer.objects.all()) == [billed]


@pytest.mark.both_databases
def test_filters_search_and_csv(admin_client: Client) -> None:
    make_client("Quiet")
    owing, late = make_invoice(client=make_client("Owing")).client, make_overdue(client=make_client("Late")).client
    pay(make_invoice(client=make_client("Paid")))
    assert shown(admin_client) == ["Late", "Owing", "Paid", "Quiet"]
    assert shown(admin_client, balance="outstanding") == ["Late", "Owing"]
    assert shown(admin_client, balance="overdue") == [late.name]
    assert shown(admin_client, q=owing.email) == [owing.name]
    for query in ({"balance": "\0"}, {"q": "\0"}, {"created_at_from": "x"}, {"ordering": "open_cents"}):
        assert admin_client.get(CLIENTS, query).status_code == 200
    rows = list(csv.DictReader(io.StringIO(admin_client.get(CLIENTS, {"export": "csv"}).getvalue().decode("utf-8-sig"))))
    assert {row["Name"]: row["Open balance"] for row in rows} == {
        "Late": "100.00",
        "Owing": "100.00",
        "Paid": "0.00",
        "Quiet": "0.00",
    }


@pytest.mark.both_databases
def test_lists_take_a_constant_number_of_statements(admin_client: Client) -> None:
    def statements(address: str) -> int:
        admin_client.get(address)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(address).status_code == 200
        return len(caught)

    def make() -> None:
        client = make_invoice().client
        make_invoice(client=first)
        make_recurring(client=client, starts_on=date(2030, 1, 31))

    first = make_client()
    addresses = (CLIENTS, RECURRING, CHOOSER, f"{CLIENTS}inspect/{first.pk}/")
    make()
    before = [statements(address) for address in addresses]
    for _ in range(5):
        make()
    assert [statements(address) for address in addresses] == before


def test_the_contact_is_linked_while_the_crm_is_on(admin_client: Client) -> None:
    switch_feature(name="crm", on=True)
    client = make_client()
    contact = Contact.objects.get()
    address = f"/admin/crm/contacts/inspect/{contact.pk}/"
    assert address in text(admin_client.get(f"{CLIENTS}inspect/{client.pk}/"))
    switch_feature(name="crm", on=False)
    assert address not in text(admin_client.get(f"{CLIENTS}inspect/{client.pk}/"))


@pytest.mark.both_databases
def test_statements(admin_client: Client) -> None:
    client = make_invoice(client=make_client("Nordlicht"), issue_date=date(2026, 5, 4)).client
    address = f"{CLIENTS}statement/{client.pk}/"
    assert "Create statement" in text(admin_client.get(address))
    period = {"first": "2026-05-01", "last": "2026-05-31"}
    pdf = admin_client.get(address, {**period, "format": "pdf"})
    assert (pdf.headers["Content-Type"], pdf.content[:5]) == ("application/pdf", b"%PDF-")
    file = admin_client.get(address, {**period, "format": "csv"})
    assert file.headers["Content-Disposition"] == 'attachment; filename="statement-nordlicht-2026-05-31.csv"'
    assert "INV-1001" in text(file)
    for query in (
        {"first": "2026-06-01"},
        {"last": "x"},
        {"format": "xls"},
        {"first": "\0"},
        {"last": "9999-12-31"},
        {"first": "0001-01-01"},
    ):
        assert admin_client.get(address, {**period, "format": "pdf", **query}).status_code == 200
    assert admin_client.get(f"{CLIENTS}statement/999/").status_code == 404


def test_the_chooser(admin_client: Client) -> None:
    client, other = make_client("Nordlicht"), make_client("Hale & Sons")
    assert "Hale" in text(admin_client.get(CHOOSER))
    found = text(admin_client.get(f"{CHOOSER}results/", {"q": "nord"}))
    assert ("Nordlicht" in found, "Hale" in found) == (True, False)
    chosen = admin_client.get(f"{CHOOSER}chosen/{client.pk}/").json()
    assert (chosen["result"]["id"], chosen["result"]["title"]) == (str(client.pk), "Nordlicht")
    assert str(other.pk) in text(admin_client.get(f"{CHOOSER}chosen-multiple/", {"id": [other.pk, "x", "9" * 30]}))
    for pk in ("x", "999", "9" * 30):
        assert admin_client.get(f"{CHOOSER}chosen/{pk}/").status_code == 404


def test_a_client_is_created_in_the_chooser(admin_client: Client) -> None:
    answer = admin_client.post(f"{CHOOSER}create/", {"name": "Nordlicht", "email": "Lena@Example.com"})
    client = Customer.objects.get()
    assert (answer.json()["step"], answer.json()["result"]["id"], client.email) == ("chosen", str(client.pk), "lena@example.com")
    for name, email in (("", "a@example.com"), ("A", "x"), ("a\0b", "a@example.com"), ("x" * 201, "a@example.com")):
        refused = admin_client.post(f"{CHOOSER}create/", {"name": name, "email": email})
        assert refused.json()["step"] == "reshow_creation_form"
    assert Customer.objects.count() == 1


def test_editors_have_no_access(sign_in: Callable[[Any], Client]) -> None:
    client = make_client("Nordlicht")
    recurring = make_recurring(client=client, starts_on=date(2030, 1, 31))
    editor = sign_in(people.bob())
    pages = ("", "new/", f"inspect/{client.pk}/", f"statement/{client.pk}/", "choose/", "choose/results/", "choose/create/")
    for page in (*pages, f"choose/chosen/{client.pk}/", "choose/chosen-multiple/"):
        answer = editor.get(CLIENTS + page)
        assert answer.status_code in {302, 403}
        assert "Nordlicht" not in text(answer)
    editor.post(f"{CHOOSER}create/", {"name": "A", "email": "a@example.com"})
    editor.post(f"{RECURRING}pause/{recurring.pk}/")
    editor.post(f"{CLIENTS}delete/{client.pk}/")
    recurring.refresh_from_db()
    assert (recurring.is_active, Customer.objects.count()) == (True, 1)
    manager = sign_in(people.mallory_manager())
    assert manager.get(CHOOSER).status_code == 200


def test_recurring_invoices(admin_client: Client) -> None:
    client = make_client("Nordlicht")
    form = recurring_form(client, item_row(tax_percent="20", tax_label="VAT"), discount_percent="10")
    answer = admin_client.post(f"{RECURRING}new/", form)
    recurring = RecurringInvoice.objects.get()
    assert answer.headers["Location"] == f"{RECURRING}inspect/{recurring.pk}/"
    assert (recurring.next_on, recurring.delivery, recurring.due_days) == (date(2030, 1, 31), "draft", 14)
    page = text(admin_client.get(RECURRING))
    for words in ("Retainer", "Nordlicht", "Every month", "Active", "Pause"):
        assert words in page
    shown_form = admin_client.get(f"{RECURRING}edit/{recurring.pk}/").context["form"]
    (block,) = shown_form.initial["items_editor"]
    assert (block.value["unit_price_cents"], block.value["tax_percent"]) == (1250, 20)
    admin_client.post(f"{RECURRING}edit/{recurring.pk}/", {**form, "every": "3", "ends_on": "2030-12-31"})
    assert "Every 3 months" in text(admin_client.get(f"{RECURRING}inspect/{recurring.pk}/"))
    for action, label in (("pause", "Paused"), ("resume", "Active")):
        admin_client.post(f"{RECURRING}{action}/{recurring.pk}/")
        assert label in text(admin_client.get(f"{RECURRING}inspect/{recurring.pk}/"))
    admin_client.post(f"{RECURRING}delete/{recurring.pk}/")
    assert not RecurringInvoice.objects.exists()


def test_a_recurring_invoice_in_another_currency_is_written_in_it(admin_client: Client) -> None:
    """The site has had yen, which have no decimals."""
    client = make_client()
    recurring = make_recurring(item(1500), client=client, starts_on=date(2030, 1, 31))
    RecurringInvoice.objects.update(currency="jpy", discount_cents=200)
    page = f"{RECURRING}edit/{recurring.pk}/"
    shown = text(admin_client.get(page))
    kept = "Stays in JPY. For amounts in USD, create a new one."
    for words in ("Discount as an amount (JPY)", 'value="200"', "&quot;1500&quot;", kept):
        assert words in shown
    for typed, cents in (("1500", 1500), ("2,000", 2000)):
        form = recurring_form(client, item_row(quantity="1", unit_price_cents=typed), discount="200", notes="Thanks")
        assert admin_client.post(page, form).status_code == 302
        recurring.refresh_from_db()
        stored = (recurring.currency, recurring.items[0]["unit_price_cents"], recurring.discount_cents, recurring.notes)
        assert stored == ("jpy", cents, 200, "Thanks")


def test_a_plan_that_makes_no_sense_is_refused(admin_client: Client) -> None:
    for changes, words in [
        ({"starts_on": ""}, "This field is required"),
        ({"ends_on": "2030-01-30"}, "must not be before the first"),
        ({"every": "61"}, "less than or equal to 60"),
        ({"items_editor-0-value-quantity": "x"}, "Enter a number from 0"),
        ({"discount": "1", "discount_percent": "1"}, "as an amount or as a percentage"),
    ]:
        answer = admin_client.post(f"{RECURRING}new/", recurring_form(make_client(), **changes))
        assert (answer.status_code, words in text(answer)) == (200, True)
        assert not RecurringInvoice.objects.exists()


def test_invoices_of_a_recurring_one(admin_client: Client) -> None:
    recurring = make_recurring(starts_on=date(2030, 1, 31), delivery="draft")
    RecurringInvoice.objects.update(next_on=date(2026, 1, 1))
    create_due_invoices()
    invoice = Invoice.objects.get()
    assert f"/admin/invoices/inspect/{invoice.pk}/" in text(admin_client.get(f"{RECURRING}inspect/{recurring.pk}/"))
    assert f"{RECURRING}inspect/{recurring.pk}/" in text(admin_client.get(f"/admin/invoices/inspect/{invoice.pk}/"))


def test_recurring_invoices_by_state(admin_client: Client) -> None:
    names = {
        "active": {},
        "paused": {"is_active": False},
        "ended": {"next_on": None},
        "problem": {"problem": "No.", "is_active": False},
    }
    for name, columns in names.items():
        made = make_recurring(name=name, starts_on=date(2030, 1, 31))
        if columns:
            RecurringInvoice.objects.filter(pk=made.pk).update(**columns)
    for name in names:
        assert shown(admin_client, RECURRING, state=name) == [name]
    assert shown(admin_client, RECURRING, q="act") == ["active"]
    page = text(admin_client.get(RECURRING))
    for words in ("Needs attention", "No.", "Ended", "Paused"):
        assert words in page
    assert admin_client.get(RECURRING, {"export": "csv"}).getvalue().count(b"\n") == 5


def home(person: Any) -> dict[str, Card]:
    request = people.request_by(person)
    made = [
        cards.create(request),
        *cards.invoices(request),
        cards.sum_paid(request),
        cards.estimates(request),
        cards.recurring(request),
    ]
    return {card.title: card for card in made if card and card.count}


def test_cards() -> None:
    alice = people.alice()
    assert set(home(alice)) == {"Invoice", "Outstanding", "Invoices paid this month"}
    make_overdue()
    pay(make_invoice(), 2_500)
    estimate = make_estimate()
    accept_estimate(estimate=estimate, name="Dana")
    recurring = make_recurring(starts_on=date(2030, 1, 31))
    RecurringInvoice.objects.filter(pk=recurring.pk).update(problem="No.")
    found = home(alice)
    assert found["Overdue invoices"].count == 1
    assert found["Outstanding"].text == "$175.00 from 2 invoices"
    assert found["Invoices paid this month"].text == "$25.00"
    assert (found["Accepted estimates"].count, found["Stopped recurring invoices"].urgent) == (1, True)
    convert_estimate(estimate=estimate)
    assert "Accepted estimates" not in home(alice)


def test_what_cards_lead_to(sign_in: Callable[[Any], Client]) -> None:
    make_overdue()
    alice = people.alice()
    admin = sign_in(alice)
    for card in home(alice).values():
        assert admin.get(card.url).status_code == 200
