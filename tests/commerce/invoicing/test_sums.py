"""Sums of random invoices, and what becomes of them with random payments, refunds, credit notes and voids."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.db import transaction
from django.test import TestCase
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.common.types.money import MAX_AMOUNT_CENTS
from commerce.common.types.tax import NO_TAX, TaxRate
from commerce.invoicing.models import Invoice
from commerce.invoicing.services import INVOICES, credit_invoice, issue_invoice, void_invoice
from commerce.invoicing.types.credits import Part, credit, subtract_taken
from commerce.invoicing.types.items import Item, invoice_totals
from commerce.payments.models import Payment, Refund
from tests.figures import figure

from .builders import make_draft, reloaded

CALM = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=figure(50, 200),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=False,
)
#: With a database and documents.
SOME = settings(CALM, max_examples=figure(10, 20))

RATES = [Decimal(rate) for rate in ("0", "5.5", "8.25", "19", "20", "0.0001", "100")]
PERCENTS = st.one_of(st.sampled_from([Decimal(0), Decimal(100), Decimal("33.3333")]), st.decimals(0, 100, places=4))
QUANTITIES = st.one_of(st.integers(0, 1_000_000).map(Decimal), st.decimals(0, 1_000, places=4))
PRICES = st.one_of(st.integers(0, 500), st.integers(0, 10_000_000), st.sampled_from([0, 1, MAX_AMOUNT_CENTS]))


def rate(percent: Decimal) -> TaxRate:
    return TaxRate("Tax", percent) if percent else NO_TAX


ITEMS = st.lists(
    st.builds(
        Item,
        description=st.just("Work"),
        quantity=QUANTITIES,
        unit_price_cents=PRICES,
        discount_percent=PERCENTS,
        rate=st.sampled_from(RATES).map(rate),
    ),
    min_size=1,
    max_size=6,
)


def half_up(cents: Fraction) -> int:
    """Round half a cent up, without the decimals of the code."""
    return int((2 * cents + 1) // 2)


@CALM
@given(ITEMS, st.one_of(st.just(Decimal(0)), PERCENTS), st.integers(0, 10**9), st.booleans())
@pytest.mark.both_databases
def test_it_works(items: list[Item], percent: Decimal, discount: int, inclusive: bool) -> None:
    totals = invoice_totals(items, discount_cents=discount, discount_percent=percent, inclusive=inclusive)
    for item in items:
        price = half_up(Fraction(item.quantity) * item.unit_price_cents)
        assert item.total_cents == price - half_up(price * Fraction(item.discount_percent) / 100)
    assert totals.subtotal_cents == sum(item.total_cents for item in items)
    asked = half_up(totals.subtotal_cents * Fraction(percent) / 100) if percent else discount
    assert totals.discount_cents == min(asked, totals.subtotal_cents)
    after = totals.subtotal_cents - totals.discount_cents
    assert totals.total_cents == after + (0 if inclusive else totals.tax_cents)
    assert totals.tax_cents == sum(tax.tax_cents for tax in totals.taxes) == sum(line.tax_cents for line in totals.lines)
    assert min(totals.total_cents, totals.tax_cents, *(line.tax_cents for line in totals.lines)) >= 0
    assert [tax.rate for tax in totals.taxes] == sorted(
        {item.rate for item in items if item.rate.percent}, key=lambda found: -found.percent
    )
    for tax in totals.taxes:
        ratio = Fraction(tax.rate.percent) / 100
        if inclusive:
            gross = tax.net_cents + tax.tax_cents
            assert abs(tax.tax_cents - gross * ratio / (1 + ratio)) <= Fraction(1, 2)
        else:
            assert tax.tax_cents == half_up(tax.net_cents * ratio)


@CALM
@given(
    st.lists(st.tuples(st.integers(0, 10**13), st.sampled_from(RATES)), min_size=1, max_size=5),
    st.lists(st.fractions(0, 1), max_size=8),
)
def test_credit_notes_add_up_to_the_invoice(billed: list[tuple[int, Decimal]], shares: list[Fraction]) -> None:
    """By tax rate and by tax, however it is divided; no part of one is negative, or more than what was left."""
    parts = [
        Part("Tax", str(percent), net + half_up(net * Fraction(percent) / 100), half_up(net * Fraction(percent) / 100))
        for net, percent in billed
    ]
    rest: Sequence[Part] = parts
    notes = []
    for share in [*shares, Fraction(1)]:
        amount = int(sum(part.gross_cents for part in rest) * share)
        note = credit(rest, amount)
        assert sum(part.gross_cents for part in note) == amount
        for taken, before in zip(note, rest, strict=True):
            assert 0 <= taken.tax_cents <= taken.gross_cents <= before.gross_cents
            assert 0 <= taken.net_cents <= before.net_cents
            assert abs(Fraction(taken.tax_cents * before.gross_cents) - before.tax_cents * taken.gross_cents) * 2 <= max(
                before.gross_cents, 1
            )
        notes.append(note)
        rest = subtract_taken(parts, notes)
    assert all(part.gross_cents == part.tax_cents == 0 for part in rest)
    for place, part in enumerate(parts):
        assert sum(note[place].gross_cents for note in notes) == part.gross_cents
        assert sum(note[place].tax_cents for note in notes) == part.tax_cents


@pytest.mark.parametrize("cents", [1, 10**6])
def test_more_than_is_left_cannot_be_credited(cents: int) -> None:
    with pytest.raises(ValueError, match="More would be credited"):
        credit([Part("Tax", "20", cents, 0)], cents + 1)


#: A share that asks for more than is possible.
MORE = Fraction(2)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["pay", "pay", "pay", "credit", "credit and refund", "refund", "void"]),
        st.one_of(st.fractions(0, 1), st.sampled_from([Fraction(1), MORE])),
    ),
    min_size=1,
    max_size=7,
)
GIVEN = st.lists(
    st.fixed_dictionaries(
        {
            "description": st.just("Work"),
            "quantity": st.decimals(0, 100, places=2),
            "unit_price_cents": st.integers(0, 100_000),
            "discount_percent": PERCENTS,
            "tax_percent": st.sampled_from(RATES),
        }
    ),
    min_size=1,
    max_size=4,
)


@SOME
@given(GIVEN, st.sampled_from([Decimal(0), Decimal(10)]), st.booleans(), STEPS)
def test_whatever_happens_to_an_invoice(
    items: list[dict[str, Any]], percent: Decimal, inclusive: bool, steps: list[tuple[str, Fraction]]
) -> None:
    set_setting(key="invoicing.receipts", value=False)
    draft = make_draft(*items, discount_percent=percent, prices_include_tax=inclusive)
    is_as_stored(draft)
    issue_invoice(invoice=draft)
    holds(draft)
    for step, share in steps:
        before = Invoice.objects.filter(pk=draft.pk).values().get()
        try:
            with TestCase.captureOnCommitCallbacks(execute=True), transaction.atomic():
                take(step, reloaded(draft), share)
        except Invalid:
            assert Invoice.objects.filter(pk=draft.pk).values().get() == before
        holds(draft)
        assert reloaded(draft).total_cents == before["total_cents"]


def take(step: str, invoice: Invoice, share: Fraction) -> None:
    """Do something with a share of the most that is possible, or with a cent more."""

    def part(most: int) -> int:
        return most + 1 if share == MORE else int(most * share)

    if step == "pay":
        INVOICES.record_payment(invoice, {"method": "cash", "amount_cents": part(invoice.balance_due_cents)})
    elif step == "refund":
        INVOICES.refund(invoice, amount_cents=part(invoice.amount_paid_cents))
    elif step == "void":
        void_invoice(invoice=invoice)
    else:
        cents = part(invoice.total_cents - invoice.credited_cents)
        credit_invoice(invoice=invoice, amount_cents=cents, reason="Less work.", refund=step != "credit", send_email=False)


def is_as_stored(invoice: Invoice) -> None:
    """The rows say what the totals say."""
    items = list(invoice.items.all())
    assert sum(item.total_cents for item in items) == invoice.subtotal_cents
    assert sum(item.tax_cents for item in items) == invoice.tax_cents == sum(tax["tax_cents"] for tax in invoice.taxes)
    taxed = 0 if invoice.prices_include_tax else invoice.tax_cents
    assert invoice.subtotal_cents - invoice.discount_cents + taxed == invoice.total_cents == invoice.balance_due_cents


def holds(invoice: Invoice) -> None:
    """Balance and status follow from what was paid, refunded and credited."""
    row = reloaded(invoice)
    payments = Payment.objects.filter(payable="invoice", record_id=row.pk)
    refunded = sum(Refund.objects.filter(payment__in=payments, status="succeeded").values_list("amount_cents", flat=True))
    paid = sum(payments.values_list("amount_cents", flat=True)) - refunded
    notes = list(row.credit_notes.all())
    owing = row.total_cents - row.credited_cents - paid
    assert not Refund.objects.exclude(status="succeeded").exists()
    assert row.amount_paid_cents == paid >= 0
    assert row.credited_cents == sum(note.total_cents for note in notes) <= row.total_cents
    if row.status == "void":
        assert (row.balance_due_cents, paid, row.credited_cents) == (0, 0, 0)
    else:
        assert row.status == ("sent" if owing > 0 else "paid")
        assert row.balance_due_cents == max(0, owing)
        assert row.owed_cents == max(0, -owing)
    assert bool(row.paid_at) == (row.status == "paid")
    for note in notes:
        assert sum(part.gross_cents for part in note.taken) == note.total_cents
        assert sum(part.tax_cents for part in note.taken) == note.tax_cents
    rest = subtract_taken(row.parts, [note.taken for note in notes])
    assert all(0 <= part.tax_cents <= part.gross_cents for part in rest)
    assert sum(part.gross_cents for part in rest) == row.total_cents - row.credited_cents


def test_rounding_is_half_up() -> None:
    """The oracle and the code agree where it matters."""
    assert [half_up(Fraction(cents, 2)) for cents in (1, 2, 3, 5)] == [1, 1, 2, 3]
    assert int(Decimal("2.5").quantize(Decimal(1), ROUND_HALF_UP)) == 3
