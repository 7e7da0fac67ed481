import math

import pytest

from .ask import SURROGATE, clean, refusal


def test_it_works() -> None:
    assert clean("taxonomy", 7) == [7]
    assert clean("taxonomy", " news ") == ["news"]
    assert clean("taxonomy", ["news", 7, "7", "news", 7.0], multiple=True) == ["news", 7, "7"]
    assert clean("taxonomy", None) == clean("taxonomy", []) == clean("taxonomy", "") == []
    assert clean("relation", 7) == 7
    assert clean("relation", [7, 8, 7], multiple=True) == [7, 8]
    assert clean("relation", 7, multiple=True) == [7]
    assert clean("relation", None) is None


def test_more_than_one_term() -> None:
    assert refusal("taxonomy", ["news", "sport"]) == {"": ["The my field field must not have more than 1 item."]}
    assert clean("taxonomy", ["news", "news"]) == ["news"]


@pytest.mark.parametrize("value", [0, -1, True, 1.5, 2**63, math.inf, math.nan, {}, [[1]], [None], [""], [True]])
def test_no_term(value: object) -> None:
    assert refusal("taxonomy", value, multiple=True) == {"": ["The selected my field is invalid."]}


def test_bad_slugs() -> None:
    refusal("taxonomy", [SURROGATE])
    refusal("taxonomy", "x" * 256)
    refusal("taxonomy", list(range(1, 1002)), multiple=True)


@pytest.mark.parametrize("value", [0, -1, True, 1.5, 2**63, math.inf, math.nan, "7", [7], [], {}])
def test_no_item(value: object) -> None:
    assert refusal("relation", value) == {"": ["The selected my field is invalid."]}


@pytest.mark.parametrize("value", [["7"], [0], [None], "7", {}])
def test_no_items(value: object) -> None:
    assert refusal("relation", value, multiple=True) == {"": ["The selected my field is invalid."]}
