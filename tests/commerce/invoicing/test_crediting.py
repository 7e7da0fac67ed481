"""Credit notes by items and by amounts, and what they take back of each tax rate."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client as Browser
from hypothesis import given, settings
from hypothesis import strategies as st

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.invoicing.models import CreditNote, Invoice
from commerce.invoicing.resources.documents import credit_note_document
from commerce.invoicing.services import credit_invoice
from commerce.invoicing.services.paying import INVOICES, PAYABLE
from commerce.invoicing.services.pdfs import content_of
from commerce.invoicing.types.credits import CreditedItem, Part, credit_items, share
from commerce.payments.models import Refund
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from tests.confirming import button_of, post_twice

from .builders import item, make_draft, make_invoice, reloaded

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ready(invoicing: None) -> None: ...


def two_rates(**values: Any) -> Invoice:
    """An invoice of 100 at 20 % and twice 50 at 5 %."""
    return make_invoice(
        item(10_000, tax=20, tax_label="VAT"), item(5_000, 2, tax=5, tax_label="VAT", description="Books"), **values
    )


def ids(invoice: Invoice) -> list[int]:
    return list(invoice.items.values_list("pk", flat=True))


def taken(note: CreditNote) -> dict[str, tuple[int, int]]:
    """The amount and the tax of each rate that a note takes something of."""
    return {part.percent: (part.gross_cents, part.tax_cents) for part in note.taken if part.gross_cents}


@pytest.mark.both_databases
def test_it_works() -> None:
    invoice = two_rates()
    note = credit_invoice(invoice=invoice, quantities={ids(invoice)[1]: Decimal(2)}, reason="Came back.")
    assert (note.total_cents, note.tax_cents, taken(note)) == (10_500, 500, {"5": (10_500, 500)})
    assert [(each.description, each.quantity, each.gross_cents) for each in note.credited_items] == [("Books", "2", 10_500)]
    assert reloaded(invoice).balance_due_cents == 12_000


def test_an_amount_is_spread_over_the_rates() -> None:
    note = credit_invoice(invoice=two_rates(), amount_cents=10_500, reason="Goodwill.")
    assert (note.credited_items, note.tax_cents) == ([], 1_166)
    assert set(taken(note)) == {"20", "5"}


def test_parts_of_an_item_add_up_to_it() -> None:
    invoice = make_invoice(item(333, 3, tax=Decimal("19"), tax_label="VAT"), item(1, tax=Decimal("7")), discount_percent=10)
    first = ids(invoice)[0]
    notes = [credit_invoice(invoice=invoice, quantities={first: Decimal(n)}, reason="x") for n in ("1", "0.5", "1.5")]
    part = invoice.parts[0]
    assert (sum(note.total_cents for note in notes), sum(note.tax_cents for note in notes)) == (part.gross_cents, part.tax_cents)
    rest = credit_invoice(invoice=reloaded(invoice), reason="All that is left.")
    assert sum(note.total_cents for note in [*notes, rest]) == invoice.total_cents
    assert sum(note.tax_cents for note in [*notes, rest]) == invoice.tax_cents


@pytest.mark.both_databases
def test_more_than_was_billed_is_refused() -> None:
    invoice = two_rates()
    work, books = ids(invoice)
    credit_invoice(invoice=invoice, quantities={books: Decimal(1)}, reason="x")
    for values, key, why in (
        ({"quantities": {books: Decimal(2)}}, "items", "Only 1 of Books"),
        ({"quantities": {work: Decimal("-1")}}, "items", "Only 1 of Work"),
        ({"quantities": {0: Decimal(1)}}, "items", "no items of this invoice"),
        ({"quantities": {work: Decimal(1)}, "amount_cents": 5}, "amount_cents", "not both"),
    ):
        with pytest.raises(Invalid, match=why) as refusal:
            credit_invoice(invoice=reloaded(invoice), reason="x", **values)  # type: ignore[arg-type]
        assert list(refusal.value.errors) == [key]
    # An amount has taken a part of what the books cost.
    credit_invoice(invoice=reloaded(invoice), amount_cents=10_000, reason="Goodwill.")
    with pytest.raises(Invalid, match="Enter an amount instead"):
        credit_invoice(invoice=reloaded(invoice), quantities={books: Decimal(1)}, reason="x")
    assert CreditNote.objects.count() == 2


@settings(deadline=None)
@given(st.lists(st.integers(1, 7), min_size=1, max_size=5), st.integers(0, 10_000), st.integers(0, 2_000))
def test_shares_of_an_item_never_lose_a_cent(pieces: list[int], gross: int, tax: int) -> None:
    of = Decimal(sum(pieces))
    parts, before = [Part("VAT", "20", gross, min(tax, gross))], Decimal(0)
    for number in map(Decimal, pieces):
        shares = {"quantity": number, "before": before, "of": of}
        item = CreditedItem(1, "x", str(number), share(gross, **shares), share(min(tax, gross), **shares))
        (gone,) = credit_items(parts, [(0, item)])
        parts = [Part("VAT", "20", parts[0].gross_cents - gone.gross_cents, parts[0].tax_cents - gone.tax_cents)]
        before += number
    assert (parts[0].gross_cents, parts[0].tax_cents) == (0, 0)


@pytest.mark.both_databases
def test_in_the_admin(admin_client: Browser) -> None:
    invoice = two_rates()
    books = ids(invoice)[1]
    path = f"/admin/invoices/credit/{invoice.pk}/"
    assert "Books (of 2)" in admin_client.get(path).content.decode()
    form = {"amount_cents": "", "most_cents": "22500", "reason": "Came back", "send_email": "on"}
    assert admin_client.post(path, form).status_code == 422
    asked = admin_client.post(path, {**form, f"quantity-{books}": "2"})
    page = asked.content.decode()
    assert button_of(asked) == "Credit $105.00"
    assert "2 x Books" in page
    assert "$100.00 and $5.00 tax" in page
    assert not CreditNote.objects.exists()
    assert admin_client.post(path, {**form, f"quantity-{books}": "3"}).status_code == 422
    assert post_twice(admin_client, path, {**form, f"quantity-{books}": "2"}).status_code == 302
    note = CreditNote.objects.get()
    assert (note.tax_cents, content_of(note.pdf)[:4]) == (500, b"%PDF")


def test_an_invoice_that_costs_nothing_is_voided(admin_client: Browser) -> None:
    invoice = make_invoice(discount_percent=100)
    assert invoice.status == "paid"
    path = f"/admin/invoices/void/{invoice.pk}/"
    assert admin_client.get(path).status_code == 200
    admin_client.post(path, {"reason": "Never ordered"})
    assert reloaded(invoice).status == "void"
    assert make_draft(discount_percent=100).status == "draft"


def test_the_review_says_what_a_credit_leads_to(admin_client: Browser) -> None:
    invoice = make_invoice(item(1000, 3))
    path = f"/admin/invoices/credit/{invoice.pk}/"
    form = {f"quantity-{ids(invoice)[0]}": "1", "most_cents": str(invoice.total_cents), "reason": "Broken", "send_email": "on"}
    page = admin_client.post(path, form).content.decode()
    assert f"The balance is $20.00 then. {invoice.email} gets the credit note by email." in page
    INVOICES.record_payment(invoice, {"method": "cash"})
    page = admin_client.post(path, {**form, "refund": "on", "send_email": ""}).content.decode()
    assert "The balance is $0.00 then. $10.00 goes back to the client. It wasn&#x27;t paid online: give that back" in page
    page = admin_client.post(path, {**form, "send_email": ""}).content.decode()
    assert "The client has paid $10.00 beyond that, which is not refunded. The client is not emailed." in page


def test_a_balance_in_dinars_can_always_be_paid_online(settings: Any, django_capture_on_commit_callbacks: Any) -> None:
    """The rest after a credit note or cash is rounded like a total; paying it pays the invoice."""
    settings.SITE_CURRENCY = "kwd"
    set_setting(key="payments.allow_test_payments", value=True)
    credited, part = make_invoice(item(3335, 3)), make_invoice(item(3335, 3))
    assert credited.total_cents == 10_010
    credit_invoice(invoice=credited, quantities={ids(credited)[0]: Decimal(1)}, reason="x", refund=False)
    INVOICES.record_payment(part, {"method": "cash", "amount_cents": 1_005})
    for invoice, due in ((credited, 6_680), (part, 9_010)):
        assert reloaded(invoice).balance_due_cents == due
        payment = start_payment(payable=PAYABLE, record_id=invoice.pk)
        assert payment.amount_cents == due
        decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
        settle(payment_id=payment.pk)
        assert (reloaded(invoice).status, reloaded(invoice).balance_due_cents) == ("paid", 0)


@pytest.mark.both_databases
def test_a_credit_in_dinars_gives_back_what_can_be_paid(settings: Any, django_capture_on_commit_callbacks: Any) -> None:
    """The rest of it goes back with the last credit note."""
    settings.SITE_CURRENCY = "kwd"
    set_setting(key="payments.allow_test_payments", value=True)
    invoice = make_invoice(item(1115, 2))
    payment = start_payment(payable=PAYABLE, record_id=invoice.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    settle(payment_id=payment.pk)
    for quantity in ("1", "1"):
        with django_capture_on_commit_callbacks(execute=True):
            credit_invoice(invoice=reloaded(invoice), quantities={ids(invoice)[0]: Decimal(quantity)}, reason="x", refund=True)
    assert list(Refund.objects.order_by("pk").values_list("amount_cents", "status")) == [(1110, "succeeded"), (1120, "succeeded")]


# The rounding of the total.


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("currency", "items", "total", "rounding"),
    [
        ("kwd", [item(502, 2)], 1_000, -4),
        ("kwd", [item(503, 2)], 1_010, 4),
        ("kwd", [item(500, 2), item(4)], 1_000, -4),
        ("kwd", [item(1_000, 2, tax=5, tax_label="VAT"), item(303, 1)], 2_400, -3),
        # More is taken off than what is not taxed.
        ("kwd", [item(1_000, 1, tax=20, tax_label="VAT"), item(1_001, 2, tax=5, tax_label="VAT"), item(2)], 3_300, -4),
        ("kwd", [item(1_001, 3, tax=20, tax_label="VAT"), item(999, 1, tax=5, tax_label="VAT")], 4_650, -3),
        ("kwd", [item(1_005, 3, tax=20, tax_label="VAT"), item(1), item(0)], 3_620, 1),
        ("mga", [item(149)], 100, -49),
        ("mga", [item(75, 2)], 200, 50),
        ("chf", [item(333, 3)], 999, 0),
    ],
)
def test_all_items_take_the_rounding_back(
    settings: Any, currency: str, items: list[dict[str, Any]], total: int, rounding: int
) -> None:
    """All at once; one item, or one piece, after the other, in either order."""
    settings.SITE_CURRENCY = currency

    def credit_all(*steps: dict[int, Decimal]) -> None:
        invoice = make_invoice(*items)
        pks = ids(invoice)
        notes = [
            credit_invoice(
                invoice=reloaded(invoice), quantities={pks[place]: number for place, number in step.items()}, reason="x"
            )
            for step in steps
        ]
        stored = reloaded(invoice)
        assert (stored.total_cents, stored.credited_cents, stored.balance_due_cents, stored.status) == (total, total, 0, "paid")
        assert (sum(note.total_cents for note in notes), sum(note.tax_cents for note in notes)) == (total, stored.tax_cents)
        assert sum(note.rounding_cents for note in notes) == rounding
        for note in notes:
            listed = sum(each.gross_cents for each in note.credited_items)
            assert listed + note.rounding_cents == note.total_cents == sum(part.gross_cents for part in note.taken)
            assert all(0 <= part.tax_cents <= part.gross_cents for part in note.taken)

    priced = {place: Decimal(each["quantity"]) for place, each in enumerate(items) if each["unit_price_cents"]}
    credit_all(priced)
    pieces = [{place: Decimal(1)} for place, quantity in priced.items() for _ in range(int(quantity))]
    if all(each["unit_price_cents"] > abs(rounding) for each in items):
        for steps in ([{place: each} for place, each in priced.items()], pieces):
            credit_all(*steps)
            credit_all(*steps[::-1])


@pytest.mark.both_databases
def test_an_item_that_costs_less_than_the_rounding_is_credited_with_the_others(settings: Any) -> None:
    settings.SITE_CURRENCY = "kwd"
    invoice = make_invoice(item(1_000), item(4))
    large, small = ids(invoice)
    credit_invoice(invoice=invoice, quantities={large: Decimal(1)}, reason="x")
    assert (reloaded(invoice).credited_cents, reloaded(invoice).status) == (1_000, "paid")
    with pytest.raises(Invalid, match="Nothing is left to credit"):
        credit_invoice(invoice=reloaded(invoice), quantities={small: Decimal(1)}, reason="x")
    taxed = make_invoice(item(1_000, tax=20, tax_label="VAT"), item(4))
    with pytest.raises(Invalid, match="The rounding of the total covers these items"):
        credit_invoice(invoice=taxed, quantities={ids(taxed)[1]: Decimal(1)}, reason="x")


@pytest.mark.both_databases
def test_an_amount_before_leaves_less_than_the_items_cost(settings: Any) -> None:
    """The rounding makes up for no more than itself."""
    settings.SITE_CURRENCY = "kwd"
    invoice = make_invoice(item(502, 2))
    credit_invoice(invoice=invoice, amount_cents=10, reason="Goodwill.")
    with pytest.raises(Invalid, match="Enter an amount instead"):
        credit_invoice(invoice=reloaded(invoice), quantities={ids(invoice)[0]: Decimal(2)}, reason="x")
    credit_invoice(invoice=reloaded(invoice), quantities={ids(invoice)[0]: Decimal(1)}, reason="x")
    credit_invoice(invoice=reloaded(invoice), reason="The rest.")
    assert reloaded(invoice).credited_cents == 1_000


def test_the_rounding_is_shown(settings: Any, admin_client: Browser) -> None:
    settings.SITE_CURRENCY = "kwd"
    invoice = make_invoice(item(502, 2))
    form = {f"quantity-{ids(invoice)[0]}": "2", "most_cents": "1000", "amount_cents": "", "reason": "x"}
    page = admin_client.post(f"/admin/invoices/credit/{invoice.pk}/", form).content.decode()
    rounding, total = (format_money(Money(cents, "kwd")) for cents in (-4, 1_000))
    assert f"Rounding: {rounding}" in page
    note = credit_invoice(invoice=invoice, quantities={ids(invoice)[0]: Decimal(2)}, reason="x")
    sums = json.loads(credit_note_document(note).data)["sums"]
    assert [(each["label"], each["amount"]) for each in sums] == [("Rounding", rounding), ("Total", total)]
    goodwill = credit_invoice(invoice=make_invoice(item(502, 2)), amount_cents=500, reason="x")
    assert [each["label"] for each in json.loads(credit_note_document(goodwill).data)["sums"]] == ["Total"]
