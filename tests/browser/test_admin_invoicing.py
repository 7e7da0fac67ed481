"""An invoice is written in the admin for a client that is created on the way; axe finds nothing on its pages."""

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import switch_feature
from commerce.invoicing.demo import load
from commerce.invoicing.models import Client, CreditNote, Invoice, RecurringInvoice
from tests import people
from tests.commerce.invoicing.builders import make_client

from .axe import LIGHT, Audit
from .conftest import Open, SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: How long the admin's scripts and transitions may take, in milliseconds.
SETTLE = 300


@pytest.fixture
def admin(open_page: Open, sign_in_page: SignIn) -> tuple[Page, list[str]]:
    """An empty page, signed in as Alice, and what goes wrong on it."""
    switch_feature(name="invoicing", on=True)
    page, problems = open_page("about:blank")
    sign_in_page(page.context, people.alice())
    return page, problems


def test_it_works(admin: tuple[Page, list[str]]) -> None:
    page, problems = admin
    make_client("Nordlicht")
    page.goto("/admin/invoices/new/")
    page.get_by_role("button", name="Choose a client").click()
    page.get_by_role("tab", name="New client").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Reyes Ceramics")
    dialog.get_by_label("Email").fill("dana@example.com")
    dialog.get_by_role("button", name="Create client").click()
    expect(page.get_by_text("Reyes Ceramics")).to_be_visible()
    page.get_by_label("Description").fill("Hire of the great hall")
    page.get_by_label("Unit price").fill("750")
    page.get_by_label("Quantity").fill("2")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_text("Mark as issued")).to_be_visible()
    invoice = Invoice.objects.get()
    assert (invoice.client.name, invoice.total_cents) == ("Reyes Ceramics", 150_000)
    assert problems == []


@pytest.mark.audit
def test_axe_finds_nothing(admin: tuple[Page, list[str]]) -> None:
    page, problems = admin
    load(1, lambda count: None)
    draft = Invoice.objects.filter(kind="invoice", status="draft").order_by("pk")[0].pk
    estimate = Invoice.objects.filter(kind="estimate", status="sent").order_by("pk")[0].pk
    credited, client = CreditNote.objects.order_by("pk")[0].invoice_id, Client.objects.order_by("pk")[0].pk
    recurring = RecurringInvoice.objects.order_by("pk")[0].pk
    audit = Audit(page, LIGHT)
    for path in (
        "",
        f"inspect/{credited}/",
        f"edit/{draft}/",
        f"record-payment/{credited}/",
        f"credit/{credited}/",
        "clients/",
        f"clients/inspect/{client}/",
        f"clients/statement/{client}/",
        "clients/new/",
        "recurring/",
        f"recurring/inspect/{recurring}/",
        f"recurring/edit/{recurring}/",
    ):
        audit.visit(f"/admin/invoices/{path}", settle=SETTLE)
    audit.visit(f"/admin/estimates/inspect/{estimate}/", settle=SETTLE)
    assert audit.found == {}
    assert problems == []
