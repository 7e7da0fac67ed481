"""A client accepts an estimate and pays its invoice in two parts, with a browser that runs no scripts."""

from datetime import date

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.invoicing.models import Invoice
from commerce.invoicing.selectors.invoices import INVOICE_LINK
from commerce.invoicing.services import INVOICES, convert_estimate, credit_invoice, send_invoice
from tests.commerce.invoicing.builders import item, make_client, make_draft, make_estimate, make_invoice, make_overdue, pay

from .axe import Audit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def invoicing_on(transactional_db: None) -> None:
    switch_feature(name="invoicing", on=True)
    set_setting(key="payments.allow_test_payments", value=True)


def link_in(template: str) -> str:
    """Return the path of the page that the latest email of a kind links to."""
    text = OutgoingMail.objects.filter(template=template).latest("pk").text
    path = next(word for word in text.split() if "/invoices/" in word)
    return path[path.index("/invoices/") :]


def test_it_works(invoicing_on: None, plain_page: Page) -> None:
    client = make_client("Reyes Ceramics", contact_name="Dana Reyes", email="dana@example.com")
    estimate = make_draft(item(75_000, 2, tax=20), client=client, kind="estimate")
    send_invoice(invoice=estimate)
    visitor = plain_page
    visitor.goto(link_in("estimate_sent"))
    visitor.get_by_role("button", name="Accept estimate").click()
    expect(visitor.get_by_role("alert")).to_contain_text("Enter your name.")
    visitor.get_by_label("Your name").fill("Dana Reyes")
    visitor.get_by_role("button", name="Accept estimate").click()
    expect(visitor.get_by_text("Accepted by Dana Reyes on")).to_be_visible()

    invoice = convert_estimate(estimate=estimate)
    send_invoice(invoice=invoice)
    INVOICES.record_payment(invoice, {"method": "check", "amount_cents": 80_000, "reference": "2207"})
    visitor.goto(link_in("invoice_sent"))
    expect(visitor.get_by_role("heading", level=1)).to_have_text("Invoice INV-1001")
    visitor.get_by_role("button", name="Pay $1,000.00").click()
    visitor.get_by_role("button", name="Pay $1,000.00").click()
    expect(visitor.get_by_text("Paid on")).to_be_visible()
    expect(visitor.get_by_role("link", name="Receipt (PDF)")).to_have_count(2)
    receipts = OutgoingMail.objects.filter(template="invoice_receipt").order_by("pk")
    assert ["$800.00" in receipts[0].text, "$1,000.00" in receipts[1].text, receipts.count()] == [True, True, 2]
    assert link_in("invoice_receipt") == INVOICE_LINK.path(invoice)
    assert Invoice.objects.get(pk=invoice.pk).status == "paid"


def test_axe_finds_nothing(invoicing_on: None, page: Page) -> None:
    audit = Audit(page)
    sold = [item(75_000, 2, tax="8.25", discount_percent=10), item(8_000, "4.5", description="A" * 60)]
    partly = make_overdue(*sold, due=date(2026, 1, 31), notes="Thank you.", terms="30 days.", reference="PO-4711")
    pay(partly, 10_000)
    credit_invoice(invoice=partly, amount_cents=5_000, reason="One hour less was needed.")
    for name, invoice in (("overdue", partly), ("invoice", make_invoice(*sold)), ("expired", make_overdue(kind="estimate"))):
        audit.visit(INVOICE_LINK.path(invoice), name=name)
    page.goto(INVOICE_LINK.path(make_estimate(*sold)))
    audit.check("estimate")
    page.get_by_role("button", name="Decline estimate").click()
    page.get_by_role("alert").wait_for()
    audit.check("mistakes")
    assert audit.found == {}
