"""The statement of a client as PDF and as a file for spreadsheets."""

import csv
import io
from datetime import datetime, time
from functools import partial
from typing import Any

from cms_api.flags.selectors import site_formats, site_timezone
from cms_api.text.spreadsheets import safe_cell
from commerce.common.selectors import format_cents
from commerce.common.services.documents import Pdf, render_pdf
from commerce.common.types.money import Money

from ..selectors.statements import Statement
from ..types.statements import Account

OPENING, CLOSING = "Opening balance", "Closing balance"
COLUMNS = ("date", "description", "currency", "amount", "balance")


def statement_pdf(statement: Statement) -> Pdf:
    """Return a statement as a document, with a table for each currency."""
    formats = site_formats()
    client = statement.client
    data = {
        "title": "Statement",
        "number": client.name,
        "facts": [["From", formats.date(statement.first)], ["To", formats.date(statement.last)]],
        "client": [client.name, *client.billing_lines],
        "accounts": [_table(account) for account in statement.accounts],
    }
    return render_pdf("statement", data, at=datetime.combine(statement.last, time(12), tzinfo=site_timezone()))


def _table(account: Account) -> dict[str, Any]:
    money = partial(format_cents, currency=account.currency)
    return {
        "currency": account.currency.upper(),
        "opening": money(account.opening_cents),
        "closing": money(account.closing_cents),
        "entries": [
            {
                "day": site_formats().short_date(entry.day),
                "description": entry.description,
                "amount": money(entry.cents),
                "balance": money(entry.balance_cents),
            }
            for entry in account.entries
        ],
    }


def statement_csv(statement: Statement) -> str:
    """Return a statement as CSV: dates as YYYY-MM-DD, amounts in major units, and no text that a spreadsheet would run."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for account in statement.accounts:
        code = account.currency

        def amount(cents: int, code: str = code) -> str:
            return str(Money(cents, code).amount)

        writer.writerow([statement.first, OPENING, code, "", amount(account.opening_cents)])
        for each in account.entries:
            writer.writerow([each.day, safe_cell(each.description), code, amount(each.cents), amount(each.balance_cents)])
        writer.writerow([statement.last, CLOSING, code, "", amount(account.closing_cents)])
    return file.getvalue()
