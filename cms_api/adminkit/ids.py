"""Ids of records, as addresses of the admin carry them."""

from django.http import HttpRequest


def ids_in(request: HttpRequest, name: str) -> list[int]:
    """The ids that the address has under a name, each once and in their order; other text is left out."""
    return list(dict.fromkeys(int(text) for text in request.GET.getlist(name) if is_id(text)))


def is_id(text: str) -> bool:
    """Whether it can be the id of a record."""
    return text.isascii() and text.isdecimal() and len(text) < 19
