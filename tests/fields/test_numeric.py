import math

import pytest

from .ask import clean, refusal


def test_it_works() -> None:
    assert [clean("number", value) for value in (5, 2.5, "12", " -1.50 ", 0, None, "")] == [5, 2.5, 12, -1.5, 0, None, None]
    assert [clean("integer", value) for value in (5, 5.0, "12", "-3", "4.0")] == [5, 5, 12, -3, 4]
    assert all(type(clean("integer", value)) is int for value in (5.0, "4.0"))


@pytest.mark.parametrize(
    "value", [True, False, "abc", "1e5", "0x1", "1,5", "१", "nan", math.nan, math.inf, -math.inf, [], [1], {}]
)
def test_no_number(value: object) -> None:
    assert refusal("number", value) == {"": ["The my field field must be a number."]}
    assert refusal("integer", value) == {"": ["The my field field must be an integer."]}


@pytest.mark.parametrize("value", [1.5, "1.5", 1e-9])
def test_not_whole(value: object) -> None:
    assert refusal("integer", value) == {"": ["The my field field must be an integer."]}


def test_sixty_four_bits() -> None:
    assert clean("integer", 2**63 - 1) == 2**63 - 1
    assert clean("integer", str(-(2**63))) == -(2**63)
    for value in (2**63, -(2**63) - 1, 10**5000, "9" * 40, 1e300):
        refusal("integer", value)
    for value in (2**63, 10**5000, "9" * 5000, 1e300, -1e300, 2.0**63, "9223372036854775808.0"):
        refusal("number", value)
    assert clean("number", -(2.0**63)) == -(2**63)


def test_booleans() -> None:
    assert [clean("boolean", value) for value in (True, 1, "1", "true", 1.0)] == [True] * 5
    assert [clean("boolean", value) for value in (False, 0, "0", "false", 0.0)] == [False] * 5
    assert clean("boolean", None) is clean("boolean", "") is None


@pytest.mark.parametrize("value", [2, -1, "yes", "on", "TRUE", [], {}, 0.5, math.nan])
def test_no_boolean(value: object) -> None:
    assert refusal("boolean", value) == {"": ["The my field field must be true or false."]}
