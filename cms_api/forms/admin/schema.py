"""The form builder: a stream with a block for each field type, and its conversion to stored definitions."""

from typing import Any

from wagtail import blocks

from cms_api.adminkit.streams import MAX_KEY, KeyedStreamBlock

from ..types import CHOICES, MAX_HELP, MAX_HIDDEN, MAX_OPTIONS

Definition = dict[str, Any]

_ASKED, _CHOSEN, _MORE = "Text fields", "Choice fields", "More"
#: Field types in menu order: label, icon, group and help text.
KINDS = {
    "text": ("Text", "title", _ASKED, "One line, such as a name."),
    "textarea": ("Long text", "pilcrow", _ASKED, "Several lines, such as a message."),
    "email": ("Email address", "mail", _ASKED, "Replies go to the first one of a form."),
    "phone": ("Phone number", "mobile-alt", _ASKED, "A phone number."),
    "number": ("Number", "decimal", _ASKED, "A number, with or without decimals."),
    "url": ("Web address", "link", _ASKED, "A link."),
    "date": ("Date", "date", _ASKED, "A calendar day."),
    "select": ("Selection", "list-ul", _CHOSEN, "A list to choose one option from."),
    "radio": ("Radio buttons", "radio-full", _CHOSEN, "Shows all options to choose one from."),
    "checkboxes": ("Checkboxes", "check", _CHOSEN, "Shows all options to choose any number from."),
    "checkbox": ("Single checkbox", "success", _CHOSEN, "Yes or no. If required, it must be ticked."),
    "file": ("File", "doc-full", _MORE, "A document or image. The form must store its submissions."),
    "hidden": ("Hidden value", "view", _MORE, "Hidden from visitors and sent with their answers."),
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
        value_help = "Sent unless a script on the page or an integration sets another value."
        children.append(("default", blocks.CharBlock(required=False, max_length=MAX_HIDDEN, label="Value", help_text=value_help)))
    if kind in CHOICES:
        option = blocks.CharBlock(max_length=255, label="Option")
        children.append(("options", blocks.ListBlock(option, min_num=1, max_num=MAX_OPTIONS, label="Options")))
    described = {"label": name, "group": group, "description": description, "label_format": "{label} ({key})"}
    return blocks.StructBlock(children, icon=icon, **described)


SCHEMA_BLOCK = KeyedStreamBlock([(kind, _field_block(kind)) for kind in KINDS])


def from_stream(stream: Any) -> list[Definition]:
    """Convert the builder's blocks to definitions."""
    found = []
    for child in stream:
        definition = {**child.value, "type": child.block_type}
        if "options" in definition:
            definition["options"] = list(definition["options"])
        found.append(definition)
    return found
