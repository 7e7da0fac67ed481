"""Wagtail's database search backend without the part that makes every write as slow as the index is long.

The stock backend re-reads the average title length of the whole index after each write, to rank short titles higher.
Here that is done when the index is rebuilt (`manage.py rebuild_search_index`), not with each save.
"""

import re
import unicodedata
from typing import Any

from django.db import connection
from django.db.models import BigIntegerField, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast
from modelsearch.backends.database import SearchBackend as stock_backend
from modelsearch.utils import get_content_type_pk

_WORD = re.compile(r"\w+")
_FTS = "SELECT rowid FROM wagtailsearch_indexentry_fts WHERE wagtailsearch_indexentry_fts MATCH %s"

#: More words than this are not looked up; the longest search text is 200 characters.
MAX_WORDS = 10

#: PostgreSQL takes a megabyte of words a record.
MAX_INDEXED = 200_000


def SearchBackend(params: dict[str, Any]) -> Any:
    """The stock backend for the database in use, with a cheaper index."""
    backend = stock_backend(params)
    if not hasattr(backend.index_class, "_refresh_title_norms"):
        return backend

    class Index(backend.index_class):  # type: ignore[name-defined]
        def _refresh_title_norms(self, full: bool = False) -> None:
            if full:
                super()._refresh_title_norms(full=True)

    backend.index_class = Index
    return backend


def fold(text: str) -> str:
    """Text as the index holds it: lower case, without accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def unique_words(text: str) -> list[str]:
    """The different words of a text for the index, folded; those that begin after MAX_INDEXED characters are left out."""
    return list(dict.fromkeys(_WORD.findall(fold(text[:MAX_INDEXED]))))


def words(text: str) -> list[str]:
    """The words of a search, folded; at most MAX_WORDS."""
    return _WORD.findall(fold(text))[:MAX_WORDS]


def matching_ids(model: type, text: str) -> QuerySet[Any]:
    """Ids of a model's indexed records that hold, for every word of the text, a word that begins with it.

    A subquery for `filter(pk__in=...)`, so that type, status and search are answered by one statement.
    """
    from wagtail.search.models import IndexEntry

    entries = IndexEntry.objects.filter(content_type_id=get_content_type_pk(model))
    found = words(text)
    if not found:
        return entries.none().values("object_id")
    if connection.vendor == "postgresql":
        from django.contrib.postgres.search import SearchQuery

        query = SearchQuery(" & ".join(f"{word}:*" for word in found), config="simple", search_type="raw")
        entries = entries.filter(autocomplete=query)
    else:
        words_query = " AND ".join(f'"{word}"*' for word in found)
        # The table's name is its own in MATCH, and it has no model whose rows are the entries' ids.
        entries = entries.filter(pk__in=RawSQL(_FTS, ["{autocomplete} : (" + words_query + ")"]))  # noqa: S611
    return entries.annotate(record_id=Cast("object_id", BigIntegerField())).values("record_id")
