import pytest

from cms_api.fields import FIELD_TYPES

from .ask import clean, make_field, refusal, search_text

SENTENCE = {"": ["The selected my field is invalid."]}


def test_it_works() -> None:
    assert clean("select", "red") == clean("radio", " red ") == "red"
    assert clean("select", ["blue", "red", "blue"], multiple=True) == ["blue", "red"]
    assert clean("checkbox", ["red"]) == ["red"]
    assert search_text("select", "red") == "Deep red"
    assert search_text("checkbox", ["blue", "red", "gone"]) == "Deep red Sky blue"


@pytest.mark.parametrize("value", ["green", "Deep red", 1, True, ["red"], {}, {"red": 1}])
def test_no_option(value: object) -> None:
    assert refusal("select", value) == refusal("radio", value) == SENTENCE


@pytest.mark.parametrize("value", [["green"], ["red", 1], [["red"]], [None], [{}]])
def test_one_of_many_is_no_option(value: object) -> None:
    assert refusal("checkbox", value) == refusal("select", value, multiple=True) == SENTENCE


@pytest.mark.parametrize("value", ["red", 1, {"red": True}, True])
def test_many_are_an_array(value: object) -> None:
    assert refusal("checkbox", value) == {"": ["The my field field must be an array."]}


def test_too_many() -> None:
    refusal("checkbox", ["red"] * 501)


def test_empty() -> None:
    assert clean("select", "") is clean("radio", None) is clean("checkbox", "") is None
    assert clean("checkbox", []) == []


def test_a_withdrawn_option_still_reads() -> None:
    field = make_field("select")
    assert "enum" in FIELD_TYPES["select"].json_schema(field, writing=True)
    assert "enum" not in FIELD_TYPES["select"].json_schema(field, writing=False)
