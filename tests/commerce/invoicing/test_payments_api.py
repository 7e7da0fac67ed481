"""Recording payments through the API: the answer, the refusals, and hostile bodies."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.invoicing.models import Invoice
from commerce.invoicing.services.pdfs import pdf_of
from commerce.payments.models import Payment
from tests.client import Api, documented
from tests.commerce.shop.outcomes import kinds

from .builders import item, make_draft, make_estimate, make_invoice, make_void, pay, reloaded


def url(invoice: Invoice) -> str:
    return f"/invoicing/invoices/{invoice.pk}/payments"


def refused(api: Api, invoice: Invoice, **body: Any) -> list[str]:
    """The keys of a refusal, which has changed nothing."""
    before = reloaded(invoice).updated_at
    answer = api.post(url(invoice), {"method": "cash", **body})
    assert answer.status_code == 422, answer.content
    assert reloaded(invoice).updated_at == before
    assert not OutgoingMail.objects.filter(template="invoice_receipt").exists()
    return list(answer.json()["errors"])


@pytest.mark.both_databases
def test_it_works(invoicing_api: Api) -> None:
    invoice = make_invoice(item(10_000))
    body = {"method": "check", "amount_cents": 4_000, "paid_at": "2026-03-01T19:30:00+01:00"}
    body |= {"reference": " 2207 ", "note": "By mail"}
    answer = invoicing_api.post(f"/invoicing/invoices/{str(invoice.number).lower()}/payments", body)
    assert answer.status_code == 201
    data, whole = answer.json()["data"], answer.json()["meta"]["invoice"]
    row = Payment.objects.get()
    assert data == {
        "id": row.pk,
        "invoice_id": invoice.pk,
        "amount_cents": 4_000,
        "currency": "usd",
        "method": "check",
        "reference": "2207",
        "note": "By mail",
        "paid_at": "2026-03-01T18:30:00+00:00",
        "created_at": data["created_at"],
    }
    assert whole == invoicing_api.data(f"/invoicing/invoices/{invoice.pk}")
    assert (whole["status"], whole["balance_due_cents"], whole["payments"]) == ("sent", 6_000, [data])
    assert kinds("invoice.") == []
    rest = invoicing_api.post(url(invoice), {"method": "cash"}).json()
    assert (rest["data"]["amount_cents"], rest["data"]["reference"], rest["data"]["note"]) == (6_000, None, None)
    assert (rest["meta"]["invoice"]["status"], rest["meta"]["invoice"]["balance_due_cents"]) == ("paid", 0)
    assert rest["meta"]["invoice"]["paid_at"]
    assert kinds("invoice.") == ["invoice.paid"]
    assert OutgoingMail.objects.filter(template="invoice_receipt").count() == 2


def test_the_document_names_the_invoice(invoicing_api: Api) -> None:
    answers = documented().document["paths"]["/api/v1/invoicing/invoices/{reference}/payments"]["post"]["responses"]
    assert [status for status in answers if status.startswith("2")] == ["201"]
    (content,) = answers["201"]["content"].values()
    assert content["schema"]["required"] == ["data", "meta"]
    meta = content["schema"]["properties"]["meta"]
    assert meta["required"] == ["invoice"]
    assert meta["properties"]["invoice"]["$ref"].endswith("/InvoiceDetailResource")


@pytest.mark.both_databases
def test_unknown_keys_are_named_beside_the_invoice(invoicing_api: Api) -> None:
    answer = invoicing_api.post(url(make_invoice()), {"method": "cash", "amount": 5}).json()
    assert answer["meta"]["ignored"] == ["amount"]
    assert answer["meta"]["invoice"]["status"] == "paid"


@pytest.mark.parametrize("method", ["cash", "check", "bank_transfer", "other"])
def test_methods(invoicing_api: Api, method: str) -> None:
    assert invoicing_api.post(url(make_invoice()), {"method": method}).json()["data"]["method"] == method


def test_a_draft_is_issued_by_its_first_payment(invoicing_api: Api) -> None:
    set_setting(key="invoicing.number_on_issue", value=True)
    draft = make_draft()
    whole = invoicing_api.post(url(draft), {"method": "cash", "amount_cents": 1}).json()["meta"]["invoice"]
    assert (whole["number"], whole["status"], whole["balance_due_cents"]) == ("INV-1001", "sent", 9_999)
    assert whole["sent_at"]
    assert pdf_of(reloaded(draft))


def test_a_refused_payment_issues_no_draft(invoicing_api: Api) -> None:
    draft = make_draft()
    assert refused(invoicing_api, draft, amount_cents=10_001) == ["amount_cents"]
    later = timezone.now() + timedelta(minutes=5)
    assert refused(invoicing_api, draft, paid_at=later.isoformat()) == ["paid_at"]
    assert reloaded(draft).status == "draft"


@pytest.mark.parametrize("make", [make_estimate, make_void, lambda: make_draft(item(0)), lambda: make_draft(kind="estimate")])
def test_these_cannot_be_paid(invoicing_api: Api, make: Any) -> None:
    assert refused(invoicing_api, make()) == ["status"]


def test_a_paid_invoice_is_refused(invoicing_api: Api) -> None:
    set_setting(key="invoicing.receipts", value=False)
    invoice = make_invoice()
    pay(invoice)
    assert refused(invoicing_api, invoice) == ["status"]
    assert refused(invoicing_api, invoice, amount_cents=1) == ["status"]


@pytest.mark.parametrize(
    "amount",
    [0, -1, 10_001, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**30, 1.5, 100.0, 1e300, True, False, "100", "x", [], {}],
)
def test_wrong_amounts(invoicing_api: Api, amount: Any) -> None:
    assert refused(invoicing_api, make_invoice(), amount_cents=amount) == ["amount_cents"]


@pytest.mark.parametrize("method", [None, "", "online", "Cash", "card", "cash\0", "c" * 100_000, 1, True, [], ["cash"], {}])
def test_wrong_methods(invoicing_api: Api, method: Any) -> None:
    assert refused(invoicing_api, make_invoice(), method=method) == ["method"]


def test_the_method_is_required(invoicing_api: Api) -> None:
    answer = invoicing_api.post(url(make_invoice()), {})
    assert (answer.status_code, answer.json()["message"]) == (422, "The method field is required.")


@pytest.mark.parametrize(
    "moment",
    ["tomorrow", "2026-02-30", "2026-13-01T00:00:00Z", "0001-01-01", "10000-01-01", "2026-03-01\0", 20260301, 1.5, True, [], {}],
)
def test_wrong_moments(invoicing_api: Api, moment: Any) -> None:
    assert refused(invoicing_api, make_invoice(), paid_at=moment) == ["paid_at"]


@pytest.mark.parametrize("moment", ["0001-01-03T00:00:00Z", "1582-10-10T00:00:00Z", "1899-12-31T00:00Z", "1969-12-31T23:59:59Z"])
@pytest.mark.both_databases
def test_old_moments_are_taken(invoicing_api: Api, moment: str) -> None:
    """Also those before the epoch, of which some libraries know nothing: the receipt bears it."""
    answer = invoicing_api.post(url(make_invoice()), {"method": "cash", "paid_at": moment})
    assert (answer.status_code, answer.json()["data"]["paid_at"][:10]) == (201, moment[:10])


def test_the_future_begins_now(invoicing_api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    invoice = make_invoice()
    now = datetime(2026, 12, 1, 11, 30, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: now)
    assert refused(invoicing_api, invoice, paid_at="2026-12-01T11:30:01Z") == ["paid_at"]
    assert refused(invoicing_api, invoice, paid_at="2026-12-02") == ["paid_at"]
    assert invoicing_api.post(url(invoice), {"method": "cash", "paid_at": "2026-12-01T11:30:00Z"}).status_code == 201


@pytest.mark.parametrize(
    ("zone", "instant"),
    [
        ("Pacific/Auckland", "2026-02-28T11:00:00+00:00"),
        ("UTC", "2026-03-01T00:00:00+00:00"),
        ("America/Los_Angeles", "2026-03-01T08:00:00+00:00"),
    ],
)
def test_a_day_begins_when_it_does_on_the_site(invoicing_api: Api, zone: str, instant: str) -> None:
    set_setting(key="site.timezone", value=zone)
    recorded = invoicing_api.post(url(make_invoice()), {"method": "cash", "paid_at": "2026-03-01"}).json()["data"]
    assert recorded["paid_at"] == instant


@pytest.mark.parametrize("name", ["reference", "note"])
@pytest.mark.parametrize("text", ["a\0b", "x" * 100_000, 5, True, [], {}])
def test_wrong_texts(invoicing_api: Api, name: str, text: Any) -> None:
    assert refused(invoicing_api, make_invoice(), **{name: text}) == [name]


@pytest.mark.parametrize("name", ["reference", "note", "paid_at", "amount_cents"])
def test_nothing_is_null(invoicing_api: Api, name: str) -> None:
    """An empty text is read as null, except where an integer stands."""
    for nothing in (None, *([""] if name != "amount_cents" else [])):
        answer = invoicing_api.post(url(make_invoice()), {"method": "cash", name: nothing})
        assert answer.status_code == 201, answer.content


@pytest.mark.parametrize(("body", "status"), [(b"", 400), (b"[]", 400), (b"{", 400), (b'{"amount_cents": NaN}', 400)])
def test_wrong_bodies(invoicing_api: Api, body: bytes, status: int) -> None:
    assert invoicing_api.request("POST", url(make_invoice()), body).status_code == status


def test_all_wrong_values_are_named_at_once(invoicing_api: Api) -> None:
    body = {"method": "card", "amount_cents": "1", "paid_at": "x", "reference": 1, "note": 1}
    assert sorted(refused(invoicing_api, make_invoice(), **body)) == ["amount_cents", "method", "note", "paid_at", "reference"]


@pytest.mark.django_db(transaction=True)
def test_a_repeated_request_pays_once(invoicing_api: Api) -> None:
    invoice = make_invoice()
    body = {"method": "cash", "amount_cents": 4_000}
    first, again = (invoicing_api.post(url(invoice), body, idempotency_key="abc") for _ in range(2))
    assert (first.status_code, again.status_code, again.headers["Idempotency-Replayed"]) == (201, 201, "true")
    assert first.content == again.content
    assert invoicing_api.post(url(invoice), {**body, "note": "Other"}, idempotency_key="abc").status_code == 422
    assert reloaded(invoice).amount_paid_cents == 4_000
    # A second payment without the key is another one.
    assert invoicing_api.post(url(invoice), body).status_code == 201
    assert reloaded(invoice).amount_paid_cents == 8_000
