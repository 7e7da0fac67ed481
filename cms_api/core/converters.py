"""Path converters: `<id:name>`, `<any_id:name>`, `<ref:name>`, `<account:name>` and `<secret:name>` in a URL pattern."""

from typing import Any

from django.urls import register_converter
from django.urls.converters import IntConverter, StringConverter

from .identifiers import ACCOUNT_PATTERN, ID_PATTERN, MAX_ID, REFERENCE_PATTERN, read_id


class IdConverter:
    """ASCII digits of a positive 64-bit integer; any other text is an unknown path."""

    regex = ID_PATTERN

    def to_python(self, value: str) -> int:
        number = read_id(value)
        if number is None:
            raise ValueError(value)
        return number

    def to_url(self, value: int) -> str:
        return str(value)


class AnyIdConverter(IntConverter):
    """Whatever Django's `int` matches, for a URL pattern that stands before another package's.

    With `id`, `/01/` would reach the view of the other package. Numbers beyond 64 bits are those of no record.
    """

    def to_python(self, value: str) -> int:
        return min(super().to_python(value), MAX_ID)


class RefConverter:
    """An id, slug, number, code or email address: whatever a lookup accepts in place of an id."""

    regex = REFERENCE_PATTERN

    def to_python(self, value: str) -> str:
        if "\0" in value:
            raise ValueError(value)
        return value

    def to_url(self, value: Any) -> str:
        return str(value)


class SecretConverter(StringConverter):
    """A secret, such as the token of a link: see `cms_api.http.secret_urls`."""


class AccountConverter(StringConverter):
    """An account in a link to reset a password."""

    regex = ACCOUNT_PATTERN


register_converter(IdConverter, "id")
register_converter(AccountConverter, "account")
register_converter(AnyIdConverter, "any_id")
register_converter(RefConverter, "ref")
register_converter(SecretConverter, "secret")
