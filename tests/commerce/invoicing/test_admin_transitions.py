"""Buttons of invoices and estimates in the admin: when each is offered, and what its form refuses."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from cms_api.adminkit.once import new_key
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.common.admin.amounts import refund_review
from commerce.common.types.money import Money
from commerce.invoicing.models import CreditNote, Invoice
from commerce.invoicing.services import accept_estimate, decline_estimate, void_invoice
from commerce.payments.models import Payment
from commerce.payments.selectors import refundable_cents
from tests import people
from tests.confirming import post_twice

from .builders import item, make_draft, make_estimate, make_invoice, make_void, pay, reloaded

INVOICES, ESTIMATES = "/admin/invoices/", "/admin/estimates/"

Act = Callable[..., Any]


def text(answer: Any) -> str:
    return str(answer.content.decode())


def base(invoice: Invoice) -> str:
    return INVOICES if invoice.is_invoice else ESTIMATES


def mails(template: str) -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(template=template))


@pytest.fixture
def act(admin_client: Client, django_capture_on_commit_callbacks: Any) -> Act:
    """Sends the form of a transition, after which refunds have been sent."""

    def send(action: str, invoice: Invoice, **values: Any) -> Any:
        with django_capture_on_commit_callbacks(execute=True):
            answer = post_twice(admin_client, f"{base(invoice)}{action}/{invoice.pk}/", values)
        invoice.refresh_from_db()
        return answer

    return send


def offered(admin: Client, invoice: Invoice) -> set[str]:
    page = text(admin.get(f"{base(invoice)}inspect/{invoice.pk}/"))
    names = "send|issue|record-payment|remind|credit|refund|void|duplicate|convert|accept|decline|reopen"
    return set(re.findall(rf'"{base(invoice)}({names})/{invoice.pk}/"', page))


def make_paid() -> Invoice:
    invoice = make_invoice()
    pay(invoice)
    return invoice


def make_partial() -> Invoice:
    invoice = make_invoice()
    pay(invoice, 1)
    return invoice


def make_decided(decide: Any) -> Invoice:
    estimate = make_estimate()
    decide(estimate=estimate, name="Dana")
    return estimate


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (make_draft, "send issue record-payment void duplicate"),
        (make_invoice, "send record-payment remind credit void duplicate"),
        (make_partial, "send record-payment remind credit refund duplicate"),
        (make_paid, "send credit refund duplicate"),
        (make_void, "duplicate"),
        (lambda: make_draft(kind="estimate"), "send issue decline duplicate"),
        (make_estimate, "send convert accept decline reopen duplicate"),
        (lambda: make_decided(accept_estimate), "send convert duplicate"),
        (lambda: make_decided(decline_estimate), "reopen duplicate"),
    ],
)
def test_it_works(admin_client: Client, make: Callable[[], Invoice], names: str) -> None:
    assert offered(admin_client, make()) == set(names.split())


ALL = {
    "send": {"email": "a@example.com"},
    "issue": {},
    "record-payment": {"method": "cash"},
    "remind": {},
    "credit": {"reason": "x"},
    "refund": {"reason": "x"},
    "void": {},
}


def test_a_button_that_is_not_offered_does_nothing(admin_client: Client) -> None:
    void = make_void()
    before = Invoice.objects.filter(pk=void.pk).values().get()
    for name, values in ALL.items():
        assert admin_client.get(f"{INVOICES}{name}/{void.pk}/").status_code == 302
        assert admin_client.post(f"{INVOICES}{name}/{void.pk}/", values).status_code == 302
    assert Invoice.objects.filter(pk=void.pk).values().get() == before
    assert not OutgoingMail.objects.exists()
    assert not Payment.objects.exists()


def test_sending(act: Act, admin_client: Client) -> None:
    draft = make_draft()
    assert f'value="{draft.email}"' in text(admin_client.get(f"{INVOICES}send/{draft.pk}/"))
    assert act("send", draft, email="Desk@example.com", message="Hello <b>").status_code == 302
    (mail,) = mails("invoice_sent")
    assert (draft.status, mail.recipient) == ("sent", "desk@example.com")
    for name, value in (("email", ""), ("email", "nobody"), ("email", "a\0@example.com"), ("message", "x" * 4001)):
        answer = act("send", draft, **{"email": "a@example.com", "message": "", name: value})
        assert (answer.status_code, set(answer.context["entry_form"].errors)) == (422, {name})
    assert len(mails("invoice_sent")) == 1


def test_issuing(act: Act) -> None:
    draft = make_draft()
    act("issue", draft)
    assert (draft.status, len(OutgoingMail.objects.all())) == ("sent", 0)


def payment_form(invoice: Invoice, **values: str) -> dict[str, str]:
    shown = str(reloaded(invoice).balance_due_cents)
    return {"amount_cents": "100.00", "most_cents": shown, "method": "cash", "paid_at": "", "reference": "", "note": "", **values}


def test_an_amount_is_read_as_the_country_writes_it(act: Act, admin_client: Client) -> None:
    set_setting(key="site.country", value="DE")
    invoice = make_invoice(item(150_000))
    assert 'value="1500,00"' in text(admin_client.get(f"{INVOICES}record-payment/{invoice.pk}/"))
    for wrong in ("1.5", "1500.00", "1e3"):
        answer = act("record-payment", invoice, **payment_form(invoice, amount_cents=wrong))
        assert "Enter an amount such as 1.500,00." in text(answer)
    assert act("record-payment", invoice, **payment_form(invoice, amount_cents="1.500")).status_code == 302
    assert (Payment.objects.get().amount_cents, invoice.status) == (150_000, "paid")


def test_recording_a_payment(act: Act, admin_client: Client) -> None:
    draft = make_draft()
    page = text(admin_client.get(f"{INVOICES}record-payment/{draft.pk}/"))
    assert 'value="100.00"' in page
    form = payment_form(draft, amount_cents="40", method="check", paid_at="2026-05-04", reference="2207", note="By post")
    assert act("record-payment", draft, **form).status_code == 302
    payment = Payment.objects.get()
    assert (draft.status, draft.balance_due_cents) == ("sent", 6_000)
    assert (payment.method, payment.typed_reference, payment.note) == ("check", "2207", "By post")
    assert payment.paid_at is not None
    assert payment.paid_at.date().isoformat() == "2026-05-04"
    # The form as it was first shown, sent again.
    answer = act("record-payment", draft, **form)
    assert (answer.status_code, "has changed in the meantime" in text(answer)) == (422, True)
    act("record-payment", draft, **payment_form(draft, amount_cents="60"))
    assert (draft.status, len(mails("invoice_receipt"))) == ("paid", 2)


def test_a_payment_that_makes_no_sense_is_refused_at_its_field(act: Act) -> None:
    invoice = make_invoice()
    for name, value in [
        ("amount_cents", ""),
        ("amount_cents", "100.01"),
        ("amount_cents", "9" * 30),
        ("amount_cents", "1\0"),
        ("method", "online"),
        ("paid_at", "2999-01-01"),
        ("note", "\0"),
    ]:
        answer = act("record-payment", invoice, **payment_form(invoice, **{name: value}))
        assert (answer.status_code, set(answer.context["entry_form"].errors)) == (422, {name})
        assert not Payment.objects.exists()


def refund_form(invoice: Invoice, **values: str) -> dict[str, str]:
    return {"amount_cents": "100.00", "most_cents": str(refundable_cents("invoice", invoice.pk)), "reason": "", **values}


def test_refunding(act: Act) -> None:
    invoice = make_paid()
    form = refund_form(invoice, amount_cents="30")
    act("refund", invoice, **form)
    assert (invoice.status, invoice.balance_due_cents) == ("sent", 3_000)
    answer = act("refund", invoice, **form)
    assert (answer.status_code, invoice.amount_paid_cents) == (422, 7_000)
    for value in ("70.01", "0", "", "x"):
        answer = act("refund", invoice, **refund_form(invoice, amount_cents=value))
        assert (answer.status_code, set(answer.context["entry_form"].errors)) == (422, {"amount_cents"})


def test_the_review_of_a_refund_says_that_cash_does_not_go_back_by_itself(admin_client: Client) -> None:
    invoice = make_paid()
    page = admin_client.post(f"/admin/invoices/refund/{invoice.pk}/", refund_form(invoice, amount_cents="30")).content.decode()
    assert "$30.00 of the $100.00 that is left goes back to the customer. It wasn&#x27;t paid online: give that back your" in page
    assert refund_review(Money(3_000, "usd"), of=3_000, by_hand=1_000).text == (
        "Everything that is left goes back to the customer. $10.00 of it wasn't paid online: give that back yourself, such as by "
        "bank transfer. The refund is recorded."
    )
    assert refund_review(Money(3_000, "usd"), of=3_000, by_hand=0).text == "Everything that is left goes back to the customer."


def credit_form(invoice: Invoice, **values: str) -> dict[str, str]:
    left = invoice.total_cents - invoice.credited_cents
    return {"amount_cents": "100.00", "most_cents": str(left), "reason": "One hour less", **values}


def test_crediting(act: Act, admin_client: Client) -> None:
    invoice = make_paid()
    page = text(admin_client.get(f"{INVOICES}credit/{invoice.pk}/"))
    assert "Amount (at most $100.00)" in page
    assert "Work (of 1)" in page
    form = credit_form(invoice, amount_cents="40", refund="on", send_email="on")
    act("credit", invoice, **form)
    assert (invoice.credited_cents, invoice.amount_paid_cents, invoice.status) == (4_000, 6_000, "paid")
    assert len(mails("credit_note")) == 1
    assert act("credit", invoice, **form).status_code == 422
    act("credit", invoice, **credit_form(invoice, amount_cents="60"))
    assert (invoice.credited_cents, invoice.amount_paid_cents, len(mails("credit_note"))) == (10_000, 6_000, 1)
    assert CreditNote.objects.count() == 2


def test_a_credit_note_that_makes_no_sense_is_refused_at_its_field(act: Act) -> None:
    invoice = make_invoice()
    for name, value in [
        ("amount_cents", "100.01"),
        ("amount_cents", "0"),
        ("amount_cents", ""),
        ("reason", ""),
        ("reason", "x" * 501),
    ]:
        answer = act("credit", invoice, **credit_form(invoice, **{name: value}))
        assert (answer.status_code, set(answer.context["entry_form"].errors)) == (422, {name})
        assert not CreditNote.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_voiding(admin_client: Client) -> None:
    invoice = make_invoice()
    assert "its number is not used again" in text(admin_client.get(f"{INVOICES}void/{invoice.pk}/"))
    assert admin_client.post(f"{INVOICES}void/{invoice.pk}/", {"reason": "x" * 501}).status_code == 422
    assert admin_client.post(f"{INVOICES}void/{invoice.pk}/", {"reason": "A mistake"}).status_code == 302
    page = text(admin_client.get(f"{INVOICES}inspect/{invoice.pk}/"))
    assert reloaded(invoice).status == "void"
    assert "A mistake" in page


def test_reminding(act: Act) -> None:
    invoice = make_invoice()
    act("remind", invoice)
    act("remind", invoice)
    assert len(mails("invoice_reminder")) == 2


def test_deciding_for_the_client(act: Act, admin_client: Client) -> None:
    accepted, declined = make_estimate(), make_estimate()
    act("accept", accepted, name="Dana Reyes", note="By phone")
    act("decline", declined, name="", note="")
    assert (accepted.status, accepted.decided_by, declined.status) == ("accepted", "Dana Reyes", "declined")
    assert not mails("estimate_decided")
    page = text(admin_client.get(f"{ESTIMATES}inspect/{accepted.pk}/"))
    for words in ("Accepted", "Dana Reyes", "By phone"):
        assert words in page
    assert act("accept", make_estimate(), name="x" * 201).status_code == 422
    act("reopen", declined)
    assert declined.is_draft


def test_converting_leads_to_the_draft(act: Act, admin_client: Client) -> None:
    estimate = make_estimate(item(700))
    answer = act("convert", estimate)
    invoice = Invoice.objects.get(estimate=estimate)
    assert answer.headers["Location"] == f"{INVOICES}edit/{invoice.pk}/"
    assert (estimate.status, invoice.is_draft, invoice.total_cents) == ("accepted", True, 700)
    assert "convert" not in offered(admin_client, estimate)
    assert f"{INVOICES}inspect/{invoice.pk}/" in text(admin_client.get(f"{ESTIMATES}inspect/{estimate.pk}/"))
    assert f"{ESTIMATES}inspect/{estimate.pk}/" in text(admin_client.get(f"{INVOICES}inspect/{invoice.pk}/"))
    act("convert", estimate)
    assert Invoice.objects.filter(kind="invoice").count() == 1
    void_invoice(invoice=invoice)
    assert "convert" in offered(admin_client, reloaded(estimate))


def test_sending_many(admin_client: Client) -> None:
    draft, sent, estimate = make_draft(), make_invoice(), make_draft(kind="estimate")
    address = f"/admin/bulk/invoicing/invoice/send/?id={draft.pk}&id={sent.pk}&id={estimate.pk}&next={INVOICES}"
    assert "Drafts are issued and emailed" in text(admin_client.get(address))
    assert admin_client.post(address).status_code == 302
    assert (reloaded(draft).status, reloaded(estimate).status, len(mails("invoice_sent"))) == ("sent", "draft", 1)
    assert admin_client.post(f"/admin/bulk/invoicing/estimate/send/?id={estimate.pk}&id={sent.pk}").status_code == 302
    assert (reloaded(estimate).status, len(mails("estimate_sent"))) == ("sent", 1)


def test_reminding_many(admin_client: Client) -> None:
    invoices = [make_draft(), make_invoice(), make_paid()]
    OutgoingMail.objects.all().delete()
    ids = "&".join(f"id={invoice.pk}" for invoice in invoices)
    admin_client.post(f"/admin/bulk/invoicing/invoice/remind/?{ids}&next={INVOICES}")
    assert [mail.template for mail in OutgoingMail.objects.all()] == ["invoice_reminder"]


def test_a_double_click_reminds_once(admin_client: Client) -> None:
    invoice = make_invoice()
    OutgoingMail.objects.all().delete()
    address = f"/admin/bulk/invoicing/invoice/remind/?id={invoice.pk}&next={INVOICES}&once={new_key()}"
    for _ in range(2):
        answer = admin_client.post(address, follow=True)
    assert "This form was already submitted." in text(answer)
    assert [mail.template for mail in OutgoingMail.objects.all()] == ["invoice_reminder"]


def test_editors_can_do_nothing(sign_in: Callable[[Any], Client]) -> None:
    invoice, estimate = make_invoice(), make_estimate()
    editor = sign_in(people.bob())
    for name, values in {**ALL, "duplicate": {}}.items():
        address = f"{INVOICES}{name}/{invoice.pk}/"
        assert editor.get(address).status_code in {302, 403}
        assert editor.post(address, values).status_code in {302, 403}
    for name in ("accept", "decline", "convert", "reopen"):
        assert editor.post(f"{ESTIMATES}{name}/{estimate.pk}/", {}).status_code in {302, 403}
    editor.post(f"/admin/bulk/invoicing/invoice/remind/?id={invoice.pk}")
    assert (reloaded(invoice).status, reloaded(estimate).status, Invoice.objects.count()) == ("sent", "sent", 2)
    assert not OutgoingMail.objects.exists()
    assert not Payment.objects.exists()


def test_managers_can(sign_in: Callable[[Any], Client]) -> None:
    invoice = make_invoice()
    manager = sign_in(people.mallory_manager())
    assert manager.post(f"{INVOICES}record-payment/{invoice.pk}/", payment_form(invoice)).status_code == 302
    assert reloaded(invoice).status == "paid"


def test_the_amounts_of_a_form_are_in_the_currency_of_the_invoice(act: Act) -> None:
    invoice = make_invoice()
    Invoice.objects.filter(pk=invoice.pk).update(currency="jpy", total_cents=500, balance_due_cents=500)
    act("record-payment", invoice, **payment_form(invoice, amount_cents="500"))
    assert (invoice.status, Payment.objects.get().amount_cents) == ("paid", 500)
