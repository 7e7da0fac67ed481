"""Bodies: what is no JSON object is a 400, what cannot be kept a 422."""

from typing import Any

import pytest

from cms_api.core.errors import BadRequest, Invalid
from cms_api.http.sanitiser import LARGEST_INTEGER, MAX_DEPTH, MAX_NODES, inspect, read_json_object


def test_it_works() -> None:
    body = '{"a": [1, -2.5, true, null, {"b": "é😀"}], "": ""}'.encode()
    assert read_json_object(body) == {"a": [1, -2.5, True, None, {"b": "é😀"}], "": ""}


def test_the_last_of_two_equal_keys_counts() -> None:
    assert read_json_object(b'{"a": 1, "a": 2}') == {"a": 2}


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b" ", b"null", b"[]", b"[{}]", b"1", b'"a"', b"true", b"{", b"}", b"{}{}", b"{a: 1}", b"{'a': 1}", b'{"a": 1,}'),
        *(b'{"a": NaN}', b'{"a": Infinity}', b'{"a": -Infinity}', b'{"a": 1e999}', b'{"a": .5}', b'{"a": 1.}', b'{"a": 01}'),
        *(
            b'{"a": "\xff"}',
            b'{"a": "\xed\xa0\x80"}',
            b'{"a": "\\ud800"}',
            b'{"a": "\\x00"}',
            b'{"a": "\n"}',
            b'\xef\xbb\xbf{"a": 1}',
        ),
        *(b'{"a": ' * 100_000, b"[" * 100_000, b'{"a":' + b"[" * 64 + b"]" * 64 + b"}", b"\x00{}", b"{}\x00"),
    ],
)
def test_what_is_no_object_of_json_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        read_json_object(body)


def test_the_depth_has_a_limit() -> None:
    def nested(levels: int) -> dict[str, Any]:
        value: Any = 1
        for _ in range(levels):
            value = {"a": value}
        return value

    inspect(nested(MAX_DEPTH))
    with pytest.raises(BadRequest, match="64 levels"):
        inspect(nested(MAX_DEPTH + 1))


def test_the_number_of_values_has_a_limit() -> None:
    inspect({"a": [0] * (MAX_NODES - 2)})
    with pytest.raises(BadRequest, match="10000 values"):
        inspect({"a": [0] * (MAX_NODES - 1)})


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (b'{"a": "x\\u0000"}', "a"),
        (b'{"a": {"b": ["x", "\\u0000"]}}', "a.b.1"),
        (b'{"a": {"b": 9223372036854775808}}', "a.b"),
        (b'{"a": [18446744073709551615]}', "a.0"),
        (b'{"a": {"x\\u0000y": 1}}', "a"),
    ],
)
def test_what_cannot_be_kept_is_named(body: bytes, path: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_json_object(body)
    assert list(refused.value.errors) == [path]


def test_integers_of_64_bits_are_kept() -> None:
    assert read_json_object(b'{"a": 9223372036854775807, "b": -9223372036854775807}') == {
        "a": LARGEST_INTEGER,
        "b": -LARGEST_INTEGER,
    }


def test_all_that_cannot_be_kept_is_told_at_once() -> None:
    with pytest.raises(Invalid) as refused:
        inspect({"a": "\0", "b": ["\0"], "c": 2**64})
    assert set(refused.value.errors) == {"a", "b.0", "c"}
