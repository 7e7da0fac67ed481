"""Wagtail's database search backend, without the step that makes every write as slow as the index is long.

The stock backend recomputes the average title length of the whole index after each write, to rank short titles higher.
Here that happens when the index is rebuilt (`manage.py rebuild_search_index`), not on each save.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import (
    BigIntegerField,
    BooleanField,
    Case,
    CharField,
    ExpressionWrapper,
    F,
    Func,
    Lookup,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast
from django.db.models.lookups import In
from modelsearch.backends.database import SearchBackend as stock_backend
from modelsearch.utils import get_content_type_pk

from cms_api.core.counting import Counted, count_by
from cms_api.core.reading import Statement, compiled
from cms_api.core.writing import Conflict, execute_as_one, insert

from .entries import TextsOnce, write_entries
from .folding import fold as fold

_WORD = re.compile(r"[^\W_]+")
#: SQLite's index of the words of records, each prefixed with the number of its model, so that no entry has to be read to tell
#: whose word it is; a row id combines the model's number and the record's. Maintained by triggers (`core/0001_initial`).
_RECORDS = "SELECT rowid - (%s << 40) FROM core_search_words WHERE core_search_words MATCH "
_MATCHES = "SELECT 1 FROM core_search_words WHERE core_search_words MATCH "
#: A word that is no prefix of another is looked up exactly: for prefixes, SQLite first collects all matches in one list.
_LONGER = "CASE WHEN EXISTS (SELECT 1 FROM core_search_terms WHERE term BETWEEN %s AND %s) THEN %s ELSE %s END"

#: Further words are ignored; the longest search text is 200 characters.
MAX_WORDS = 10

#: Databases make a list of the ids of so many records in a few milliseconds.
LISTED = 10_000

#: With a number after it, a word that nobody searches for: it stands for any in a statement that is compiled once.
_ANY_WORD = "\U0003134a"
#: Stands for any ids in the same way.
_ANY_IDS = "{-1,-1}"

#: PostgreSQL accepts a megabyte of words per record.
MAX_INDEXED_CHARACTERS = 200_000


def SearchBackend(params: dict[str, Any]) -> Any:
    """Return the stock backend for the database in use, with a cheaper index."""
    backend = stock_backend(params)
    backend.query_compiler_class = _compiler(backend.query_compiler_class)
    backend.autocomplete_query_compiler_class = _compiler(backend.autocomplete_query_compiler_class)
    if connection.vendor in {"postgresql", "sqlite"}:
        backend.index_class = _index(backend.index_class)
    return backend


@cache
def _compiler(stock: type[Any]) -> type[Any]:
    class Compiler(stock):
        def check(self) -> None:
            """Let what is found be filtered and sorted by any column: a database can, whatever its index has."""

    return Compiler


@cache
def _index(stock: type[Any]) -> type[Any]:
    class Index(stock):
        def add_items(self, model: type[Model], objs: Sequence[Any]) -> None:
            """Write entries in few statements; the stock index looks up each first, and then the average length of titles."""
            if connection.vendor == "postgresql":
                execute_as_one(write_entries(objs))
            else:
                _write_entries(model, objs, self.backend)

    return Index


#: An entry of a record that has one already replaces it.
_REPLACE = Conflict(("content_type_id", "object_id"), replaced=("title", "autocomplete", "body"))


def _write_entries(model: type[Model], records: Sequence[Any], backend: Any) -> None:
    """Write index entries in one statement. SQLite's triggers do the rest."""
    from wagtail.search.models import IndexEntry

    kind, make = get_content_type_pk(model), _indexer()
    indexers = [make(record, backend) for record in records]
    entries = [
        IndexEntry(content_type_id=kind, object_id=each.id, title=each.title, autocomplete=each.autocomplete, body=each.body)
        for each in indexers
    ]
    insert(entries, conflict=_REPLACE)


@cache
def _indexer() -> Any:
    """Return the stock class that makes entries."""
    from modelsearch.backends.database.sqlite.sqlite import ObjectIndexer

    class Indexer(TextsOnce, ObjectIndexer):
        """Makes each text once."""

    return Indexer


class AnyOf(Lookup):
    """PostgreSQL's `value = ANY(array)`."""

    lookup_name = "any_of"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        left, left_parameters = self.process_lhs(compiler, connection)
        right, right_parameters = self.process_rhs(compiler, connection)
        return f"{left} = ANY({right})", [*left_parameters, *right_parameters]


class Unindexed(Func):
    """On SQLite, a column whose index is not used for its condition: the planner then reads rows in the order asked for."""

    template = "+%(expressions)s"


class HasWords(Func):
    """On SQLite, whether the entry of a record has, for every search word, a word that starts with it."""

    output_field = BooleanField()
    template = (
        "EXISTS (SELECT 1 FROM wagtailsearch_indexentry AS entry"
        " WHERE entry.content_type_id = %(kind)d AND entry.object_id = CAST(%(expressions)s AS TEXT)%(words)s)"
    )

    def __init__(self, kind: int, found: Sequence[str]) -> None:
        super().__init__(F("pk"), kind=kind)
        self.found = found

    def as_sql(self, compiler: Any, connection: Any, *given: Any, **context: Any) -> Any:
        words = " AND INSTR(' ' || entry.autocomplete, %s)" * len(self.found)
        sql, parameters = super().as_sql(compiler, connection, *given, words=words, **context)
        return sql, [*parameters, *map(self.value, self.found)]

    @staticmethod
    def value(word: str) -> str:
        return f" {word}"


def unique_words(text: str) -> list[str]:
    """Return the distinct words of a text for the index, folded; words that start after MAX_INDEXED_CHARACTERS are left out."""
    return list(dict.fromkeys(_WORD.findall(fold(text[:MAX_INDEXED_CHARACTERS]))))


def spans(text: str, found: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each word of a text that starts with one of the words of a search."""
    beginnings = tuple(found)
    for each in _WORD.finditer(text):
        if beginnings and fold(each[0]).startswith(beginnings):
            yield each.span()


def words(text: str) -> list[str]:
    """Return the words of a search, folded; at most MAX_WORDS."""
    return _WORD.findall(fold(text))[:MAX_WORDS]


@dataclass(frozen=True)
class Listed:
    """The records that have some words."""

    words: str
    #: How many these are, once they are counted; LISTED + 1 may stand for more.
    number: int = 0
    #: Their ids, as PostgreSQL writes an array, if they are known. SQLite's index of words is as fast.
    ids: str | None = None

    def stand_in(self) -> "Listed":
        """Return what stands for any other with as many words, in a statement that is executed with `values`."""
        words_of_any = " ".join(f"{_ANY_WORD}{place}" for place in range(len(words(self.words))))
        return Listed(words_of_any, ids=None if self.ids is None else _ANY_IDS)

    def values(self, model: type[Model]) -> dict[str, str]:
        """Return what takes the place of the values of the stand-in, in a statement that finds records of a model."""
        kind = get_content_type_pk(model)
        pairs = zip(_values(kind, words(self.stand_in().words)), _values(kind, words(self.words)), strict=True)
        return dict(pairs) | ({} if self.ids is None else {_ANY_IDS: self.ids})


def _values(kind: int, found: Sequence[str]) -> list[str]:
    """Return the values that the words of a search have in statements."""
    if connection.vendor == "postgresql":
        return [_raw(found)]
    return [*_match(kind, found)[1], *map(HasWords.value, found)]


def forget(model: type[Model], keys: Sequence[Any]) -> None:
    """Remove bulk-deleted records from the search index, in one statement."""
    from wagtail.search.models import IndexEntry

    IndexEntry.objects.filter(content_type_id=get_content_type_pk(model), object_id__in=[str(key) for key in keys]).delete()


def matching(
    queryset: QuerySet[Any],
    text: str,
    *,
    model: type[Model] | None = None,
    key: str = "pk",
    most: int | None = None,
    in_order: bool = False,
    ids: str | None = None,
) -> QuerySet[Any]:
    """Return the rows of a queryset whose record has, for every word of the text, a word that starts with it.

    Takes no extra statement. A text without words matches nothing. If rows only point to the indexed records, `model` is the
    records' model and `key` the column with their id. With `most`, only so many records with the words are considered, any of
    them. With `in_order`, the rows are read by the other conditions, or in sort order until there are enough, and looked up in
    a list of the records with the words: for the first of many. PostgreSQL does so for at most LISTED of these; it does not look
    up the words if `ids` are known, see Listed.
    """
    found = words(text)
    if not found or most == 0:
        return queryset.none()
    kind = get_content_type_pk(model or queryset.model)
    if connection.vendor == "postgresql":
        from django.contrib.postgres.expressions import ArraySubquery

        entries = _ids_of_entries(model or queryset.model, found)[:most]
        # An array is built once; without statistics, the planner may rerun a subquery for every row.
        array: Any = ArraySubquery(entries) if ids is None else RawSQL("%s::bigint[]", [ids])
        if in_order and most is not None and most <= LISTED:
            # Not as a condition, which the planner would start from. A list of so many is hashed. It is made of an array, because
            # the planner assumes that a subquery is read by half, and would rather scan all entries.
            listed = In(F(key), Func(array, template="(SELECT UNNEST(%(expressions)s))", output_field=BigIntegerField()))
            return queryset.filter(Case(When(listed, then=Value(True)), default=Value(False)))
        return queryset.filter(AnyOf(F(key), array))
    match, parameters = _match(kind, found)
    records = RawSQL(_RECORDS + match + _limit(most), [kind, *parameters])
    return queryset.filter(In(Unindexed(F(key)), records) if in_order else Q(**{f"{key}__in": records}))


def list_matching(model: type[Model], text: str, *, exactly: bool = False) -> Listed:
    """Return all records of a model that `matching` finds (one statement); reads only their index entries.

    If they are more than LISTED, they are counted up to LISTED + 1, or all of them if `exactly` is set (PostgreSQL needs another
    statement then: to plan both takes longer than the first).
    """
    if connection.vendor != "postgresql" or not words(text):
        return Listed(text, count_matching(model, text, most=None if exactly else LISTED + 1))
    any_words = Listed(text).stand_in().words
    entries: Statement = compiled(("entries", model, any_words), lambda: _ids_of_entries(model, words(any_words))[: LISTED + 1])
    ids = entries.array(Listed(text).values(model))
    number = 0 if ids == "{}" else ids.count(",") + 1
    if number <= LISTED:
        return Listed(text, number, ids)
    return Listed(text, count_matching(model, text) if exactly else number)


def in_list(queryset: QuerySet[Any], listed: Listed) -> QuerySet[Any]:
    """Return the rows of a queryset that are in a list of at most LISTED records, as `matching` does with `in_order`."""
    return matching(queryset, listed.words, in_order=True, most=LISTED, ids=listed.ids)


def entries_matching(model: type[Model], text: str, *, most: int | None = None) -> Counted:
    """Return the index entries of all records of a model that `matching` finds, for `count_by`; at most `most`, any of them."""
    from wagtail.search.models import IndexEntry

    found, kind = words(text), get_content_type_pk(model)
    if not found:
        return IndexEntry.objects.none()
    if connection.vendor == "postgresql":
        return _ids_of_entries(model, found)[:most]
    match, parameters = _match(kind, found)
    return f"{_MATCHES}{match}{_limit(most)}", parameters


def count_matching(model: type[Model], text: str, *, most: int | None = None) -> int:
    """Return how many of all records of a model `matching` finds, but at most `most`; reads only their index entries."""
    return count_by("{entries}", entries=entries_matching(model, text, most=most))


def _ids_of_entries(model: type[Model], found: Sequence[str]) -> QuerySet[Any, Any]:
    from wagtail.search.models import IndexEntry

    # The model is part of the text: a prepared statement that may be for any would also read the index of models.
    kind = RawSQL(str(get_content_type_pk(model)), ())
    entries = IndexEntry.objects.filter(content_type_id=kind, autocomplete=_query(found))
    return entries.annotate(record_id=Cast("object_id", BigIntegerField())).values("record_id")


def having_words(queryset: QuerySet[Any], text: str) -> QuerySet[Any]:
    """Return the rows that `matching` finds, by checking each row: for a few rows of which many match."""
    from wagtail.search.models import IndexEntry

    found = words(text)
    if not found:
        return queryset.none()
    if connection.vendor == "postgresql":
        entries = IndexEntry.objects.filter(
            content_type_id=get_content_type_pk(queryset.model), object_id=Cast(OuterRef("pk"), CharField())
        )
        # As a value: asked with EXISTS, the planner would start from the index of words.
        has_words = ExpressionWrapper(Q(autocomplete=_query(found)), output_field=BooleanField())
        return queryset.filter(Subquery(entries.values(has_words=has_words), output_field=BooleanField()))
    return queryset.filter(HasWords(get_content_type_pk(queryset.model), found))


def _query(found: Sequence[str]) -> Any:
    """Return PostgreSQL's search query: a word that starts with each of these."""
    from django.contrib.postgres.search import SearchQuery

    return SearchQuery(_raw(found), config="simple", search_type="raw")


def _raw(found: Sequence[str]) -> str:
    return " & ".join(f"{word}:*" for word in found)


def _limit(most: int | None) -> str:
    return "" if most is None else f" LIMIT {most:d}"


def _match(kind: int, found: Sequence[str]) -> tuple[str, list[Any]]:
    """Return SQLite's match expression and its parameters: a word that starts with each of these."""
    terms = [f"{kind:04}_{word}" for word in found]
    parameters = [value for term in terms for value in (f"{term}0", f"{term}\U0010ffff", f'"{term}"*', f'"{term}"')]
    return " || ' AND ' || ".join([_LONGER] * len(terms)), parameters
