"""Emails about invoices and estimates: their words, their attachments, and that each is sent once."""

from datetime import date, timedelta
from typing import Any

import pytest

from benchmarks.servers import free_port
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.messages import content_of
from cms_api.mail.services.sending import send_due
from commerce.invoicing.resources.mails import due_sentence
from commerce.invoicing.selectors.invoices import INVOICE_LINK, today
from commerce.invoicing.services import (
    INVOICES,
    accept_estimate,
    convert_estimate,
    credit_invoice,
    decline_estimate,
    send_invoice,
    send_reminder,
)
from commerce.invoicing.services.issuing import BY_HAND
from commerce.invoicing.services.pdfs import pdf_of
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus

from .builders import item, make_client, make_draft, make_estimate, make_invoice, make_overdue, pay, reloaded

pytestmark = pytest.mark.django_db
DAY = date(2099, 3, 4)


@pytest.fixture(autouse=True)
def business(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.com"


def mails(template: str) -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(template=template).order_by("pk"))


def one(template: str) -> OutgoingMail:
    (found,) = mails(template)
    return found


def attached(mail: OutgoingMail) -> list[str]:
    assert all(content_of(each).startswith(b"%PDF-") for each in mail.attachments.all())
    return [each.name for each in mail.attachments.all()]


def test_it_works() -> None:
    client = make_client("Reyes Ceramics", contact_name="Dana Reyes", email="dana@example.com")
    invoice = make_draft(item(18_000), client=client, due_date=DAY)
    send_invoice(invoice=invoice, message="Thank you for <your> order.\n\nSee you soon.")
    mail = one("invoice_sent")
    assert (mail.recipient, mail.reply_to, mail.subject) == (
        "dana@example.com",
        "office@example.com",
        "Invoice INV-1001 from My site",
    )
    for words in ("Hello Dana,", "Thank you for <your> order.", "INV-1001 for $180.00", "It is due on March 4, 2099."):
        assert words in mail.text, words
    assert "<p>Thank you for &lt;your&gt; order.</p>" in mail.html
    assert INVOICE_LINK.url(invoice) in mail.text
    assert INVOICE_LINK.url(invoice) in mail.html
    assert attached(mail) == ["INV-1001.pdf"]
    assert content_of(mail.attachments.get()) == pdf_of(invoice)


def test_an_estimate_and_its_answer() -> None:
    estimate = make_draft(kind="estimate", due_date=DAY)
    send_invoice(invoice=estimate, email="boss@example.com")
    mail = one("estimate_sent")
    assert (mail.recipient, attached(mail)) == ("boss@example.com", ["EST-1001.pdf"])
    assert "You can accept it until March 4, 2099." in mail.text
    for _ in range(2):
        accept_estimate(estimate=estimate, name="Dana Reyes", note="In May, please.")
    answer = one("estimate_decided")
    assert (answer.recipient, answer.reply_to) == ("office@example.com", estimate.email)
    assert answer.subject == f"Estimate EST-1001 accepted by {estimate.client_name}"
    assert "In May, please." in answer.text
    convert_estimate(estimate=estimate)
    decline_estimate(estimate=make_estimate(), name="Dana")
    assert "declined" in mails("estimate_decided")[1].subject


def test_staff_who_record_an_answer_get_no_email(settings: Any, django_user_model: Any) -> None:
    accept_estimate(estimate=make_estimate(), name="Dana", user=django_user_model.objects.create(username="staff"))
    settings.BUSINESS_EMAIL = ""
    accept_estimate(estimate=make_estimate(), name="Dana")
    assert mails("estimate_decided") == []


def test_a_receipt_for_each_payment() -> None:
    invoice = make_invoice(item(30_000))
    pay(invoice, 12_000)
    pay(invoice)
    first, second = mails("invoice_receipt")
    assert attached(first) == ["INV-1001-receipt.pdf"]
    for mail, paid, left in ((first, "$120.00", "$180.00"), (second, "$180.00", "$0.00")):
        assert f"We've received {paid}" in mail.text
        assert f"Balance due: {left}" in mail.text


@pytest.mark.django_db(transaction=True)
def test_one_receipt_for_an_online_payment_that_is_settled_twice() -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    invoice = make_invoice()
    payment = start_payment(payable="invoice", record_id=invoice.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    for _ in range(3):
        settle(payment_id=payment.pk)
    assert attached(one("invoice_receipt")) == ["INV-1001-receipt.pdf"]


def test_receipts_can_be_switched_off() -> None:
    set_setting(key="invoicing.receipts", value=False)
    pay(make_invoice())
    assert mails("invoice_receipt") == []


def test_reminders_before_and_after_the_due_date() -> None:
    day = today()
    coming, over = make_overdue(due=day), make_overdue(due=day - timedelta(days=1))
    for _ in range(2):
        send_reminder(invoice=coming, kind="before")
        send_reminder(invoice=over, kind="after_3")
    before, after = one("invoice_reminder"), one("invoice_overdue")
    assert (before.subject, after.subject) == (
        "Reminder: invoice INV-1001 from My site",
        "Overdue: invoice INV-1002 from My site",
    )
    assert "It is due on" in before.text
    assert "was due on" in after.text
    assert [attached(mail) for mail in (before, after)] == [["INV-1001.pdf"], ["INV-1002.pdf"]]
    # By hand as often as somebody likes.
    for _ in range(2):
        send_reminder(invoice=over, kind=BY_HAND)
    assert len(mails("invoice_overdue")) == 3


@pytest.mark.django_db(transaction=True)
def test_a_credit_note_and_a_refund() -> None:
    invoice = make_invoice(item(30_000))
    pay(invoice)
    credit_invoice(invoice=invoice, amount_cents=5_000, reason="One hour less.")
    credit, refund = one("credit_note"), one("invoice_refunded")
    assert (credit.subject, attached(credit)) == ("Credit note CN-1001 for invoice INV-1001", ["CN-1001.pdf"])
    for words in ("for $50.00", "One hour less.", "Balance due: $0.00"):
        assert words in credit.text
    assert "We have refunded $50.00" in refund.text
    INVOICES.refund(invoice, amount_cents=1_000)
    assert "Balance due: $10.00" in mails("invoice_refunded")[1].text
    credit_invoice(invoice=invoice, amount_cents=500, reason="Quietly.", send_email=False)
    assert len(mails("credit_note")) == 1


@pytest.mark.parametrize(
    ("make", "can_pay", "sentence"),
    [
        (lambda: make_invoice(due_date=DAY), False, "It is due on March 4, 2099."),
        (lambda: make_invoice(due_date=DAY), True, "It is due on March 4, 2099. You can pay online."),
        (make_overdue, False, "It was due on January 31, 2026."),
        (lambda: make_invoice(due_days=None), False, ""),
        (lambda: make_invoice(due_days=None), True, "You can pay online."),
        (lambda: make_invoice(item(0)), True, "It has been paid."),
        (lambda: make_estimate(due_date=DAY), True, "You can accept it until March 4, 2099."),
        (lambda: make_estimate(due_days=None), True, "You can accept it online."),
    ],
)
def test_until_when(make: Any, can_pay: bool, sentence: str) -> None:
    assert due_sentence(make(), today(), can_pay=can_pay) == sentence


def test_until_when_of_payments_on_their_way_and_answers() -> None:
    invoice, estimate = make_invoice(), make_estimate()
    invoice.is_processing = True
    assert due_sentence(invoice, today(), can_pay=True) == "Your payment is on its way."
    accept_estimate(estimate=estimate, name="Dana")
    assert due_sentence(reloaded(estimate), today(), can_pay=True) == "It has been accepted."


def test_a_mail_server_that_is_down_fails_nothing(settings: Any) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = "django.core.mail.backends.smtp.EmailBackend", "127.0.0.1"
    settings.EMAIL_PORT = free_port()
    invoice = make_draft()
    send_invoice(invoice=invoice)
    pay(invoice)
    assert send_due().attempts
    assert reloaded(invoice).status == "paid"
    assert [mail.state for mail in (one("invoice_sent"), one("invoice_receipt"))] == ["waiting", "waiting"]
