"""Credit notes."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, required_message
from cms_api.fields.base import FieldPath, read_line
from commerce.common.selectors import format_money
from commerce.common.types.money import Money, payable_step
from commerce.payments.selectors import refundable_cents
from commerce.payments.services import close_payments_later, request_refund

from ..models import CreditNote, Invoice
from ..selectors.invoices import today, unrefunded_cents
from ..types.credits import CreditedItem, Part, credit, credit_items, rounding_of, share, subtract_taken
from ..types.invoices import CREDIT_NOTES, MAX_REASON, PAYABLE, Status
from . import notices
from .balances import settle_balance
from .issuing import locked_again
from .numbers import take_number
from .pdfs import store_credit_pdf
from .writing import invoiced_totals

NOTHING_LEFT = "Nothing is left to credit."
#: Quantities by the id of their item.
Quantities = Mapping[int, Decimal]


@dataclass(frozen=True, slots=True)
class Credit:
    """The amounts that a credit note takes back: of each part of the invoice, and, unless it is for an amount, of which items."""

    parts: list[Part]
    items: list[CreditedItem]

    @property
    def total_cents(self) -> int:
        return sum(part.gross_cents for part in self.parts)

    @property
    def rounding_cents(self) -> int:
        return rounding_of(self.parts, self.items)


@transaction.atomic
def credit_invoice(
    *,
    invoice: Invoice,
    quantities: Quantities | None = None,
    amount_cents: int | None = None,
    reason: str,
    refund: bool = True,
    send_email: bool = True,
    user: Any = None,
) -> CreditNote:
    """Correct an issued invoice, and email the credit note: by quantities of items, or by an amount with tax.

    Items are credited at their own tax rates; an amount, by default all that is left, is spread over the rates in proportion.
    It lowers the balance; `refund` gives back what the client has paid beyond that. Raises Invalid: `status` unless it is an
    invoice that was issued, `items` and `amount_cents` if more is credited than is left, `reason`.
    """
    locked = locked_again(invoice)
    if not locked.is_invoice or locked.status not in {Status.SENT, Status.PAID}:
        raise Invalid({"status": "Only issued invoices can be credited."})
    why = read_line(reason, FieldPath("reason", "reason"), MAX_REASON)
    if not why:
        raise Invalid({"reason": required_message("reason")})
    credited = calculate_credit(locked, quantities=quantities, amount_cents=amount_cents)
    note = _create(locked, credited, why, user)
    locked.credited_cents += note.total_cents
    settle_balance(locked)
    close_payments_later(payable=PAYABLE, record_id=locked.pk)
    store_credit_pdf(note)
    log(instance=locked, action="invoicing.credit", user=user, data={"number": note.number, "amount": format_money(note.total)})
    notices.record(locked, f"credited by {format_money(note.total)}")
    if send_email:
        notices.send_credit_note(note)
    owed = min(unrefunded_cents(locked), refundable_cents(PAYABLE, locked.pk))
    # Less than a step cannot be paid back: it goes with a later credit note.
    owed -= owed % payable_step(locked.currency)
    if refund and owed:
        request_refund(payable=PAYABLE, record_id=locked.pk, amount_cents=owed, reason=why, user=user)
    return note


def calculate_credit(invoice: Invoice, *, quantities: Quantities | None = None, amount_cents: int | None = None) -> Credit:
    """Return what quantities of items, or else an amount, take back of an invoice. Raises Invalid (`items`, `amount_cents`)."""
    notes, billed = list(invoice.credit_notes.all()), invoice.parts
    rest = subtract_taken(billed, [note.taken for note in notes])
    wanted = {pk: quantity for pk, quantity in (quantities or {}).items() if quantity}
    if not wanted:
        return Credit(_of_amount(invoice, rest, amount_cents), [])
    if amount_cents is not None:
        raise Invalid({"amount_cents": "Enter an amount, or how many of which items, not both."})
    places = {(part.label, part.percent): place for place, part in enumerate(rest)}
    added, is_last = [part.gross_cents for part in billed], True
    found = []
    for item, total in zip(invoice.items.all(), invoiced_totals(invoice).lines, strict=True):
        label, percent = (item.tax_label, plain(item.tax_percent)) if item.tax_percent else ("", "0")
        place = places.get((label, percent), len(rest) - 1)
        added[place] -= total.total_cents
        before, quantity = credited_quantity(notes, item.pk), wanted.pop(item.pk, Decimal(0))
        if quantity:
            if not 0 < quantity <= item.quantity - before:
                raise Invalid({"items": f"Only {plain(item.quantity - before)} of {item.description} can be credited."})
            shares = {"quantity": quantity, "before": before, "of": item.quantity}
            gross, tax = share(total.total_cents, **shares), share(total.tax_cents, **shares)
            found.append((place, CreditedItem(item.pk, item.description, plain(quantity), gross, tax)))
        is_last = is_last and (before + quantity == item.quantity or not total.total_cents)
    if wanted:
        raise Invalid({"items": "These are no items of this invoice."})
    try:
        parts = credit_items(rest, found, added=added, is_last=is_last)
    except ValueError:
        raise Invalid({"items": "Less than that is left at this tax rate. Enter an amount instead."}) from None
    if not sum(part.gross_cents for part in parts):
        raise Invalid({"items": _free_refusal(invoice, found)})
    return Credit(parts, [item for _, item in found])


def _free_refusal(invoice: Invoice, found: Iterable[tuple[int, CreditedItem]]) -> str:
    """Return why items of which nothing can be taken back are not credited."""
    if invoice.credited_cents == invoice.total_cents:
        return NOTHING_LEFT
    is_rounded = any(item.gross_cents for _, item in found)
    return "The rounding of the total covers these items. Credit them with others." if is_rounded else "These items cost nothing."


def _of_amount(invoice: Invoice, rest: list[Part], amount_cents: int | None) -> list[Part]:
    most = invoice.total_cents - invoice.credited_cents
    amount = most if amount_cents is None else amount_cents
    if not 0 < amount <= most:
        shown = format_money(Money(most, invoice.currency))
        raise Invalid({"amount_cents": f"Enter an amount of at most {shown}." if most else NOTHING_LEFT})
    return credit(rest, amount)


def credited_quantity(notes: Iterable[CreditNote], item: int) -> Decimal:
    """Return how much of an item credit notes have taken back."""
    return sum((Decimal(each.quantity) for note in notes for each in note.credited_items if each.item == item), Decimal(0))


def plain(number: Decimal) -> str:
    """Return a decimal without zeros at its end."""
    return f"{number.normalize():f}"


def _create(invoice: Invoice, credited: Credit, reason: str, user: Any) -> CreditNote:
    return CreditNote.objects.create(
        number=take_number(CREDIT_NOTES),
        invoice=invoice,
        reason=reason,
        total_cents=credited.total_cents,
        tax_cents=sum(part.tax_cents for part in credited.parts),
        parts=[asdict(part) for part in credited.parts],
        items=[asdict(item) for item in credited.items],
        issue_date=today(),
        created_by=user,
        created_at=timezone.now(),
    )
