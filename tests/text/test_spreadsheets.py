"""Cells that spreadsheets would run as formulas, in every disguise; and the way back."""

import itertools

import pytest

from cms_api.text.spreadsheets import plain_cell, safe_cell

SIGNS = "=+-@＝＋－＠"
#: White space, control characters, and characters that nobody sees.
BEFORE = ["", " ", "\t", "\r", "\n", "\0", "\x1b", "\x85", "\xa0", "\xad", "\u200b", "\u200e", "\u2028", "\u2060", "\ufeff"]
FORMULAS = [
    *(before + sign + "1+1" for before, sign in itertools.product([*BEFORE, " \ufeff ", "\u200b\t"], SIGNS)),
    *("\t", "\t1", "\r1", "\n1", "\0", "\x001", "=", "＝HYPERLINK(1)", '－cmd|" /C calc"!A0', "'=1", "''＝1"),
]
HARMLESS = ["", " ", "a", "1", "a=1", "é＝1", "'quoted'", "'", "''", "'a", "#1", "*", "(−5)", "\u200bword", " word", "’=1"]


def test_it_works() -> None:
    assert [safe_cell(value) for value in (None, 7, "plain", "=1+1", "＝1+1")] == ["", "7", "plain", "'=1+1", "'＝1+1"]
    assert safe_cell(-7) == "'-7"


@pytest.mark.parametrize("text", FORMULAS, ids=ascii)
def test_formulas_are_quoted_once(text: str) -> None:
    assert safe_cell(text) == "'" + text
    assert plain_cell(safe_cell(text)) == text


@pytest.mark.parametrize("text", HARMLESS, ids=ascii)
def test_other_text_is_as_it_was(text: str) -> None:
    assert safe_cell(text) == text
    assert plain_cell(text) == text


def test_a_quoted_formula_of_another_program_is_read_without_its_quote() -> None:
    assert [plain_cell(cell) for cell in ("'+1 802 555", "'＋1 802 555", "'a", "+1")] == ["+1 802 555", "＋1 802 555", "'a", "+1"]
