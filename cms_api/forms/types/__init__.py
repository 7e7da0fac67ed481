"""Form definitions: the types and settings of fields, and the validation of submitted values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import TextChoices

from cms_api.core.errors import ErrorCollector, Invalid, attribute, invalid_choice, required_message, taken_message
from cms_api.fields import FIELD_TYPES, Context, Field, Option
from cms_api.fields.base import FieldPath, read_line, read_list, read_text
from cms_api.fields.definition import parse_definitions, read_key, read_required_line
from cms_api.fields.numeric import read_flag

MAX_SLUG = 100
MAX_FIELDS = 100
MAX_OPTIONS = 200
MAX_RECIPIENTS = 20
#: The maximum length of a text area, in characters.
MAX_AREA = 20_000
MAX_HIDDEN = 1000
MAX_HELP = 1000

#: Each field type with the core field type that validates its values; empty for types with rules of their own.
TYPES: Mapping[str, str] = {
    "text": "text",
    "textarea": "textarea",
    "email": "email",
    "phone": "phone",
    "number": "number",
    "url": "url",
    "date": "date",
    "select": "select",
    "radio": "radio",
    "checkbox": "boolean",
    "checkboxes": "checkbox",
    "file": "",
    "hidden": "textarea",
}
CHOICES = ("select", "radio", "checkboxes")
#: Names that the public form uses for inputs of its own.
RESERVED_KEYS = frozenset({"hp_url", "csrfmiddlewaretoken"})

_LIMITS = {"textarea": MAX_AREA, "hidden": MAX_HIDDEN}


class Source(TextChoices):
    SITE = "site", "Site"
    API = "api", "API"


@dataclass(frozen=True, slots=True)
class FormField:
    key: str
    label: str
    type: str
    required: bool = False
    help_text: str = ""
    #: The allowed values, which are also their labels.
    options: tuple[str, ...] = ()
    #: For hidden fields: the value if none is sent.
    default: str = ""

    @classmethod
    def from_dict(cls, mapping: Any) -> "FormField":
        """Read a definition. Raises Invalid with every mistake in it."""
        if not isinstance(mapping, Mapping):
            raise Invalid({"": "The field must be an object."})
        errors = ErrorCollector()
        parts: dict[str, Any] = {}
        with errors.under():
            parts["key"] = _read_key(mapping.get("key"))
        with errors.under():
            parts["label"] = read_required_line(mapping.get("label"), "label")
        with errors.under():
            parts["help_text"] = read_text(mapping.get("help_text"), FieldPath("help_text", "help_text"), MAX_HELP) or ""
        with errors.under():
            parts["required"] = bool(read_flag(mapping.get("required"), FieldPath("required", "required")))
        with errors.under():
            kind = parts["type"] = _read_type(mapping.get("type"))
            with errors.under():
                parts["options"] = _read_options(kind, mapping.get("options"))
            with errors.under():
                parts["default"] = _read_default(kind, mapping.get("default"))
        errors.raise_if_any()
        return cls(**parts)

    def as_dict(self) -> dict[str, Any]:
        """Return the field as the API shows it."""
        return {
            "key": self.key,
            "label": self.label,
            "type": self.type,
            "required": self.required,
            "help_text": self.help_text,
            "options": list(self.options) or None,
        }

    def as_stored(self) -> dict[str, Any]:
        return self.as_dict() | ({"default": self.default} if self.type == "hidden" else {})

    def clean(self, value: Any, context: Context) -> Any:
        """Return the JSON-serializable value to store. Raises Invalid with paths relative to the field."""
        if self.type == "hidden" and (value is None or (isinstance(value, str) and not value.strip())):
            value = self.default
        kind = FIELD_TYPES[TYPES[self.type]]
        options = tuple(Option(option, option) for option in self.options)
        cleaned = kind.clean(Field(self.key, self.label, kind.name, options=options), value, context)
        limit = _LIMITS.get(self.type)
        if limit is not None:
            read_text(cleaned, FieldPath("", self.key), limit)
        if self.type == "checkbox":
            cleaned = bool(cleaned)
        elif self.type == "checkboxes":
            cleaned = cleaned or []
        # Zero is an answer; an unticked box is not.
        if self.required and (cleaned is None or cleaned is False or cleaned == []):
            raise Invalid({"": required_message(self.key)})
        return cleaned


@dataclass(frozen=True, slots=True)
class Received:
    """A submission, as listeners of `forms.submission_received` get it."""

    form_id: int
    form_name: str
    #: None if the form stores no submissions.
    submission_id: int | None
    source: str
    fields: tuple[FormField, ...]
    data: Mapping[str, Any]

    @property
    def email(self) -> str:
        """The sender's address: the first one in the values."""
        return sender_email(self.fields, self.data)


def parse_fields(definitions: Any) -> tuple[FormField, ...]:
    """Read a form's fields. Raises Invalid; errors are keyed by the number of the definition, as in `2.key`."""
    if isinstance(definitions, list | tuple) and len(definitions) > MAX_FIELDS:
        raise Invalid({"": f"A form may not have more than {MAX_FIELDS} fields."})
    return parse_definitions(definitions, FormField.from_dict)


def clean_data(fields: Iterable[FormField], data: Any, context: Context) -> dict[str, Any]:
    """Return the values of all fields except file fields; keys that the form does not have are dropped.

    Raises Invalid with every mistake (`data.<key>`).
    """
    if not isinstance(data, Mapping):
        raise Invalid({"data": "The data field must be an object."})
    errors = ErrorCollector()
    cleaned: dict[str, Any] = {}
    for field in fields:
        if field.type == "file":
            cleaned[field.key] = None
            continue
        with errors.under(f"data.{field.key}"):
            cleaned[field.key] = field.clean(data.get(field.key), context)
    errors.raise_if_any()
    return cleaned


def sender_email(fields: Iterable[FormField], data: Mapping[str, Any]) -> str:
    """Return the first address in the email fields; empty if there is none."""
    return next((data[field.key] for field in fields if field.type == "email" and data.get(field.key)), "")


def in_words(value: Any) -> str:
    """Return a value as readable text."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, list):
        return ", ".join(map(in_words, value))
    return "" if value is None else str(value)


def label_values(fields: Iterable[FormField], data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return labels and values in the form's order, followed by values under keys that the form no longer has."""
    known = {field.key: field.label for field in fields}
    found = [(label, in_words(data[key])) for key, label in known.items() if key in data]
    return [*found, *((key, in_words(value)) for key, value in data.items() if key not in known)]


def visitor_sentence(field: FormField, sentence: str) -> str:
    """Rewrite an API error about a field for a public form: what to do, with the label instead of the key."""
    if sentence == required_message(field.key):
        return _prompt(field)
    if sentence == invalid_choice(field.key):
        return f"Choose one of the options for “{field.label}”."
    subject = f"The {attribute(field.key)} "
    if not sentence.startswith(subject):
        return sentence
    rest = sentence.removeprefix(subject).removeprefix("field ")
    return "Enter a valid email address." if rest == "must be a valid email address." else f"“{field.label}” {rest}"


def _prompt(field: FormField) -> str:
    """Return the message for a required field that was left blank."""
    if field.type == "checkbox":
        return f"Tick “{field.label}”."
    if field.type == "file":
        return f"Choose a file for “{field.label}”."
    if field.type in CHOICES:
        return f"Choose an option for “{field.label}”."
    if field.label.startswith("Your "):
        return f"Enter your {field.label.removeprefix('Your ')}."
    return f"Fill in “{field.label}”."


def _read_key(value: Any) -> str:
    key = read_key(value)
    if key in RESERVED_KEYS:
        raise Invalid({"key": f"The key {key} is reserved."})
    return key


def _read_type(value: Any) -> str:
    name = read_required_line(value, "type")
    if name not in TYPES:
        raise Invalid({"type": invalid_choice("type")})
    return name


def _read_options(kind: str, value: Any) -> tuple[str, ...]:
    if kind not in CHOICES:
        if value:
            raise Invalid({"options": f"The options field does not apply to the type {kind}."})
        return ()
    if not value:
        raise Invalid({"options": required_message("options")})
    errors = ErrorCollector()
    options: list[str] = []
    for number, entry in enumerate(_as_list(value)):
        with errors.under(f"options.{number}"):
            option = read_line(entry, FieldPath("", "option"))
            if option is None:
                raise Invalid({"": required_message("option")})
            if option in options:
                raise Invalid({"": taken_message("option")})
            options.append(option)
    errors.raise_if_any()
    return tuple(options)


def _as_list(value: Any) -> Sequence[Any]:
    return read_list(list(value) if isinstance(value, tuple) else value, FieldPath("options", "options"), MAX_OPTIONS)


def _read_default(kind: str, value: Any) -> str:
    if kind != "hidden":
        if value not in (None, ""):
            raise Invalid({"default": "Only a hidden field has a default."})
        return ""
    return read_text(value, FieldPath("default", "default"), MAX_HIDDEN) or ""
