"""Path converters: `<id:name>` and `<ref:name>` in a URL pattern."""

from typing import Any

from django.urls import register_converter


class IdConverter:
    """ASCII digits of a positive 64-bit integer; any other text is an unknown path."""

    regex = "[1-9][0-9]{0,18}"

    def to_python(self, value: str) -> int:
        number = int(value)
        if number >= 2**63:
            raise ValueError(value)
        return number

    def to_url(self, value: int) -> str:
        return str(value)


class RefConverter:
    """An id, slug, number, code or email address: whatever a lookup accepts in place of an id."""

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        if "\0" in value:
            raise ValueError(value)
        return value

    def to_url(self, value: Any) -> str:
        return str(value)


register_converter(IdConverter, "id")
register_converter(RefConverter, "ref")
