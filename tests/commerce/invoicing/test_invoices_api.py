"""Invoices through the API: the list and its filters, one invoice, and hostile values."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.flags.services import set_setting, switch_feature
from commerce.invoicing.models import Invoice
from commerce.invoicing.services import accept_estimate, credit_invoice, decline_estimate, save_client
from tests.builders import make_token
from tests.client import Api

from .builders import item, make_client, make_draft, make_estimate, make_invoice, make_overdue, make_void, pay, reloaded

LIST = "/invoicing/invoices"
#: After every test has made its invoices.
SOON = date(2100, 1, 1)


@pytest.mark.both_databases
def test_it_works(invoicing_api: Api) -> None:
    client = make_client("Reyes Ceramics", email="Accounts@Example.com")
    invoice = make_invoice(
        item(75_000, 2, tax="8.25", description="Hire of the hall"),
        item(8_000, "4.5", tax="8.25"),
        client=client,
        issue_date=date(2026, 2, 2),
        due_date=SOON,
        notes="Thank you.",
    )
    paid = pay(invoice, 100_000, "bank_transfer", reference="FT-88120", note="Deposit")
    data = invoicing_api.data(f"{LIST}/{invoice.pk}")
    row = reloaded(invoice)
    assert data == {
        "id": invoice.pk,
        "number": "INV-1001",
        "type": "invoice",
        "status": "sent",
        "display_status": "partial",
        "client_id": client.pk,
        "client": {"id": client.pk, "name": "Reyes Ceramics", "email": "accounts@example.com"},
        "email": "accounts@example.com",
        "currency": "usd",
        "subtotal_cents": 186_000,
        "discount_cents": 0,
        "tax_cents": 15_345,
        "total_cents": 201_345,
        "amount_paid_cents": 100_000,
        "balance_due_cents": 101_345,
        "issue_date": "2026-02-02",
        "due_date": "2100-01-01",
        "sent_at": wire(row.sent_at),
        "paid_at": None,
        "notes": "Thank you.",
        "created_at": wire(row.created_at),
        "updated_at": wire(row.updated_at),
        "lines": [
            {
                "description": "Hire of the hall",
                "quantity": 2,
                "unit_price_cents": 75_000,
                "tax_rate": 8.25,
                "total_cents": 150_000,
            },
            {"description": "Work", "quantity": 4.5, "unit_price_cents": 8_000, "tax_rate": 8.25, "total_cents": 36_000},
        ],
        "payments": [
            {
                "id": paid.pk,
                "invoice_id": invoice.pk,
                "amount_cents": 100_000,
                "currency": "usd",
                "method": "bank_transfer",
                "reference": "FT-88120",
                "note": "Deposit",
                "paid_at": wire(paid.paid_at),
                "created_at": wire(paid.created_at),
            }
        ],
    }
    listed = invoicing_api.get(LIST).json()
    assert listed["data"] == [{key: value for key, value in data.items() if key not in {"lines", "payments"}}]
    assert listed["meta"]["total"] == 1


def wire(moment: Any) -> str:
    found: str = moment.astimezone(UTC).replace(microsecond=0).isoformat()
    return found


@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title])
@pytest.mark.both_databases
def test_a_number_is_found_in_any_case(invoicing_api: Api, spell: Any) -> None:
    invoice, estimate = make_invoice(), make_estimate()
    for record in (invoice, estimate):
        assert invoicing_api.data(f"{LIST}/{spell(record.number)}")["id"] == record.pk


def test_a_draft_without_a_number(invoicing_api: Api) -> None:
    set_setting(key="invoicing.number_on_issue", value=True)
    draft = make_draft()
    data = invoicing_api.data(f"{LIST}/{draft.pk}")
    assert (data["number"], data["status"], data["sent_at"]) == (None, "draft", None)
    assert invoicing_api.get(f"{LIST}/None").status_code == 404


@pytest.mark.both_databases
def test_statuses(invoicing_api: Api) -> None:
    draft, sent, paid, void = make_draft(), make_invoice(due_date=SOON), make_invoice(), make_void()
    pay(paid)
    partial = make_invoice(due_date=SOON)
    pay(partial, 1)
    credited = make_invoice(due_date=SOON)
    credit_invoice(invoice=credited, amount_cents=1, reason="Less work.")
    overdue, begun = make_overdue(), make_overdue()
    pay(begun, 1)
    offered, accepted, declined = make_estimate(), make_estimate(), make_estimate()
    accept_estimate(estimate=accepted, name="Dana")
    decline_estimate(estimate=declined, name="Dana")
    shown = {row["id"]: row["display_status"] for row in invoicing_api.data(LIST, per_page=100)}
    expected = {
        "draft": [draft],
        "sent": [sent, offered],
        "paid": [paid],
        "void": [void],
        "partial": [partial, credited],
        "overdue": [overdue, begun],
        "accepted": [accepted],
        "declined": [declined],
    }
    assert shown == {record.pk: status for status, records in expected.items() for record in records}
    outstanding = [sent, partial, credited, overdue, begun]
    for status, records in {**expected, "outstanding": outstanding, "sent": [*outstanding, offered]}.items():
        assert found(invoicing_api, status=status) == sorted(record.pk for record in records), status
    assert found(invoicing_api, type="estimate") == [offered.pk, accepted.pk, declined.pk]
    assert found(invoicing_api, type="estimate", status="overdue") == []
    assert found(invoicing_api, type="invoice", status="sent") == [record.pk for record in outstanding]


def found(api: Api, **query: Any) -> list[int]:
    return sorted(row["id"] for row in api.data(LIST, per_page=100, **query))


@pytest.mark.both_databases
def test_filters(invoicing_api: Api) -> None:
    client = make_client(email="dana@example.com")
    first, second = make_invoice(client=client), make_invoice(client=client, email="other@example.com")
    third = make_invoice()
    Invoice.objects.filter(pk=first.pk).update(created_at=datetime(2026, 1, 31, 23, 30, tzinfo=UTC))
    assert found(invoicing_api, client_id=client.pk) == [first.pk, second.pk]
    assert found(invoicing_api, client_id=10**17) == []
    assert found(invoicing_api, email="DANA@example.com") == [first.pk]
    assert found(invoicing_api, email="nobody@example.com") == []
    assert found(invoicing_api, since="2026-01-31T23:30:00Z") == [first.pk, second.pk, third.pk]
    assert found(invoicing_api, since="2026-01-31T23:30:01Z") == [second.pk, third.pk]
    # A day begins when it does on the site.
    set_setting(key="site.timezone", value="UTC")
    assert found(invoicing_api, since="2026-02-01") == [second.pk, third.pk]
    set_setting(key="site.timezone", value="Pacific/Auckland")
    assert found(invoicing_api, since="2026-02-01") == [first.pk, second.pk, third.pk]


def test_changes_of_a_client_are_not_those_of_its_invoices(invoicing_api: Api) -> None:
    client = make_client("Reyes Ceramics", email="dana@example.com")
    invoice = make_invoice(client=client)
    save_client(client=client, values={"name": "Reyes & Sons", "email": "sons@example.com"})
    assert invoicing_api.data(f"{LIST}/{invoice.pk}")["client"] == {
        "id": client.pk,
        "name": "Reyes Ceramics",
        "email": "dana@example.com",
    }


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("status=lost", "status"),
        ("status=", "status"),
        ("status=Paid", "status"),
        ("type=bill", "type"),
        ("client_id=x", "client_id"),
        ("client_id=0", "client_id"),
        ("client_id=-1", "client_id"),
        ("client_id=1.0", "client_id"),
        ("client_id=%D9%A1", "client_id"),
        ("client_id=99999999999999999999", "client_id"),
        ("client_id=1%00", "client_id"),
        ("email=a%00b", "email"),
        ("email=" + 300 * "a", "email"),
        ("since=yesterday", "since"),
        ("since=2026-02-30", "since"),
        ("since=", "since"),
        ("since=0001-01-01", "since"),
        ("sort=email", "sort"),
        ("sort=total_cents", "sort"),
        ("per_page=0", "per_page"),
        ("page=1.5", "page"),
        ("cursor=x", "cursor"),
        ("fields=secret", "fields"),
        ("fields=lines", "fields"),
    ],
)
def test_bad_filters_are_refused(invoicing_api: Api, query: str, key: str) -> None:
    answer = invoicing_api.get(f"{LIST}?{query}")
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [key]


@pytest.mark.both_databases
def test_sort_and_cursors(invoicing_api: Api) -> None:
    invoices = [make_draft() for _ in range(7)]
    now = timezone.now()
    for place, invoice in enumerate(invoices):
        # Pairs were created at the same moment, and changed in the opposite order.
        at = now + timedelta(seconds=place // 2)
        Invoice.objects.filter(pk=invoice.pk).update(created_at=at, updated_at=now - timedelta(seconds=place))
    keys = [invoice.pk for invoice in invoices]
    for sort, expected in {
        None: keys[::-1],
        "created_at": keys,
        "-created_at": keys[::-1],
        "updated_at": keys[::-1],
        "-updated_at": keys,
    }.items():
        query = {"sort": sort} if sort else {}
        pages = [[row["id"] for row in invoicing_api.data(LIST, page=page, per_page=3, **query)] for page in (1, 2, 3)]
        assert [key for page in pages for key in page] == expected, sort
        assert invoicing_api.walk(LIST, per_page=2, **query) == expected, sort


def test_fields(invoicing_api: Api) -> None:
    invoice = make_invoice()
    assert invoicing_api.data(LIST, fields="number,balance_due_cents") == [
        {"id": invoice.pk, "number": "INV-1001", "balance_due_cents": 10_000}
    ]
    assert set(invoicing_api.data(f"{LIST}/{invoice.pk}", fields="lines,payments")) == {"id", "lines", "payments"}


def test_a_payment_changes_the_tag(invoicing_api: Api) -> None:
    invoice = make_invoice()
    tag = invoicing_api.get(f"{LIST}/{invoice.pk}").headers["ETag"]
    assert invoicing_api.request("GET", f"{LIST}/{invoice.pk}", if_none_match=tag).status_code == 304
    pay(invoice, 1)
    assert invoicing_api.request("GET", f"{LIST}/{invoice.pk}", if_none_match=tag).status_code == 200


def test_reading_needs_its_ability_and_the_feature(invoicing_api: Api) -> None:
    invoice = make_invoice()
    other = Api(make_token("invoicing:write"))
    assert other.get(LIST).json()["required_ability"] == "invoicing:read"
    reader = Api(make_token("invoicing:read"))
    assert reader.post(f"{LIST}/{invoice.pk}/payments", {"method": "cash"}).json()["required_ability"] == "invoicing:write"
    switch_feature(name="invoicing", on=False)
    assert invoicing_api.get(LIST).status_code == 404
