"""The sums below the items of an invoice, with their labels, as pages, emails and documents show them."""

from cms_api.flags.selectors import site_formats
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import CreditNote, Invoice

#: A label and a formatted amount.
Row = tuple[str, str]


def totals(invoice: Invoice) -> list[Row]:
    """Return the sums of an invoice or estimate as it was issued; the last one that is no tax is the total."""

    def money(cents: int) -> str:
        return format_money(Money(cents, invoice.currency))

    rows = []
    if invoice.discount_cents:
        percent = invoice.discount_percent
        label = f"Discount ({site_formats().number(percent.normalize())}%)" if percent else "Discount"
        rows = [("Subtotal", money(invoice.subtotal_cents)), (label, money(-invoice.discount_cents))]
    elif invoice.tax_cents and not invoice.prices_include_tax:
        rows = [("Subtotal", money(invoice.subtotal_cents))]
    taxes = [(_tax_label(tax["label"], tax["percent"]), money(tax["tax_cents"])) for tax in invoice.taxes]
    if invoice.prices_include_tax:
        return [*rows, ("Total", money(invoice.total_cents)), *((f"Includes {label}", cents) for label, cents in taxes)]
    return [*rows, *taxes, ("Total", money(invoice.total_cents))]


def balance(invoice: Invoice) -> list[Row]:
    """Return what has been paid and credited, and what is left; nothing as long as nothing was."""
    if not (invoice.amount_paid_cents or invoice.credited_cents):
        return []
    rows = []
    if invoice.amount_paid_cents:
        rows.append(("Paid", format_money(Money(-invoice.amount_paid_cents, invoice.currency))))
    if invoice.credited_cents:
        rows.append(("Credited", format_money(Money(-invoice.credited_cents, invoice.currency))))
    return [*rows, ("Balance due", format_money(invoice.balance))]


def credited(note: CreditNote) -> list[Row]:
    """Return the sums of a credit note: by tax rate, and the total."""

    def money(cents: int) -> str:
        return format_money(Money(cents, note.invoice.currency))

    rows = []
    for part in note.taken:
        if part.tax_cents:
            rows.append((f"Net at {part.percent}%", money(part.net_cents)))
            rows.append((_tax_label(part.label, part.percent), money(part.tax_cents)))
        elif part.gross_cents:
            rows.append(("Not taxed", money(part.gross_cents)))
    return [*rows, ("Total", money(note.total_cents))]


def _tax_label(label: str, percent: str) -> str:
    return f"{label} {percent}%"
