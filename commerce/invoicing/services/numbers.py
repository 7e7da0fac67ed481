"""Numbers of invoices, estimates and credit notes."""

from commerce.common.services import next_number

from ..models import Invoice
from ..types.invoices import FIRST_NUMBER, SERIES, Kind, document_number


def take_number(series: str) -> str:
    """Return the next number of a series, as late as possible: all others wait for the transaction to end."""
    return document_number(series, next_number(series, first=FIRST_NUMBER))


def give_number(invoice: Invoice) -> None:
    """Give an invoice or estimate its number, unless it has one."""
    invoice.number = invoice.number or take_number(SERIES[Kind(invoice.kind)])
