"""A visitor who opens a form, fills it in and sends it."""

from typing import Any

from django.test import Client

from cms_api.forms.models import Form
from tests.visitor import hidden


def fill_in(client: Client, form: Form, path: str = "", **data: Any) -> Any:
    """The answer to what a visitor sends."""
    sent = {**hidden(client, path or f"/forms/{form.slug}"), "hp_url": "", **data}
    return client.post(f"/forms/{form.slug}", {name: value for name, value in sent.items() if value is not None})


__all__ = ["fill_in", "hidden"]
