"""The page of an invoice or estimate, which is found by a signed link."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.flags.services import set_setting
from commerce.invoicing.models import Invoice
from commerce.invoicing.selectors.invoices import INVOICE_LINK, today
from commerce.invoicing.services import (
    INVOICES,
    accept_estimate,
    convert_estimate,
    credit_invoice,
    decline_estimate,
    issue_invoice,
    reopen_estimate,
    save_client,
    save_invoice,
    send_invoice,
    void_invoice,
)
from commerce.invoicing.services.pdfs import pdf_of
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment
from commerce.payments.types import PaymentStatus
from tests.visitor import hidden

from .builders import item, make_client, make_draft, make_estimate, make_invoice, make_overdue, make_void, pay, reloaded

pytestmark = pytest.mark.django_db
DAY = date(2099, 3, 4)


@pytest.fixture
def payable_online() -> None:
    set_setting(key="payments.allow_test_payments", value=True)


def text(answer: Any) -> str:
    return " ".join(str(answer.content.decode()).split())


def page(invoice: Invoice) -> str:
    answer = Client().get(INVOICE_LINK.path(invoice))
    assert answer.status_code == 200
    return text(answer)


def test_it_works(payable_online: None) -> None:
    set_setting(key="site.name", value="The Old Mill")
    set_setting(key="taxes.business_details", value="The Old Mill Ltd; 1 Mill Lane")
    client = make_client("Reyes Ceramics", contact_name="Dana Reyes", street="14 Canal Street", country="US")
    sold = item(75_000, "4.5", tax="8.25", tax_label="Sales tax", description="Hall <b>hire</b>", discount_percent="10")
    invoice = make_invoice(sold, client=client, due_date=DAY, reference="PO-4711", notes="Thank you.", terms="30 days.")
    shown = page(invoice)
    for words in (
        *("Invoice INV-1001", "Due March 4, 2099", "Amount due", "$3,288.09", "Pay $3,288.09", "Invoice (PDF)"),
        *("The Old Mill<br>", "1 Mill Lane", "Reyes Ceramics", "Dana Reyes", "14 Canal Street", "PO-4711"),
        *("Hall &lt;b&gt;hire&lt;/b&gt;", "10% discount", "4.5", "$750.00", "8.25%", "$3,037.50", "Subtotal", "Sales tax 8.25%"),
        *("Thank you.", "30 days."),
    ):
        assert words in shown, words
    for words in ("Payments", "Credit notes", "Balance due", "Accept", "Draft"):
        assert words not in shown, words


def test_each_status_in_the_words_of_clients(payable_online: None) -> None:
    day = today()
    for due, words in ((day, "Due today"), (day - timedelta(1), "Overdue"), (DAY, "Due March 4, 2099")):
        shown = page(make_overdue(due=due))
        assert words in shown
        assert "Pay $100.00" in shown
    unlimited = make_invoice(due_days=None, due_date=None)
    assert "Payment due" in page(unlimited)
    pay(unlimited, 1)
    assert "Partly paid" in page(unlimited)
    partly = make_invoice(due_date=DAY)
    pay(partly, 1)
    assert "Partly paid, due March 4, 2099" in page(partly)
    processing = make_invoice()
    Invoice.objects.filter(pk=processing.pk).update(is_processing=True)
    assert "Payment on its way" in page(processing)
    assert "Pay $" not in page(processing)
    paid = make_invoice()
    pay(paid)
    void = make_invoice()
    void_invoice(invoice=void)
    credited = make_invoice()
    credit_invoice(invoice=credited, reason="Not needed.")
    for each, words in ((paid, "Paid on"), (void, "There&#x27;s nothing to pay."), (credited, "Credited in full")):
        assert words.replace("&#x27;", "'") in page(each)
        assert "Pay $" not in page(each)
        assert "Amount due" not in page(each)


def test_without_online_payment_there_is_no_button() -> None:
    set_setting(key="payments.allow_test_payments", value=False)
    assert "Pay $" not in page(make_invoice())


@pytest.mark.django_db(transaction=True)
def test_payments_refunds_and_credit_notes_are_listed(payable_online: None) -> None:
    invoice = make_invoice(item(30_000))
    first, second = make_invoice(), pay(invoice, 10_000, method="bank_transfer")
    foreign = pay(first)
    credit_invoice(invoice=invoice, amount_cents=5_000, reason="One hour less was needed.")
    INVOICES.refund(invoice, amount_cents=2_500)
    shown = page(invoice)
    for words in ("Bank transfer", "Refund", "$25.00", "One hour less was needed.", "CN-1001 (PDF)", "Balance due", "$175.00"):
        assert words in shown, words
    path = INVOICE_LINK.path(invoice)
    for below, status in (
        *((f"receipts/{second.pk}/", 200), (f"receipts/{foreign.pk}/", 404), ("receipts/99999999999999999999999/", 404)),
        *(("credit-notes/CN-1001/", 200), ("credit-notes/CN-1002/", 404)),
    ):
        answer = Client().get(path + below)
        assert answer.status_code == status, below
        if status == 200:
            assert below in shown
            assert answer.content.startswith(b"%PDF-")
            assert "no-store" in answer.headers["Cache-Control"]
    assert Client().get(f"{INVOICE_LINK.path(first)}credit-notes/CN-1001/").status_code == 404


def test_the_stored_document_is_served() -> None:
    invoice = make_invoice()
    answer = Client().get(INVOICE_LINK.path(invoice) + "pdf/")
    assert answer.content == pdf_of(invoice)
    assert answer.headers["Content-Disposition"] == 'inline; filename="INV-1001.pdf"'
    assert Client().get(INVOICE_LINK.path(make_estimate()) + "pdf/").content.startswith(b"%PDF-")


@pytest.mark.parametrize("below", ["", "pdf/", "pay/", "decision/", "receipts/1/", "credit-notes/CN-1001/"])
def test_what_nobody_may_see(below: str) -> None:
    draft, discarded, reopened = make_draft(), make_void(), make_estimate()
    reopen_estimate(estimate=reopened)
    for token in [INVOICE_LINK.token(each) for each in (draft, discarded, reopened)]:
        path = f"/invoices/{token}/{below}"
        answer = Client().post(path) if below in {"pay/", "decision/"} else Client().get(path)
        assert answer.status_code == 404, token


def test_a_link_is_kept_secret_and_reading_changes_nothing() -> None:
    estimate = make_estimate(item(), item())
    before = Invoice.objects.filter(pk=estimate.pk).values().get()
    answer = Client().get(INVOICE_LINK.path(estimate))
    assert "no-store" in answer.headers["Cache-Control"]
    assert "noindex" in answer.headers["X-Robots-Tag"]
    assert Invoice.objects.filter(pk=estimate.pk).values().get() == before
    for below in ("pay/", "decision/"):
        assert Client().get(INVOICE_LINK.path(estimate) + below).status_code == 405
        assert Client(enforce_csrf_checks=True).post(INVOICE_LINK.path(estimate) + below).status_code == 403


@pytest.mark.django_db(transaction=True)
def test_an_invoice_is_paid_from_its_page(payable_online: None) -> None:
    invoice = make_invoice()
    visitor, path = Client(), INVOICE_LINK.path(invoice)
    answer = visitor.post(path + "pay/")
    assert (answer.status_code, Payment.objects.get().amount_cents) == (302, 10_000)
    # A second press leads to the same page.
    assert visitor.post(path + "pay/").headers["Location"] == answer.headers["Location"]
    decide_test_payment(payment=Payment.objects.get(), status=PaymentStatus.SUCCEEDED)
    visitor.get(visitor.get(answer.headers["Location"]).headers["Location"], follow=True)
    assert "Paid on" in page(reloaded(invoice))
    assert "This invoice has no balance due." in text(visitor.post(path + "pay/", follow=True))


@pytest.mark.parametrize(
    ("make", "words"), [(make_estimate, "An estimate can&#x27;t be paid."), (make_invoice, "This invoice is void.")]
)
def test_what_cannot_be_paid(make: Any, words: str, payable_online: None) -> None:
    invoice = make()
    if invoice.is_invoice:
        void_invoice(invoice=invoice)
    assert words in text(Client().post(INVOICE_LINK.path(invoice) + "pay/", follow=True))
    assert not Payment.objects.exists()


def decide(estimate: Invoice, decision: str = "accept", name: str = "Dana Reyes", note: str = "") -> Any:
    return Client().post(
        INVOICE_LINK.path(estimate) + "decision/", {"decision": decision, "name": name, "note": note}, follow=True
    )


@pytest.mark.parametrize(("decision", "word"), [("accept", "Accepted"), ("decline", "Declined")])
def test_an_estimate_is_answered(decision: str, word: str) -> None:
    estimate = make_estimate(due_date=DAY)
    assert "Valid until March 4, 2099" in page(estimate)
    answer = decide(estimate, decision, note="In May, please.")
    assert f"{word} by Dana Reyes on" in text(answer)
    assert "Accept estimate" not in text(answer)
    assert (reloaded(estimate).decided_by, reloaded(estimate).decision_note) == ("Dana Reyes", "In May, please.")
    # Again, and the other way: the page says how it stands.
    for second in ("accept", "decline"):
        answer = decide(estimate, second, name="Somebody Else")
        assert answer.status_code == 200
        assert f"{word} by Dana Reyes on" in text(answer)


@pytest.mark.parametrize("decision", ["accept", "decline"])
def test_an_estimate_that_was_changed_meanwhile_is_shown_again_first(decision: str) -> None:
    estimate = make_estimate(item(10_000))
    path = INVOICE_LINK.path(estimate)

    def answer(sent_at: str) -> Any:
        sent = {"decision": decision, "name": "Dana Reyes", "note": "", "sent_at": sent_at}
        return Client().post(f"{path}decision/", sent, follow=True)

    before = hidden(Client(), path)["sent_at"]
    reopen_estimate(estimate=estimate)
    save_invoice(values={"items": [item(20_000)]}, invoice=reloaded(estimate))
    send_invoice(invoice=reloaded(estimate))
    shown = answer(before)
    assert (shown.status_code, reloaded(estimate).status) == (422, "sent")
    assert "This estimate has been changed since you opened it." in text(shown)
    assert "$200.00" in text(shown)
    (now,) = re.findall(r'name="sent_at" value="([^"]+)"', shown.content.decode())
    assert answer(now).status_code == 200
    assert reloaded(estimate).decided_by == "Dana Reyes"


@pytest.mark.parametrize(
    ("name", "note", "words"),
    [
        ("", "", "Enter your name."),
        ("  ", "", "Enter your name."),
        ("x" * 1000, "", "Ensure this value has at most"),
        ("Dana", "x" * 1000, "Ensure this value has at most"),
        ("Da\nna", "", "must be a single line"),
    ],
)
def test_mistakes_are_shown_at_the_fields(name: str, note: str, words: str) -> None:
    estimate = make_estimate()
    answer = decide(estimate, name=name, note=note)
    assert answer.status_code == 422
    shown = text(answer)
    assert words in shown.partition('<p class="form__error"')[2]
    assert "<title>Error: Estimate EST-1001" in shown
    assert reloaded(estimate).status == "sent"


def test_an_estimate_that_has_expired() -> None:
    estimate = make_overdue(kind="estimate")
    shown = page(estimate)
    assert "Expired on January 31, 2026" in shown
    assert "Accept" not in shown
    assert "This estimate has expired." in text(decide(estimate))
    assert reloaded(estimate).status == "sent"


@pytest.mark.parametrize("data", [{}, {"decision": "steal"}, {"name": "Dana"}])
def test_a_decision_that_does_not_exist(data: dict[str, str]) -> None:
    assert Client().post(INVOICE_LINK.path(make_estimate()) + "decision/", data).status_code == 404


def test_an_invoice_is_not_accepted() -> None:
    assert decide(make_invoice()).status_code == 404


@pytest.mark.both_databases
@pytest.mark.parametrize("is_other_client", [True, False])
def test_an_estimate_does_not_lead_to_the_invoice_of_somebody_else(is_other_client: bool) -> None:
    client = make_client(email="dana@example.com")
    estimate = make_estimate(client=client)
    draft = convert_estimate(estimate=estimate)
    if is_other_client:
        draft = save_invoice(invoice=draft, values={"client": make_client(email="ruth@example.com")})
    else:
        save_client(client=client, values={"email": "new@example.com"})
    assert issue_invoice(invoice=reloaded(draft))
    assert INVOICE_LINK.path(reloaded(draft)) not in page(reloaded(estimate))


def test_an_estimate_leads_to_its_invoice_once_that_is_issued() -> None:
    estimate = make_estimate()
    accept_estimate(estimate=estimate, name="Dana Reyes")
    invoice = convert_estimate(estimate=estimate)
    assert "INV-1001" not in page(estimate)
    issue_invoice(invoice=invoice)
    assert INVOICE_LINK.path(invoice) in page(estimate)


def test_a_name_is_escaped() -> None:
    estimate = make_estimate()
    decline_estimate(estimate=estimate, name="<script>alert(1)</script>")
    assert "Declined by &lt;script&gt;" in page(estimate)


@pytest.mark.both_databases
def test_the_number_of_statements_is_the_same_for_many(payable_online: None) -> None:
    counted = []
    for many in (1, 9):
        invoice = make_invoice(*[item(10_000)] * many)
        for _ in range(many):
            pay(invoice, 100)
            credit_invoice(invoice=invoice, amount_cents=100, reason="Less.")
        page(invoice)
        with CaptureQueriesContext(connection) as queries:
            page(invoice)
        counted.append(len(queries))
    assert counted[0] == counted[1]
