"""Cells of the files that spreadsheets open."""

from typing import Any

#: A spreadsheet takes what begins like this for a formula, or reads it after leaving the first character out.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\0")


def safe_cell(value: Any) -> str:
    """A value as a cell that no spreadsheet runs."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def plain_cell(cell: str) -> str:
    """What a cell says: `safe_cell` undone."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell
