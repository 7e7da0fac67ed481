"""Forms of the admin as browsers send them: with the key with which they were shown."""

import re

from django.test import Client

KEY = re.compile(r'<input type="hidden" name="once" value="([\w-]+)"')


def shown_keys(page: str) -> list[str]:
    return KEY.findall(page)


def shown_key(client: Client, path: str) -> str:
    """The key of the only form of a page."""
    (key,) = shown_keys(client.get(path).content.decode())
    return key
