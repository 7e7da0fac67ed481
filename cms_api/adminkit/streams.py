"""Stream blocks that define fields."""

import re
from typing import Any

from anyascii import anyascii
from wagtail import blocks

MAX_KEY = 50


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
