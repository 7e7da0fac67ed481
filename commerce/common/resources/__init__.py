"""Output and input shapes shared by several modules."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Model
from django.utils.html import format_html, format_html_join
from rest_framework import serializers

from cms_api.core.errors import Invalid, attribute
from cms_api.core.module import Block
from cms_api.http.serializers import InputSerializer, Resource, TextInput

from ..models import Address, Person
from ..selectors import format_money
from ..types import MAX_EMAIL, MAX_LINE, MAX_NAME, MAX_TAG, MAX_TAGS, read_email, unique_tags
from ..types.money import Money
from ..types.totals import Totals

_ROW = '<tr><td>{}</td><td style="text-align: right; white-space: nowrap">{}</td></tr>'
_TOTAL = '<tr><th scope="row">{}</th><td style="text-align: right; white-space: nowrap">{}</td></tr>'


class PersonResource(Resource):
    """A person's names."""

    first_name = serializers.CharField(allow_null=True)
    last_name = serializers.CharField(allow_null=True)
    name = serializers.CharField(allow_null=True, help_text="First and last name; read only.")


class AddressResource(Resource):
    """A postal address."""

    street = serializers.CharField(allow_null=True)
    street2 = serializers.CharField(allow_null=True)
    city = serializers.CharField(allow_null=True)
    state = serializers.CharField(allow_null=True)
    postal_code = serializers.CharField(allow_null=True)
    country = serializers.CharField(allow_null=True)


class NamedResource(Resource):
    """A reference to another record: id and name."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class SluggedResource(NamedResource):
    """A reference to another record: id, name and slug."""

    slug = serializers.CharField()


class EmailInput(TextInput):
    """An email address, lower-cased."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": MAX_EMAIL, "help_text": "Stored and compared in lower case.", **options})

    def to_internal_value(self, data: Any) -> str:
        try:
            return read_email(super().to_internal_value(data), self.field_name or "email")
        except Invalid as refusal:
            raise serializers.ValidationError(refusal.message) from refusal


class LineInput(TextInput):
    """Optional single-line text; null when absent."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"required": False, "allow_null": True, "max_length": MAX_LINE, **options})

    def to_internal_value(self, data: Any) -> str:
        line = " ".join(super().to_internal_value(data).split())
        if any(unicodedata.category(character) == "Cc" for character in line):
            name = attribute(self.field_name or "text")
            raise serializers.ValidationError(f"The {name} contains characters that are not allowed.")
        return line


class TagsInput(serializers.ListField):
    """Tags, deduplicated ignoring case."""

    def __init__(self, **options: Any) -> None:
        tag = LineInput(allow_null=False, max_length=MAX_TAG)
        super().__init__(**{"child": tag, "required": False, "allow_null": True, **options})

    def to_internal_value(self, data: Any) -> list[str]:
        tags: list[str] = super().to_internal_value(data)
        if len(tags) > MAX_TAGS:
            name = attribute(self.field_name or "tags")
            raise serializers.ValidationError(f"The {name} may not have more than {MAX_TAGS} items.")
        return unique_tags(tags)


class PersonInput(InputSerializer):
    first_name = LineInput(max_length=MAX_NAME)
    last_name = LineInput(max_length=MAX_NAME)


class AddressInput(InputSerializer):
    street = LineInput()
    street2 = LineInput()
    city = LineInput(max_length=MAX_NAME)
    state = LineInput(max_length=MAX_NAME)
    postal_code = LineInput(max_length=30)
    country = LineInput(max_length=MAX_NAME)


def person(row: Person) -> dict[str, Any]:
    return {"first_name": row.first_name or None, "last_name": row.last_name or None, "name": row.name or None}


def address(row: Address) -> dict[str, Any]:
    return {key: getattr(row, key) or None for key in ("street", "street2", "city", "state", "postal_code", "country")}


def refer_to(row: Model | None) -> dict[str, Any] | None:
    """Return a reference to another record (id and name), or None."""
    return None if row is None else {"id": row.pk, "name": str(row)}


def sums_block(items: Sequence[tuple[str, str]], totals: Sequence[tuple[str, str]]) -> Block:
    """Return what was sold and its totals, each with a formatted amount, as a part of an email."""
    parts = ("\n".join(f"{name}: {amount}" for name, amount in rows) for rows in (items, totals))
    text = "\n\n".join(filter(None, parts))
    body = format_html_join("", _ROW, items) + format_html_join("", _TOTAL, totals)
    return Block(text, format_html('<table role="presentation">{}</table>', body))


def stored_taxes(totals: Totals) -> list[dict[str, Any]]:
    """Return the taxes of a sale as they are stored with it, highest rate first."""
    return [
        {
            "label": each.rate.label,
            "percent": f"{each.rate.percent.normalize():f}",
            "net_cents": each.net_cents,
            "tax_cents": each.tax_cents,
        }
        for each in totals.taxes
    ]


def rounding_rows(total_cents: int, parts_cents: int, currency: str) -> list[tuple[str, str]]:
    """Return the row of the rounding of a total, as a label and a formatted amount; none if it is the sum of its parts."""
    added = total_cents - parts_cents
    return [("Rounding", format_money(Money(added, currency)))] if added else []


def tax_rows(taxes: Iterable[dict[str, Any]]) -> list[tuple[str, int]]:
    """Return the stored taxes of a sale, each as its label and its amount in minor units."""
    return [(f"{tax['label']} {tax['percent']}%", tax["tax_cents"]) for tax in taxes]
