"""The form builder: a stream with a block for each field type, and its conversion to stored definitions."""

from collections.abc import Iterable
from typing import Any

from wagtail import blocks

from cms_api.adminkit.streams import MAX_KEY, KeyedStreamBlock

from . import CHOICES, MAX_HELP, MAX_HIDDEN, MAX_OPTIONS

Definition = dict[str, Any]

_TEXT, _CHOICE, _MORE = "Text fields", "Choice fields", "More"
#: Field types in menu order: label, icon, group and help text.
KINDS = {
    "text": ("Text", "title", _TEXT, "One line, such as a name."),
    "textarea": ("Long text", "pilcrow", _TEXT, "Several lines, such as a message."),
    "email": ("Email address", "mail", _TEXT, "Replies to a submission go to the first one."),
    "phone": ("Phone number", "mobile-alt", _TEXT, "A telephone number."),
    "number": ("Number", "decimal", _TEXT, "A whole or decimal number."),
    "url": ("Web address", "link", _TEXT, "A link."),
    "date": ("Date", "date", _TEXT, "A calendar day."),
    "select": ("Selection", "list-ul", _CHOICE, "One option from a drop-down list."),
    "radio": ("Radio buttons", "radio-full", _CHOICE, "One option; all are visible."),
    "checkboxes": ("Checkboxes", "check", _CHOICE, "Any number of options; all are visible."),
    "checkbox": ("Single checkbox", "success", _CHOICE, "Yes or no. If it is required, it must be ticked."),
    "file": ("File", "doc-full", _MORE, "A document or image. Requires that the form stores submissions."),
    "hidden": ("Hidden value", "view", _MORE, "Sent with the form; visitors do not see it."),
}


def _field_block(kind: str) -> blocks.StructBlock:
    """Return the block for a field type, with only the settings that apply to it."""
    name, icon, group, description = KINDS[kind]
    key_help = "The field's name in the API and in exports. Leave empty to derive it from the label."
    children: list[tuple[str, blocks.Block]] = [
        ("label", blocks.CharBlock(max_length=255)),
        ("key", blocks.CharBlock(required=False, max_length=MAX_KEY, help_text=key_help)),
    ]
    if kind != "hidden":
        children.append(("help_text", blocks.CharBlock(required=False, max_length=MAX_HELP, label="Help text")))
        children.append(("required", blocks.BooleanBlock(required=False, label="Required")))
    else:
        value_help = "Sent unless a script on the page or an integration sends another value."
        children.append(("default", blocks.CharBlock(required=False, max_length=MAX_HIDDEN, label="Value", help_text=value_help)))
    if kind in CHOICES:
        option = blocks.CharBlock(max_length=255, label="Option")
        # Wagtail shows the label of a single input in a list, but does not tie it to the input.
        option.field.widget.attrs["aria-label"] = "Option"
        children.append(("options", blocks.ListBlock(option, min_num=1, max_num=MAX_OPTIONS, label="Options")))
    described = {"label": name, "group": group, "description": description, "label_format": "{label} ({key})"}
    return blocks.StructBlock(children, icon=icon, **described)


def schema_block(kinds: Iterable[str] = KINDS) -> KeyedStreamBlock:
    """Return a builder that offers these types of fields."""
    return KeyedStreamBlock([(kind, _field_block(kind)) for kind in kinds])


SCHEMA_BLOCK = schema_block()


def from_stream(stream: Any) -> list[Definition]:
    """Convert the builder's blocks to definitions."""
    found = []
    for child in stream:
        definition = {**child.value, "type": child.block_type}
        if "options" in definition:
            definition["options"] = list(definition["options"])
        found.append(definition)
    return found
