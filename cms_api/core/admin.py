"""What the admin pages of several modules do alike."""

import re
from typing import Any

from anyascii import anyascii
from django.db import transaction
from django.http import HttpResponse
from wagtail import blocks

from .errors import Invalid

MAX_KEY = 50


class RefusingMixin:
    """Shows a service's refusal in the form, whose `refuse` puts the sentences where they belong."""

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            with transaction.atomic():
                return super().form_valid(form)  # type: ignore[misc, no-any-return]
        except Invalid as refusal:
            form.refuse(refusal)
            self.produced_error_message = self.get_error_message()  # type: ignore[attr-defined]
            return self.form_invalid(form)  # type: ignore[attr-defined, no-any-return]


class KeyedStreamBlock(blocks.StreamBlock):
    """Definitions of fields, each a block with `label` and `key`: those without a key get one."""

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
