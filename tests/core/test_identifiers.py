"""Ids, keys, slugs and numbers, as addresses and messages have them."""

from uuid import UUID

import pytest

from cms_api.core.converters import AnyIdConverter, IdConverter, RefConverter
from cms_api.core.identifiers import MAX_ID, is_slug, read_id, read_key, with_hyphen

KEY = "0123456789abcdef0123456789abcdef"


def test_it_works() -> None:
    assert (read_id("1"), read_id(str(MAX_ID)), IdConverter().to_python("7")) == (1, MAX_ID, 7)
    assert read_key(KEY) == UUID(KEY)


@pytest.mark.parametrize("text", ["0", "007", "-1", "1x", "1.0", "1e3", "+1", " 1", "1\n", "\u0661", str(MAX_ID + 1), "9" * 30])
def test_what_is_no_id(text: str) -> None:
    assert read_id(text) is None
    with pytest.raises(ValueError, match=r"."):
        IdConverter().to_python(text)


@pytest.mark.parametrize("text", ["", "1", KEY[1:], KEY + "0", KEY.upper(), KEY[:-1] + "g", KEY + "\n"])
def test_what_is_no_key(text: str) -> None:
    assert read_key(text) is None


def test_other_converters() -> None:
    assert AnyIdConverter().to_python("9" * 30) == MAX_ID
    assert RefConverter().to_python("INV-1001") == "INV-1001"
    with pytest.raises(ValueError, match=r"."):
        RefConverter().to_python("INV-1001\0")


@pytest.mark.parametrize(
    ("text", "expected"), [("a", True), ("a-b_2", True), ("", False), ("A", False), ("a--b", False), ("é", False)]
)
def test_slugs(text: str, expected: bool) -> None:
    assert is_slug(text) is expected


@pytest.mark.parametrize(
    ("typed", "number"), [("INV1001", "INV-1001"), ("INV-1001", "INV-1001"), ("ABC", "ABC"), ("\u0130NV1", "\u0130NV1")]
)
def test_numbers(typed: str, number: str) -> None:
    assert with_hyphen(typed) == number
