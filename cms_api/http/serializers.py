"""Input serializers with the contract's error messages, and fields whose wire format DRF lacks."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, ClassVar

from django.core.validators import MaxLengthValidator, MaxValueValidator, MinValueValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from cms_api.core.errors import Invalid, Messages, attribute, invalid_choice
from cms_api.core.identifiers import MAX_ID
from cms_api.http import wire
from cms_api.http.query import site_timezone

_WORDING = {
    "required": "The {name} field is required.",
    "null": "The {name} field is required.",
    "blank": "The {name} field is required.",
    "empty": "The {name} field is required.",
    "invalid_choice": invalid_choice("{name}"),
    "not_a_list": "The {name} field must be an array.",
    "not_a_dict": "The {name} field must be an object.",
}

_INVALID = (
    (serializers.BooleanField, "The {name} field must be true or false."),
    (serializers.IntegerField, "The {name} must be an integer."),
    (serializers.FileField, "The {name} field must be a file."),
    (serializers.CharField, "The {name} must be a string."),
    (serializers.DateTimeField, "The {name} is not a valid date."),
    (serializers.DateField, "The {name} is not a valid date."),
)


#: The pattern of text with more in it than white space.
NOT_BLANK = r"\S"


class Resource(serializers.Serializer[Any]):
    """Documents the keys of a resource for OpenAPI. The module's resource function makes the actual response."""

    #: An example of a whole record in a response.
    example: ClassVar[dict[str, Any]] = {}
    #: The whole schema, if the keys are not known in advance.
    json_schema: ClassVar[dict[str, Any]] = {}
    #: Keys that are omitted when they do not apply.
    optional: ClassVar[frozenset[str]] = frozenset()

    def get_fields(self) -> dict[str, Any]:
        """Return the fields by wire key, in the order of the example, whichever base class declares them.

        A name that DRF itself uses is declared with a trailing underscore: `fields_`.
        """
        found = {name.rstrip("_"): field for name, field in super().get_fields().items()}
        return {name: found[name] for name in self.example if name in found} | found


class RecordResource(Resource):
    """The keys of every record; `wire.record` returns them."""

    id = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class CentsField(serializers.IntegerField):
    """An amount in minor units of the record's `currency`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"min_value": 0, "help_text": "In minor units.", **kwargs})


class CurrencyField(serializers.RegexField):
    """A lower-case ISO 4217 currency."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(r"^[a-z]{3}$", **{"help_text": "ISO 4217.", **kwargs})


class InputSerializer(serializers.Serializer[Any]):
    """The JSON object that a route accepts. Unknown keys are dropped; `read` returns the validated values or raises Invalid."""

    example: ClassVar[dict[str, Any]] = {}

    @classmethod
    def unknown(cls, data: Mapping[str, Any]) -> list[str]:
        """Return the dotted paths of the keys that `read` drops."""
        return _unknown(_validator(cls, False), data)

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        for name, field in fields.items():
            _reword(field, attribute(name))
        return fields

    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value(self._without_blanks(data) if isinstance(data, Mapping) else data)

    def _without_blanks(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values without blanks for keys that may be left out: those are empty, or else as if they were left out."""
        values = dict(data)
        for name, field in self.fields.items():
            if name in values and _is_blank(values[name]) and (self.partial or not field.required):
                del values[name]
                if field.allow_null and not isinstance(field, _NEVER_EMPTY):
                    values[name] = None
                elif isinstance(field, serializers.ListField) and field.allow_empty:
                    values[name] = []
        return values

    @classmethod
    def read(cls, data: Mapping[str, Any], *, partial: bool = False) -> dict[str, Any]:
        try:
            return dict(_validator(cls, partial).run_validation(data))
        except serializers.ValidationError as refusal:
            raise Invalid(_naming_choices(cls, _flatten(refusal.detail))) from None


#: A blank never changes a status or switches anything.
_NEVER_EMPTY = (serializers.ChoiceField, serializers.BooleanField)


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _naming_choices(kind: type[InputSerializer], errors: Messages) -> Messages:
    """Add the valid choices to the sentences about choices, which DRF returns as plain text."""
    for name, field in _validator(kind, False).fields.items():
        if isinstance(field, serializers.ChoiceField) and name in errors:
            plain = invalid_choice(name)
            choices = invalid_choice(name, map(str, field.choices))
            errors[name] = [choices if sentence == plain else sentence for sentence in errors[name]]
    return errors


def _unknown(field: Any, value: Any, path: str = "") -> list[str]:
    if isinstance(field, serializers.Serializer) and isinstance(value, Mapping):
        inside = [(key, field.fields.get(key), each) for key, each in value.items()]
    elif isinstance(field, serializers.ListField | serializers.ListSerializer) and isinstance(value, list):
        inside = [(str(number), field.child, each) for number, each in enumerate(value)]
    else:
        return []
    found: list[str] = []
    for key, known, each in inside:
        place = f"{path}.{key}" if path else key
        found += [place] if known is None else _unknown(known, each, place)
    return found


@cache
def _validator(kind: type[InputSerializer], partial: bool) -> InputSerializer:
    """Return a cached serializer: validating leaves no state behind, and constructing one costs more than using it."""
    return kind(partial=partial)


def _reword(field: Any, name: str) -> None:
    for code, sentence in _WORDING.items():
        if code in field.error_messages:
            field.error_messages[code] = sentence.format(name=name)
    for kind, sentence in _INVALID:
        if isinstance(field, kind):
            field.error_messages["invalid"] = sentence.format(name=name)
            break
    for validator in field.validators:
        if isinstance(validator, MaxLengthValidator):
            validator.message = f"The {name} may not be greater than {validator.limit_value} characters."
        elif isinstance(validator, MinValueValidator):
            validator.message = f"The {name} must be at least {validator.limit_value}."
        elif isinstance(validator, MaxValueValidator):
            validator.message = f"The {name} may not be greater than {validator.limit_value}."
    child = getattr(field, "child", None)
    if child is not None:
        _reword(child, name)


def _flatten(errors: Any, prefix: str = "") -> Messages:
    """Return DRF's nested errors by dotted path."""
    if isinstance(errors, Mapping):
        flat: Messages = {}
        for key, found in errors.items():
            path = prefix if key == "non_field_errors" else ".".join(filter(None, (prefix, str(key))))
            for deeper, sentences in _flatten(found, path).items():
                flat.setdefault(deeper, []).extend(sentences)
        return flat
    sentences = [str(found) for found in errors if isinstance(found, ErrorDetail)]
    return {prefix: sentences} if sentences else {}


class TextInput(serializers.CharField):
    """Trimmed text; empty text is null if the field may be null.

    `among` returns the texts that the service accepts, for the documentation.
    """

    def __init__(self, *, among: Callable[[], Iterable[str]] | None = None, **kwargs: Any) -> None:
        self.among = among
        super().__init__(**kwargs)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if self.allow_null and isinstance(data, str) and not data.strip():
            data = None
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class FileInput(serializers.FileField):
    """A file in a multipart body. The service validates its content, including whether it may be empty."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_empty_file=True, **kwargs)


class FlagInput(serializers.BooleanField):
    """A JSON boolean, or one of 0, 1, "0", "1", "true" and "false"."""

    words = {"0": False, "1": True, "true": True, "false": False}

    def to_internal_value(self, data: Any) -> bool:
        if isinstance(data, bool):
            return data
        if isinstance(data, int | str) and str(data) in self.words:
            return self.words[str(data)]
        self.fail("invalid")


class PositiveInput(serializers.IntegerField):
    """A positive 64-bit integer; text is refused, so "1e3" and "٣" are too, and so are fractions."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=MAX_ID, **kwargs)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return data


class IdInput(PositiveInput):
    """The id of a record."""


class CentsInput(PositiveInput):
    """An amount of more than nothing in minor units."""


@extend_schema_field({"anyOf": [{"type": "string", "format": "date-time"}, {"type": "string", "format": "date"}]})
class InstantInput(serializers.DateTimeField):
    """Any ISO 8601 form, as an aware UTC datetime; empty text is null if the field may be null."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if self.allow_null and isinstance(data, str) and not data.strip():
            data = None
        return super().run_validation(data)

    def to_internal_value(self, value: Any) -> datetime:
        if not isinstance(value, str):
            self.fail("invalid", format="ISO 8601")
        try:
            return wire.parse_instant(value.strip(), site_timezone())
        except ValueError:
            self.fail("invalid", format="ISO 8601")
