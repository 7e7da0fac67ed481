"""The field editor of a content type: a stream with a block per field type, converted from and to the API's format."""

from collections.abc import Iterable, Mapping
from typing import Any

from wagtail import blocks

from cms_api.adminkit.streams import MAX_KEY, KeyedStreamBlock
from cms_api.fields import FIELD_TYPES

from .inputs import INPUTS

Definition = dict[str, Any]

TEXTS = ("text", "textarea", "url", "email", "phone", "color")
NUMBERS = ("number", "integer")
OPTIONS = ("select", "radio", "checkbox")
MULTIPLE = ("select", "taxonomy", "relation")
UNIQUE = ("text", "textarea", "url", "email", "phone", *NUMBERS)

#: Field types in the order of the editor's menu: label, group and description.
KINDS = {
    "text": ("Text", "Text", "One line; the first one is the item's title."),
    "textarea": ("Long text", "Text", "Several lines without formatting."),
    "richtext_tiptap": ("Rich text", "Text", "Formatted text with links, images and tables."),
    "number": ("Number", "Numbers and choices", "A number, with or without decimals."),
    "integer": ("Whole number", "Numbers and choices", "A number without decimals."),
    "boolean": ("Switch", "Numbers and choices", "Yes or no."),
    "select": ("Selection", "Numbers and choices", "A list with one choice, or several."),
    "radio": ("Radio buttons", "Numbers and choices", "Shows all options to choose one from."),
    "checkbox": ("Checkboxes", "Numbers and choices", "Shows all options to choose any number from."),
    "date": ("Date", "Dates and times", "A calendar day."),
    "time": ("Time", "Dates and times", "A time of day."),
    "datetime": ("Date and time", "Dates and times", "A moment or a period, which may repeat."),
    "hours": ("Opening hours", "Dates and times", "Opening hours for each day of the week."),
    "url": ("Web address", "Contact and place", "A link."),
    "email": ("Email address", "Contact and place", "An email address."),
    "phone": ("Phone number", "Contact and place", "A phone number."),
    "address": ("Postal address", "Contact and place", "Street, city, country and coordinates."),
    "image": ("Image", "Media", "One image from the media library."),
    "gallery": ("Gallery", "Media", "Any number of images."),
    "file": ("File", "Media", "One file from the media library."),
    "color": ("Colour", "Media", "A colour such as #1a2b3c."),
    "taxonomy": ("Vocabulary", "References", "Categories or tags, each with its own page."),
    "relation": ("Related items", "References", "Other content items."),
}


class OptionBlock(blocks.StructBlock):
    value = blocks.CharBlock(
        required=False, max_length=255, help_text="The stored value. Leave empty to derive it from the label."
    )
    label = blocks.CharBlock(max_length=255)

    class Meta:
        icon = "list-ul"
        label_format = "{label}"
        form_layout = ["label", "value"]


def _default_block(kind: str) -> blocks.Block | None:
    label = {"required": False, "label": "Default", "help_text": "The initial value of a new item."}
    if kind in TEXTS:
        return blocks.TextBlock(**label, rows=2) if kind == "textarea" else blocks.CharBlock(**label)
    if kind in NUMBERS:
        return blocks.FloatBlock(**label) if kind == "number" else blocks.IntegerBlock(**label)
    if kind == "boolean":
        return blocks.BooleanBlock(required=False, label="On for new items")
    if kind in ("select", "radio"):
        return blocks.CharBlock(**{**label, "help_text": "The value of an option, or several separated by commas."})
    return None


def _field_block(kind: str) -> blocks.StructBlock:
    """Return a block with only the options that apply to this type of field."""
    name, group, description = KINDS[kind]
    flag = {"required": False}
    key_help = "Its name in the API. Leave empty to derive it from the label. Items store their values under it."
    children: list[tuple[str, blocks.Block]] = [
        ("label", blocks.CharBlock(max_length=255)),
        ("key", blocks.CharBlock(required=False, max_length=MAX_KEY, help_text=key_help)),
        ("help_text", blocks.CharBlock(required=False, max_length=1000, label="Help text")),
    ]
    if kind != "boolean":
        children.append(("required", blocks.BooleanBlock(**flag, label="Required")))
    if kind in OPTIONS:
        children.append(("options", blocks.ListBlock(OptionBlock(), min_num=1, label="Options")))
    if default := _default_block(kind):
        children.append(("default", default))
    if kind in MULTIPLE:
        children.append(("multiple", blocks.BooleanBlock(**flag, label="Allow several")))
    if kind == "taxonomy":
        children.append(("hierarchical", blocks.BooleanBlock(**flag, label="Allow terms below other terms")))
    if kind == "datetime":
        help_text = "Sorts items into upcoming and past. Choose at most one field per type."
        children.append(("facet", blocks.BooleanBlock(**flag, label="Order lists by this date", help_text=help_text)))
    if kind in UNIQUE:
        children.append(("unique", blocks.BooleanBlock(**flag, label="Unique: no two items may have the same value")))
    described = {"label": name, "group": group, "description": description, "label_format": "{label} ({key})"}
    return blocks.StructBlock(children, icon=INPUTS[kind].icon, **described)


SCHEMA_BLOCK = KeyedStreamBlock([(kind, _field_block(kind)) for kind in KINDS if kind in FIELD_TYPES])


def to_stream(definitions: Iterable[Mapping[str, Any]]) -> blocks.StreamValue:
    """Return stored definitions as blocks of the editor, which has one text for several defaults."""
    return SCHEMA_BLOCK.from_definitions(
        {**definition, "default": ", ".join(map(str, default))}
        if isinstance(default := definition.get("default"), list)
        else definition
        for definition in definitions
    )


def from_stream(stream: Any, before: Iterable[Mapping[str, Any]]) -> list[Definition]:
    """Return the editor's blocks as definitions. Attributes that a block does not show are taken from `before`."""
    stored = {(definition.get("key"), definition.get("type")): definition for definition in before}
    found = []
    for child in stream:
        shown = _show(child.block_type, child.value)
        old = stored.get((shown["key"], child.block_type), {})
        if child.block_type == "boolean" and not shown["default"] and not old.get("default"):
            # The editor cannot distinguish False from an absent default.
            shown["default"] = old.get("default")
        found.append({**old, **shown, "type": child.block_type})
    return found


def _show(kind: str, value: Mapping[str, Any]) -> Definition:
    shown: Definition = dict(value)
    if kind in OPTIONS:
        options = [(option["value"] or option["label"], option["label"]) for option in value["options"]]
        shown["options"] = [{"value": stored, "label": label} for stored, label in options]
    default = shown.get("default")
    if "default" in shown and default in ("", None):
        shown["default"] = None
    elif kind == "select" and shown["multiple"] and isinstance(default, str):
        shown["default"] = [part.strip() for part in default.split(",") if part.strip()]
    elif kind == "number" and isinstance(default, float) and default.is_integer():
        shown["default"] = int(default)
    return shown
