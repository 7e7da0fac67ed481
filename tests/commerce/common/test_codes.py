"""Codes and numbers as people type them."""

import pytest

from commerce.common.types.codes import number_key, typed_code


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        (" spring 10\n", "SPRING10"),
        ("spring\N{EN DASH}10", "SPRING-10"),
        ("spring\N{EM DASH}10", "SPRING-10"),
        ("spring\N{NON-BREAKING HYPHEN}10", "SPRING-10"),
        ("spring\N{MINUS SIGN}10", "SPRING-10"),
        ("spring\N{FULLWIDTH HYPHEN-MINUS}10", "SPRING-10"),
        ("spring\N{NO-BREAK SPACE}\N{WORD JOINER}1\N{SOFT HYPHEN}0", "SPRING10"),
        ("\N{FULLWIDTH LATIN SMALL LETTER S}pring_\N{FULLWIDTH DIGIT ONE}0", "SPRING_10"),
        ("fr\N{LATIN SMALL LETTER U WITH DIAERESIS}h", "FR\N{LATIN CAPITAL LETTER U WITH DIAERESIS}H"),
        ("fru\N{COMBINING DIAERESIS}h", "FR\N{LATIN CAPITAL LETTER U WITH DIAERESIS}H"),
        ("spring\N{KATAKANA-HIRAGANA PROLONGED SOUND MARK}10", "SPRING-10"),
        ("\N{KATAKANA LETTER KO}\N{KATAKANA-HIRAGANA PROLONGED SOUND MARK}10",) * 2,
        ("spring\N{COMBINING GRAPHEME JOINER}\N{HANGUL FILLER}10", "SPRING10"),
        ("\t\N{ZERO WIDTH SPACE}", ""),
        # Refused where a code is read, not left out.
        ("A\0B", "A\0B"),
        ("\N{LATIN SMALL LETTER DOTLESS I}nv", "\N{LATIN SMALL LETTER DOTLESS I}NV"),
    ],
)
def test_codes(typed: str, code: str) -> None:
    assert typed_code(typed) == code
    assert typed_code(code) == code


@pytest.mark.parametrize("typed", ["TIX-1088", "tix\N{EN DASH}1088", " tix 1088 ", "Tix1088", "TIX \N{EM DASH} 1088"])
def test_numbers(typed: str) -> None:
    assert number_key(typed) == "TIX-1088"


def test_what_is_no_number() -> None:
    assert number_key("Dana Reyes") == "DANAREYES"
    assert number_key("TIX-1088-2") == "TIX-1088-2"
