"""Stream blocks that define fields, and the errors that services find in the values of blocks."""

import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from anyascii import anyascii
from django.core.exceptions import ValidationError
from wagtail import blocks

MAX_KEY = 50

#: Sentences by path, such as `2.options.0`.
Errors = Mapping[str, list[str]]


class KeyedStreamBlock(blocks.StreamBlock):
    """Definitions of fields, each a block with `label` and `key`; a key is derived for those without one."""

    def clean(self, value: Any, **kwargs: Any) -> Any:
        cleaned = super().clean(value, **kwargs)
        used: set[str] = {child.value["key"] for child in cleaned if child.value["key"]}
        for child in cleaned:
            if not child.value["key"]:
                child.value["key"] = _free_key(child.value["label"], child.block_type, used)
                used.add(child.value["key"])
        return cleaned

    def from_definitions(self, definitions: Iterable[Mapping[str, Any]]) -> blocks.StreamValue:
        """Return stored definitions, each with `type` and `key`, as blocks."""
        raw = []
        for definition in definitions:
            names = self.child_blocks[definition["type"]].child_blocks
            value = {name: definition[name] for name in names if definition.get(name) is not None}
            raw.append({"type": definition["type"], "value": value, "id": str(uuid.uuid5(uuid.NAMESPACE_OID, definition["key"]))})
        return self.to_python(raw)

    class Meta:
        collapsed = True
        required = False


def _free_key(label: str, fallback: str, used: set[str]) -> str:
    base = re.sub(r"[^a-z0-9]+", "_", anyascii(label).lower()).strip("_").lstrip("0123456789_")[: MAX_KEY - 3] or fallback
    number, key = 1, base
    while key in used:
        number += 1
        key = f"{base}_{number}"
    return key


def by_first_part(errors: Errors) -> dict[str, dict[str, list[str]]]:
    """Group errors by the first part of their paths, each with the rest of its path."""
    grouped: dict[str, dict[str, list[str]]] = {}
    for place, sentences in errors.items():
        first, _, rest = place.partition(".")
        grouped.setdefault(first, {})[rest] = sentences
    return grouped


def block_error(block: blocks.Block, value: Any, errors: Errors) -> ValidationError:
    """Return a service's errors as the error that a block shows: at the blocks of their paths, else above them."""
    inside: dict[Any, ValidationError] = {}
    outside: list[str] = []
    for name, found in by_first_part(errors).items():
        key, child, child_value = _child(block, value, name)
        if child is None:
            outside += [sentence for sentences in found.values() for sentence in sentences]
        else:
            inside[key] = block_error(child, child_value, found)
    if isinstance(block, blocks.StreamBlock):
        return blocks.StreamBlockValidationError(block_errors=inside, non_block_errors=outside)
    if isinstance(block, blocks.ListBlock):
        return blocks.ListBlockValidationError(block_errors=inside, non_block_errors=outside)
    if isinstance(block, blocks.StructBlock):
        return blocks.StructBlockValidationError(block_errors=inside, non_block_errors=outside)
    return ValidationError(outside)


def _child(block: blocks.Block, value: Any, name: str) -> tuple[int | str, blocks.Block | None, Any]:
    """Return the key, block and value of a child by its part of the path; no block if there is none."""
    if isinstance(block, blocks.StructBlock):
        return name, block.child_blocks.get(name), value.get(name)
    if isinstance(block, blocks.StreamBlock | blocks.ListBlock) and name.isdecimal() and int(name) < len(value):
        child = value[int(name)]
        if isinstance(block, blocks.StreamBlock):
            return int(name), child.block, child.value
        return int(name), block.child_block, child
    return name, None, None
