"""Fields as the form's page renders them, and the messages of such pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from typing import Any

from django.http import QueryDict

from . import FormField, visitor_sentence
from .files import BEGINNINGS, MAX_FILE_BYTES, MIB

#: Inputs of the form itself; no field's key begins with an underscore.
STAMP, BACK = "_stamp", "_back"

SENT_MESSAGE = "Thank you. We've received your message."
SUBMIT_LABEL = "Send"
STALE_NOTICE = "This page was open for more than a day. Check your answers and submit them again."
SENT_NOTICE = "This form was already sent. Reload the page to see what came of it."
FLOOD_NOTICE = "Too many requests. Try again in an hour."

#: Field types rendered as an `<input>`: its `type` and `autocomplete`.
INPUTS = {
    "text": ("text", ""),
    "email": ("email", "email"),
    "phone": ("tel", "tel"),
    "number": ("number", ""),
    "url": ("url", "url"),
    "date": ("date", ""),
    "file": ("file", ""),
}
#: Keys that identify a text as being about the sender, with their `autocomplete`.
AUTOCOMPLETE = {
    "name": "name",
    "full_name": "name",
    "your_name": "name",
    "first_name": "given-name",
    "last_name": "family-name",
    "company": "organization",
    "organization": "organization",
    "street": "address-line1",
    "city": "address-level2",
    "postal_code": "postal-code",
}


@dataclass(frozen=True)
class ShownInput:
    """A field as the page renders it."""

    field: FormField
    #: Unique on the page.
    id: str
    value: Any = None
    error: str = ""

    @property
    def template(self) -> str:
        return "forms/choices.html" if self.is_group else "forms/input.html"

    @property
    def is_group(self) -> bool:
        return self.field.type in ("radio", "checkboxes")

    @property
    def kind(self) -> str:
        return INPUTS.get(self.field.type, ("text", ""))[0]

    @property
    def autocomplete(self) -> str:
        return INPUTS.get(self.field.type, ("", ""))[1] or AUTOCOMPLETE.get(self.field.key, "")

    @property
    def accept(self) -> str:
        return ",".join(f".{extension}" for extension in BEGINNINGS)

    @property
    def size(self) -> str:
        return f"Up to {MAX_FILE_BYTES // MIB} MB."

    @property
    def described_by(self) -> str:
        """The ids for `aria-describedby`."""
        parts = ((self.error, "error"), (self.field.help_text or self.field.type == "file", "help"))
        return " ".join(f"{self.id}-{name}" for said, name in parts if said)

    @property
    def choices(self) -> list[tuple[str, str, bool]]:
        """The options, each with an id and whether it is selected; the error summary links to the first."""
        chosen = self.value if isinstance(self.value, list) else [self.value]
        ids = [self.id if number == 0 else f"{self.id}-{number}" for number in range(len(self.field.options))]
        return [(option, each, option in chosen) for option, each in zip(self.field.options, ids, strict=True)]


@dataclass(frozen=True)
class ShownForm:
    """A form as a page renders it."""

    form: Any
    id: str
    action: str
    #: The page that the visitor came from, and returns to.
    back: str
    stamp: str
    inputs: list[ShownInput]
    #: Error message and id of the input at fault.
    errors: list[tuple[str, str]] = dataclass_field(default_factory=list)
    is_sent: bool = False
    #: The page's URL without the parameter that says it was sent.
    again: str = ""
    #: Shown to an editor, who cannot submit it.
    is_preview: bool = False

    @property
    def takes_files(self) -> bool:
        return any(each.field.type == "file" for each in self.inputs)

    @property
    def success_message(self) -> str:
        return self.form.success_message or SENT_MESSAGE

    @property
    def submit_label(self) -> str:
        return self.form.submit_label or SUBMIT_LABEL


def read_inputs(fields: Iterable[FormField], sent: QueryDict, *, prefix: str = "") -> dict[str, Any]:
    """Return the submitted values of all fields but files, by key. The names of the inputs begin with `prefix`."""
    return {
        each.key: sent.getlist(prefix + each.key) if each.type == "checkboxes" else sent.get(prefix + each.key)
        for each in fields
        if each.type != "file"
    }


def show_inputs(
    fields: Iterable[FormField],
    values: Mapping[str, Any] | None,
    errors: Mapping[str, Sequence[str]],
    *,
    id_prefix: str,
    prefix: str = "",
    path: str = "data.",
) -> tuple[list[ShownInput], list[tuple[str, str]]]:
    """Return fields as the page renders them, and their errors with the id of the input, for the summary.

    Without `values`, the fields have their defaults. `errors` are a service's, by `path` and key. The inputs' names begin with
    `prefix`.
    """
    inputs, listed = [], []
    for each in fields:
        wrong = errors.get(path + each.key)
        error = visitor_sentence(each, wrong[0]) if wrong else ""
        value = each.default if values is None else values.get(each.key)
        shown = ShownInput(replace(each, key=prefix + each.key), f"{id_prefix}-{each.key}", value, error)
        inputs.append(shown)
        if error:
            listed.append((error, shown.id))
    return inputs, listed
