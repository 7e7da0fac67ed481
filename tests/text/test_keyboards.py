"""Codes and numbers as people type them on the keyboards of all countries."""

import sys
import unicodedata

import pytest

from cms_api.text.keyboards import drop_invisible, fold_keyboard
from tests.figures import figure


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("１００－０００１", "100-0001"),
        ("100ー0001", "100-0001"),
        ("100ｰ0001", "100-0001"),
        ("二丁目ー3", "二丁目-3"),
        ("コーヒーー10", "コーヒーー10"),
        ("ｺｰﾋｰ", "コーヒー"),
        ("らーめん", "らーめん"),
        ("ＮＷ１\N{IDEOGRAPHIC SPACE}６ＸＥ", "NW1 6XE"),
        ("1\N{NO-BREAK SPACE}2\N{NARROW NO-BREAK SPACE}3\N{FIGURE SPACE}4", "1 2 3 4"),
        ("1\N{ZERO WIDTH SPACE}2\N{SOFT HYPHEN}3\N{COMBINING GRAPHEME JOINER}4", "1234"),
        # Readers of one line refuse these.
        ("1\n2\0", "1\n2\0"),
    ],
)
def test_it_works(typed: str, folded: str) -> None:
    assert fold_keyboard(typed) == folded
    assert fold_keyboard(folded) == folded


def test_every_dash_is_a_hyphen() -> None:
    dashes = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Pd"]
    assert {fold_keyboard(f"1{dash}2") for dash in [*dashes, "\N{MINUS SIGN}", "ー"]} == {"1-2"}


def test_every_character_is_folded_once() -> None:
    # The planes of rare scripts and pictures are looked at in steps that meet each of their blocks.
    for code in (*range(0x10000), *range(0x10000, sys.maxunicode + 1, figure(7, 1))):
        folded = fold_keyboard(chr(code))
        assert fold_keyboard(folded) == folded


def test_invisible_characters() -> None:
    """The whole of Unicode's Default_Ignorable_Code_Point, and the category Cf."""
    ranges = (
        *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F)),
        *((0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0)),
        *((0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
    )
    ignorable = {code for first, last in ranges for code in range(first, last + 1)}
    formats = {code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"}
    dropped = {code for code in range(sys.maxunicode + 1) if not drop_invisible(chr(code))}
    assert ignorable | formats <= dropped
    # No others, but those that are formats only in later editions of Unicode.
    assert {unicodedata.category(chr(code)) for code in dropped - ignorable - formats} <= {"Cn", "Mn"}
