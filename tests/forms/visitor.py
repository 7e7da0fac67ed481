"""A visitor of the site: opens a form, fills it in and sends it."""

import html
import re
import time
from typing import Any
from unittest import mock

from django.test import Client

from cms_api.forms.models import Form
from cms_api.forms.services import spam

_INPUT = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')


def hidden(client: Client, path: str) -> dict[str, str]:
    """The hidden inputs of the form on a page, as if the page had been read for a while."""
    opened = time.time() - 30
    with mock.patch.object(spam.time, "time", return_value=opened):
        page = client.get(path)
    assert page.status_code == 200, (path, page.status_code)
    return {name: html.unescape(value) for name, value in _INPUT.findall(page.content.decode())}


def fill_in(client: Client, form: Form, path: str = "", **data: Any) -> Any:
    """The answer to what a visitor sends."""
    sent = {**hidden(client, path or f"/forms/{form.slug}"), "hp_url": "", **data}
    return client.post(f"/forms/{form.slug}", {name: value for name, value in sent.items() if value is not None})
