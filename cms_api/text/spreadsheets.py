"""Cells of files that are opened in spreadsheets."""

from typing import Any

#: Spreadsheets read text with such a prefix as a formula, some after dropping the first character.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\0")


def safe_cell(value: Any) -> str:
    """Return a value as a cell that no spreadsheet executes."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def plain_cell(cell: str) -> str:
    """Return the original text of a cell; undoes `safe_cell`."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell
