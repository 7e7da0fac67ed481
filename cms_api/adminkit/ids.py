"""Ids of records, as addresses of the admin carry them."""

from django.http import HttpRequest

from cms_api.core.identifiers import read_id


def ids_in(request: HttpRequest, name: str) -> list[int]:
    """The ids that the address has under a name, each once and in their order; other text is left out."""
    return list(dict.fromkeys(pk for text in request.GET.getlist(name) if (pk := read_id(text)) is not None))


def is_id(text: str) -> bool:
    """Whether it can be the id of a record."""
    return read_id(text) is not None
