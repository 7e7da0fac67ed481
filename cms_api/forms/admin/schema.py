"""The form builder: a stream with a block for each field type, and the conversion to and from stored definitions."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from wagtail import blocks

from cms_api.adminkit.streams import MAX_KEY, KeyedStreamBlock
from cms_api.core.errors import Invalid

from ..types import CHOICES, MAX_HELP, MAX_HIDDEN, MAX_OPTIONS

Definition = dict[str, Any]

_ASKED, _CHOSEN, _MORE = "What is written", "What is chosen", "More"
#: Field types in menu order: label, icon, group and help text.
KINDS = {
    "text": ("Text", "title", _ASKED, "One line, such as a name."),
    "textarea": ("Long text", "pilcrow", _ASKED, "Several lines, such as a message."),
    "email": ("Email address", "mail", _ASKED, "The first one is whom answers go to."),
    "phone": ("Phone number", "mobile-alt", _ASKED, "A telephone number."),
    "number": ("Number", "decimal", _ASKED, "A number, also with decimals."),
    "url": ("Web address", "link", _ASKED, "The address of a page."),
    "date": ("Date", "date", _ASKED, "A calendar day."),
    "select": ("Selection", "list-ul", _CHOSEN, "A list to choose one option from."),
    "radio": ("Radio buttons", "radio-full", _CHOSEN, "All options are shown, one is chosen."),
    "checkboxes": ("Checkboxes", "check", _CHOSEN, "All options are shown, any number is chosen."),
    "checkbox": ("Single checkbox", "success", _CHOSEN, "Yes or no; where it is required, it has to be ticked."),
    "file": ("File", "doc-full", _MORE, "A document or picture; the form has to keep its submissions."),
    "hidden": ("Hidden value", "view", _MORE, "Visitors do not see it; it goes along with what they send."),
}


def _field_block(kind: str) -> blocks.StructBlock:
    """Return the block for a field type, with only the settings that apply to it."""
    name, icon, group, description = KINDS[kind]
    key_help = "Its name over the API and in exports; made from the label where it is empty."
    children: list[tuple[str, blocks.Block]] = [
        ("label", blocks.CharBlock(max_length=255)),
        ("key", blocks.CharBlock(required=False, max_length=MAX_KEY, help_text=key_help)),
    ]
    if kind != "hidden":
        children.append(("help_text", blocks.CharBlock(required=False, max_length=MAX_HELP, label="Help text")))
        children.append(("required", blocks.BooleanBlock(required=False, label="Required")))
    else:
        value_help = "What is sent unless a script of the page, or an integration, says otherwise."
        children.append(("default", blocks.CharBlock(required=False, max_length=MAX_HIDDEN, label="Value", help_text=value_help)))
    if kind in CHOICES:
        option = blocks.CharBlock(max_length=255, label="Option")
        children.append(("options", blocks.ListBlock(option, min_num=1, max_num=MAX_OPTIONS, label="Options")))
    described = {"label": name, "group": group, "description": description, "label_format": "{label} ({key})"}
    return blocks.StructBlock(children, icon=icon, **described)


SCHEMA_BLOCK = KeyedStreamBlock([(kind, _field_block(kind)) for kind in KINDS])


def to_stream(definitions: Iterable[Mapping[str, Any]]) -> blocks.StreamValue:
    """Convert stored definitions to the builder's blocks."""
    raw = []
    for definition in definitions:
        kind = definition["type"]
        shown = SCHEMA_BLOCK.child_blocks[kind].child_blocks
        value = {name: definition[name] for name in shown if definition.get(name) is not None}
        raw.append({"type": kind, "value": value, "id": str(uuid.uuid5(uuid.NAMESPACE_OID, definition["key"]))})
    return SCHEMA_BLOCK.to_python(raw)


def from_stream(stream: Any) -> list[Definition]:
    """Convert the builder's blocks to definitions."""
    found = []
    for child in stream:
        definition = {**child.value, "type": child.block_type}
        if "options" in definition:
            definition["options"] = list(definition["options"])
        found.append(definition)
    return found


def stream_error(refusal: Invalid) -> blocks.StreamBlockValidationError | None:
    """Convert a service's errors about fields (`fields.2.options.0`) to block errors; None if there are none."""
    by_number: dict[int, dict[str, list[str]]] = {}
    for path, sentences in refusal.errors.items():
        first, _, rest = path.partition(".")
        number, _, inner = rest.partition(".")
        if first == "fields" and number.isdecimal():
            by_number.setdefault(int(number), {}).setdefault(inner, []).extend(sentences)
    if not by_number:
        return None
    return blocks.StreamBlockValidationError(block_errors={number: _block_error(found) for number, found in by_number.items()})


def _block_error(found: Mapping[str, list[str]]) -> ValidationError:
    inside: dict[str, ValidationError] = {}
    options: dict[int, ValidationError] = {}
    about_all: list[str] = []
    for path, sentences in found.items():
        name, _, number = path.partition(".")
        if name == "options" and number.isdecimal():
            options[int(number)] = ValidationError(sentences)
        elif name:
            inside[name] = ValidationError(sentences)
        else:
            about_all += sentences
    if options:
        inside["options"] = blocks.ListBlockValidationError(block_errors=options)
    return blocks.StructBlockValidationError(block_errors=inside, non_block_errors=about_all)
