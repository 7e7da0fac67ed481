"""Cells of files that are opened in spreadsheets."""

import re
from typing import Any

#: White space and characters that nobody sees, which programs may drop before they read a cell.
_UNSEEN = r"\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff"
#: Spreadsheets read text that begins so as a formula, some of them with the full-width signs of East Asian keyboards too. Quotes
#: before it are counted in, so that `plain_cell` can tell a quote of the text from that of `safe_cell`.
_FORMULA = re.compile(rf"'*(?:[{_UNSEEN}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n\0])")


def safe_cell(value: Any) -> str:
    """Return a value as a cell that no spreadsheet executes."""
    text = "" if value is None else str(value)
    return f"'{text}" if _FORMULA.match(text) else text


def plain_cell(cell: str) -> str:
    """Return the original text of a cell; undoes `safe_cell`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
