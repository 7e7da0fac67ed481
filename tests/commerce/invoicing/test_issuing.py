"""Issuing: numbers, and documents that never change again; voiding; the client's contact."""

from collections.abc import Callable
from decimal import Decimal
from hashlib import sha256

import pytest

from cms_api.flags.services import set_setting, switch_feature
from commerce.common.services import save_tax_rule
from commerce.crm.models import Activity, Contact
from commerce.crm.types import ActivityKind
from commerce.invoicing.models import Invoice
from commerce.invoicing.services import (
    credit_invoice,
    delete_client,
    issue_invoice,
    reopen_estimate,
    save_client,
    save_invoice,
    send_invoice,
    void_invoice,
)
from commerce.invoicing.services.pdfs import pdf_of, typeset_stored
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, start_payment
from commerce.payments.types import PaymentStatus
from tests.commerce.shop.outcomes import outcome

from .builders import item, make_client, make_draft, make_estimate, make_invoice, make_void, pay, reloaded


@pytest.mark.both_databases
def test_it_works() -> None:
    draft = make_draft(item(tax=20))
    assert (draft.number, draft.status) == ("INV-1001", "draft")
    assert issue_invoice(invoice=draft)
    assert not issue_invoice(invoice=draft)
    assert (reloaded(draft).number, reloaded(draft).status, reloaded(draft).balance_due_cents) == ("INV-1001", "sent", 12_000)


@pytest.mark.parametrize("on_issue", [False, True])
def test_numbers(on_issue: bool) -> None:
    set_setting(key="invoicing.number_on_issue", value=on_issue)
    first, second = make_draft(), make_draft()
    issue_invoice(invoice=second)
    issue_invoice(invoice=first)
    numbers = [reloaded(record).number for record in (first, second, make_void(), make_estimate())]
    assert numbers == (["INV-1002", "INV-1001"] if on_issue else ["INV-1001", "INV-1002"]) + ["INV-1003", "EST-1001"]


@pytest.mark.both_databases
def test_what_was_issued_never_changes() -> None:
    set_setting(key="taxes.business_details", value="Our House; 1 Old Street")
    rule = save_tax_rule(values={"country": "US", "label": "Tax", "percent": Decimal(8)})
    client = make_client("Reyes Ceramics", street="14 Canal Street", city="Brattleboro")
    invoice = make_invoice(item(tax=8), client=client)
    kept = Invoice.objects.filter(pk=invoice.pk).values().get()
    typeset_stored(invoice.pdf.pk)
    invoice.pdf.refresh_from_db()
    stored, digest = pdf_of(invoice), invoice.pdf.sha256
    assert sha256(stored).hexdigest() == digest
    save_client(client=client, values={"name": "Reyes & Sons", "street": "1 New Street", "email": "sons@example.com"})
    for key, value in {
        "taxes.business_details": "Our House; 2 New Street",
        "taxes.prices_include_tax": True,
        "site.name": "Another name",
        "invoicing.terms": "Other terms",
        "invoicing.due_days": 1,
    }.items():
        set_setting(key=key, value=value)
    save_tax_rule(rule=rule, values={"percent": Decimal(9)})
    send_invoice(invoice=invoice)
    assert Invoice.objects.filter(pk=invoice.pk).values().get() == kept
    for change in (
        lambda: save_invoice(invoice=invoice, values={"items": [item(1)]}),
        lambda: save_invoice(invoice=invoice, values={"client": make_client()}),
        lambda: reopen_estimate(estimate=invoice),
    ):
        assert outcome(change) == "status"
    pay(invoice, 1_000)
    credit_invoice(invoice=invoice, amount_cents=500, reason="Less work.")
    after = reloaded(invoice)
    assert (pdf_of(after), after.pdf.sha256) == (stored, digest)
    assert outcome(lambda: delete_client(client=client)) == "client"


def test_a_draft_takes_over_what_has_changed() -> None:
    client = make_client("Reyes Ceramics")
    draft = make_draft(client=client)
    save_client(client=client, values={"name": "Reyes & Sons"})
    issue_invoice(invoice=draft)
    assert reloaded(draft).client_name == "Reyes & Sons"


@pytest.mark.django_db(transaction=True)
def test_voiding() -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    invoice = make_invoice()
    start_payment(payable="invoice", record_id=invoice.pk)
    assert void_invoice(invoice=invoice, reason="Sent twice.")
    assert not void_invoice(invoice=invoice)
    void = reloaded(invoice)
    assert (void.status, void.balance_due_cents, void.number, void.decision_note) == ("void", 0, "INV-1001", "Sent twice.")
    assert Payment.objects.get().status == "expired"
    for change in (lambda: pay(void), lambda: send_invoice(invoice=void), lambda: issue_invoice(invoice=void)):
        assert outcome(change) == "status"


@pytest.mark.django_db(transaction=True)
def test_invoices_with_money_cannot_be_voided() -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    paid, begun, credited, just_paid, processing = (make_invoice() for _ in range(5))
    pay(paid)
    pay(begun, 1)
    credit_invoice(invoice=credited, amount_cents=1, reason="Less work.")
    for invoice, status in ((just_paid, PaymentStatus.SUCCEEDED), (processing, PaymentStatus.PROCESSING)):
        decide_test_payment(payment=start_payment(payable="invoice", record_id=invoice.pk), status=status)
    for invoice in (paid, begun, credited, just_paid, processing, make_estimate()):
        status = reloaded(invoice).status
        assert outcome(lambda invoice=invoice: void_invoice(invoice=invoice)) == "status"
        assert reloaded(invoice).status in {status, "paid"}
    assert (reloaded(just_paid).status, reloaded(processing).is_processing) == ("paid", True)


@pytest.mark.parametrize("reason", ["a\0b", "x" * 501])
def test_a_wrong_reason(reason: str) -> None:
    assert outcome(lambda: void_invoice(invoice=make_draft(), reason=reason)) == "reason"


def timeline(email: str) -> list[str]:
    rows = Activity.objects.filter(contact__email=email, kind=ActivityKind.INVOICE)
    return list(rows.order_by("pk").values_list("summary", flat=True))


@pytest.mark.both_databases
def test_the_contact_of_a_client() -> None:
    switch_feature(name="crm", on=True)
    client = make_client("Reyes Ceramics", email="dana@example.com", contact_name="Dana Reyes", phone="1 555")
    contact = Contact.objects.get()
    assert client.contact == contact
    assert (contact.email, contact.first_name, contact.last_name, str(contact.company)) == (
        "dana@example.com",
        "Dana",
        "Reyes",
        "Reyes Ceramics",
    )
    invoice = make_invoice(client=client)
    pay(invoice)
    void = make_invoice(client=client)
    void_invoice(invoice=void)
    credit_invoice(invoice=make_invoice(client=client), reason="Less work.", amount_cents=500)
    make_void(client=client)
    assert timeline("dana@example.com") == [
        "Invoice INV-1001 issued ($100.00)",
        "Invoice INV-1001 paid",
        "Invoice INV-1002 issued ($100.00)",
        "Invoice INV-1002 voided",
        "Invoice INV-1003 issued ($100.00)",
        "Invoice INV-1003 credited by $5.00",
    ]


def test_without_the_crm_there_is_no_contact() -> None:
    pay(make_invoice())
    assert not Contact.objects.exists()
    assert not Activity.objects.exists()


@pytest.mark.parametrize("make", [make_invoice, make_estimate])
def test_sending_again(make: Callable[[], Invoice]) -> None:
    record = make()
    updated = record.updated_at
    send_invoice(invoice=record, email="other@example.com")
    assert (reloaded(record).email, reloaded(record).updated_at) == (record.email, updated)
    assert outcome(lambda: send_invoice(invoice=record, email="nowhere")) == "email"


@pytest.mark.parametrize("email", ["old@localhost", ""])
def test_what_cannot_be_mailed_is_neither_issued_nor_sent(email: str) -> None:
    draft = make_draft()
    Invoice.objects.filter(pk=draft.pk).update(email=email)
    assert outcome(lambda: send_invoice(invoice=reloaded(draft))) == "email"
    assert reloaded(draft).status == "draft"
