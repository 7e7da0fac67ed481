"""Forms as a visitor opens them, who reads the page for a while before sending."""

import html
import re
import time
from typing import Any
from unittest import mock

from django.test import Client

_INPUT = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')


def hidden(client: Client, path: str) -> dict[str, str]:
    """The hidden inputs of the form on a page, as if it had been opened 30 seconds ago."""
    opened = time.time() - 30
    with mock.patch("time.time", return_value=opened):
        page: Any = client.get(path)
    assert page.status_code == 200, (path, page.status_code)
    return inputs(page.content.decode())


def inputs(page: str) -> dict[str, str]:
    """The hidden inputs of a page."""
    return {name: html.unescape(value) for name, value in _INPUT.findall(page)}
