"""How an invoice or estimate stands, in the words of clients."""

from datetime import date, datetime

from django.utils import timezone

from cms_api.flags.selectors import site_formats, site_timezone

from ..models import Invoice
from ..types.invoices import Status


def standing(invoice: Invoice, today: date) -> str:
    """Return the status in a few words: "Due March 4, 2026", "Paid on March 1, 2026", "Accepted by Dana on March 1, 2026"."""
    return _of_invoice(invoice, today) if invoice.is_invoice else _of_estimate(invoice, today)


def _of_invoice(invoice: Invoice, today: date) -> str:
    if invoice.status == Status.VOID:
        return "Void"
    if invoice.status == Status.PAID:
        is_credited = invoice.credited_cents and invoice.credited_cents == invoice.total_cents
        return "Credited in full" if is_credited else f"Paid{_on(invoice.paid_at)}"
    if invoice.is_processing:
        return "Payment on its way"
    if is_past(invoice, today):
        return "Overdue"
    if invoice.due_date is None:
        return "Partly paid" if invoice.amount_paid_cents else "Payment due"
    day = "today" if invoice.due_date == today else site_formats().date(invoice.due_date)
    return f"Partly paid, due {day}" if invoice.amount_paid_cents else f"Due {day}"


def _of_estimate(estimate: Invoice, today: date) -> str:
    if estimate.status != Status.SENT:
        by = f" by {estimate.decided_by}" if estimate.decided_by else ""
        return f"{estimate.get_status_display()}{by}{_on(estimate.decided_at)}"
    if estimate.due_date is None:
        return "Awaiting your answer"
    day = site_formats().date(estimate.due_date)
    return f"Expired on {day}" if is_past(estimate, today) else f"Valid until {day}"


def is_past(invoice: Invoice, today: date) -> bool:
    """Return whether the due date of an invoice, or the last day of an estimate, is over."""
    return invoice.due_date is not None and invoice.due_date < today


def _on(moment: datetime | None) -> str:
    return f" on {day_of(moment)}" if moment else ""


def day_of(moment: datetime) -> str:
    """Return the day of a moment in the site's timezone, as people write it."""
    return site_formats().date(timezone.localtime(moment, site_timezone()).date())
