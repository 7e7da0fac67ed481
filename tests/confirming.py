"""Forms of the admin with a second step, which shows what is about to be done."""

import re
from html import unescape
from typing import Any

from django.test import Client


def button_of(answer: Any) -> str:
    """The button of the second step, such as "Refund $84.00"; empty if the answer is none."""
    found = re.search(r'name="confirmed" value="([^"]*)"', answer.content.decode())
    return unescape(found[1]) if found else ""


def post_twice(client: Client, path: str, values: Any) -> Any:
    """Send a form and, if it asks, confirm it with the button that it shows."""
    answer = client.post(path, values)
    button = button_of(answer)
    return client.post(path, {**values, "confirmed": button}) if button else answer
