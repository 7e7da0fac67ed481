"""Patterns of postal codes cover whole parts of codes."""

import pytest

from commerce.common.types.postal_codes import covers, spellings


@pytest.mark.parametrize(
    ("country", "pattern", "code"),
    [
        *(("GB", pattern, "NW1 6XE") for pattern in ("NW1*", "NW1", "NW*", "NW1 6XE", "nw16xe", "NW1 6*", "NW1 6X*", "*")),
        *(("GB", "NW1*", code) for code in ("NW1", "nw1", "NW16XE", "nw1-6xe", "NW1W 1AA")),
        ("GB", "W1*", "W1A 1AA"),
        ("GB", "EC1A", "EC1A 1BB"),
        ("GB", "E17", "E174QJ"),
        *(("US", "94103", code) for code in ("94103", "94103-1234", "94103 1234", "941031234")),
        *(("US", pattern, "94103-1234") for pattern in ("94103*", "941*", "94103-1234", "941031234", "94103-12*")),
        *(("CA", pattern, "K1A 0B1") for pattern in ("K1A*", "K1A", "K1*", "K*", "K1A 0B1", "k1a0b1", "K1A0*", "K1A 0*")),
        *(("NL", pattern, code) for pattern in ("1012", "1012*", "1012 AB", "10*", "1012 A*") for code in ("1012 AB", "1012ab")),
        *(("PL", pattern, "00-950") for pattern in ("00-950", "00950", "00*", "00-9*", "009*")),
        *(("JP", pattern, "100-0001") for pattern in ("100-0001", "1000001", "100", "100*", "10*")),
        *(("DE", pattern, "10115") for pattern in ("10115", "10*", "101*", "1*", "D-10115", "DE-10*")),
        *(("JP", "100-0001", code) for code in ("１００－０００１", "100ー0001", "100\N{MINUS SIGN}0001", "100\N{EN DASH}0001")),
        *(("JP", pattern, "100-0001") for pattern in ("１００－０００１", "１０＊", "100ー0001", "100\N{EM DASH}00*")),
        ("GB", "ＮＷ１", "NW1\N{IDEOGRAPHIC SPACE}6XE"),
        ("DE", "Ｄ－１０１１５", "D\N{EN DASH}10115"),
        ("DE", "10115", "D-10115"),
        ("CH", "8001", "CH-8001"),
        ("SE", "114 55", "SE-114 55"),
        ("BR", "01310", "01310-100"),
        ("IE", "D02", "D02 X285"),
        ("LV", "LV-1010", "1010"),
    ],
)
def test_it_works(country: str, pattern: str, code: str) -> None:
    assert covers(pattern, code, country)


@pytest.mark.parametrize(
    ("country", "pattern", "code"),
    [
        *(("GB", "NW1*", code) for code in ("NW10 6AB", "NW106AB", "NW10", "NW11", "N1 6XE", "NW", "")),
        *(("GB", "E1*", code) for code in ("E17 4QJ", "E10 1AA", "EC1A 1BB", "E", "9" * 100_000)),
        *(("GB", pattern, "NW1 6XE") for pattern in ("N*", "NW", "NW16*", "NW1 7*", "NW1 6XD", "NW10*", "N")),
        ("GB", "NW1", "NW1W 1AA"),
        ("GB", "E17*", "E1 7AA"),
        ("GB", "E1 7*", "E17 4QJ"),
        *(("US", "94103", code) for code in ("94104", "941030", "9410")),
        ("US", "94103-1234", "94103"),
        ("US", "9410", "94103"),
        ("CA", "K1A", "K1B 0B1"),
        ("NL", "101", "1012 AB"),
        ("DE", "1011", "10115"),
        ("DE", "10115", "10116"),
        ("JP", "10", "100-0001"),
        ("FR", "", "75001"),
        ("FR", "75*", ""),
    ],
)
def test_parts_of_other_codes_are_not_covered(country: str, pattern: str, code: str) -> None:
    assert not covers(pattern, code, country)


def test_a_code_has_several_spellings() -> None:
    for code in ("B3H 1A1", "B3H1A1", "b3h 1a1", "B3H-1A1", "B3H\N{EN DASH}1A1", "Ｂ３Ｈ　１Ａ１"):
        assert {"B3H 1A1", "B3H1A1"} <= spellings(code)
    assert "94103-1234" in spellings("941031234")
    assert spellings("05301") == {"05301"} | {"05 301", "05-301", "053 01", "053-01"}
