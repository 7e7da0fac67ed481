"""Wagtail's database search backend, without the step that makes every write as slow as the index is long.

The stock backend recomputes the average title length of the whole index after each write, to rank short titles higher.
Here that happens when the index is rebuilt (`manage.py rebuild_search_index`), not on each save.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, islice
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

from cms_api.core.reading import Statement, compile_once
from cms_api.core.writing import Conflict, execute_as_one, insert

from .entries import TextsOnce, write_entries
from .folding import fold as fold
from .segments import find_spans, find_words

#: On SQLite, the table `core_search_words` is an index of the words of all records (ADR 17). Each word begins with the number of
#: its record's model, so a match is one of the wanted model. A row id is made of the model's number and the record's id. Triggers
#: on the table of search entries maintain the index (`core/0001_initial`).
_RECORDS = "SELECT rowid - (%s << 40) FROM core_search_words WHERE core_search_words MATCH "
_MATCHES = "SELECT COUNT(*) FROM core_search_words WHERE core_search_words MATCH "
#: The match expression for one word: a search for a prefix if the index has a longer word that begins with it, else for the word
#: itself. To search for a prefix, SQLite first merges the records of all words that begin with it, which takes longer.
_PREFIX_OR_WORD = "CASE WHEN EXISTS (SELECT 1 FROM core_search_terms WHERE term BETWEEN %s AND %s) THEN %s ELSE %s END"

#: Further words of a search are ignored. A search text has at most 200 characters.
MAX_WORDS = 10

#: A character that no user searches for. With a number after it, it is a placeholder for a word in SQL that is compiled once.
_PLACEHOLDER = "\U0003134a"

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
            """Accept filters and sort orders by any column, also by one that is not declared as a field of the index."""

    return Compiler


@cache
def _index(stock: type[Any]) -> type[Any]:
    class Index(stock):
        def add_items(self, model: type[Model], objs: Sequence[Any]) -> None:
            """Write all entries in few statements. The stock index reads each entry first, and then recomputes the average."""
            if connection.vendor == "postgresql":
                execute_as_one(write_entries(objs))
            else:
                _write_entries(model, objs, self.backend)

    return Index


#: If a record has an entry already, the new one replaces it.
_REPLACE = Conflict(("content_type_id", "object_id"), replaced=("title", "autocomplete", "body"))


def _write_entries(model: type[Model], records: Sequence[Any], backend: Any) -> None:
    """Write the entries of records in one statement. Triggers then update SQLite's indexes of words."""
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
    """Return the stock class that makes an entry, changed to make the text of each field once."""
    from modelsearch.backends.database.sqlite.sqlite import ObjectIndexer

    class Indexer(TextsOnce, ObjectIndexer):
        """Makes the text of each field once, for all columns of the entry."""

    return Indexer


class AnyOf(Lookup):
    """The condition `value = ANY(array)` of PostgreSQL."""

    lookup_name = "any_of"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        left, left_parameters = self.process_lhs(compiler, connection)
        right, right_parameters = self.process_rhs(compiler, connection)
        return f"{left} = ANY({right})", [*left_parameters, *right_parameters]


class Unindexed(Func):
    """A column without its index, so that SQLite uses that of another condition. PostgreSQL's statistics tell it which to use."""

    template = "+%(expressions)s"

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        return self.as_sql(compiler, connection, template="%(expressions)s")


class HasWords(Func):
    """On SQLite, whether the search entry of a record has, for every word of a search, a word that begins with it."""

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
    """Return the distinct words of a text for the index, folded. Those beyond MAX_INDEXED_CHARACTERS are left out."""
    found = list(dict.fromkeys(find_words(text[:MAX_INDEXED_CHARACTERS], is_indexed=True)))
    ends = accumulate(len(word) + 1 for word in found)
    return [word for word, end in zip(found, ends, strict=True) if end <= MAX_INDEXED_CHARACTERS]


def spans(text: str, found: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each word of a text that begins with one of the words of a search."""
    return find_spans(text, tuple(found))


def words(text: str) -> list[str]:
    """Return the first MAX_WORDS words of a search, folded."""
    return list(islice(find_words(text), MAX_WORDS))


def placeholder_words(text: str) -> str:
    """Return a placeholder for each word of a search. The SQL of a search for these serves all searches with as many words."""
    return " ".join(f"{_PLACEHOLDER}{place}" for place in range(len(words(text))))


def placeholder_values(model: type[Model], text: str) -> dict[str, str]:
    """Return the parameters of a search for records of a model, by those that the SQL of its placeholders has in their place."""
    kind = get_content_type_pk(model)
    return dict(zip(_parameters(kind, words(placeholder_words(text))), _parameters(kind, words(text)), strict=True))


def _parameters(kind: int, found: Sequence[str]) -> list[str]:
    """Return the parameters that stand for the words of a search in the SQL of `matching` and `having_words`."""
    if connection.vendor == "postgresql":
        return [_raw_query(found)]
    return [*_match(kind, found)[1], *map(HasWords.value, found)]


def forget(model: type[Model], keys: Sequence[Any]) -> None:
    """Remove bulk-deleted records from the search index, in one statement."""
    from wagtail.search.models import IndexEntry

    IndexEntry.objects.filter(content_type_id=get_content_type_pk(model), object_id__in=[str(key) for key in keys]).delete()


def matching(queryset: QuerySet[Any], text: str, *, model: type[Model] | None = None, key: str = "pk") -> QuerySet[Any]:
    """Return the rows of a queryset whose record has, for every word of the text, a word that begins with it.

    The index of words finds all records with the words, and the database looks up each of them: this suits words that few records
    have. It takes no statement of its own. A text without words matches nothing. If the rows only refer to the indexed records,
    `model` is the model of the records, and `key` the column with their ids.
    """
    found, model = words(text), model or queryset.model
    if not found:
        return queryset.none()
    ids = _ids(model, found)
    return queryset.filter(AnyOf(F(key), ids) if connection.vendor == "postgresql" else In(F(key), ids))


def matching_in_order(queryset: QuerySet[Any], text: str) -> QuerySet[Any]:
    """Return the same rows as `matching`, without looking up all records that have the words.

    The database reads the rows in sort order until it has enough, and compares each with a list of all records with the words.
    """
    found = words(text)
    if not found:
        return queryset.none()
    ids = _ids(queryset.model, found)
    if connection.vendor != "postgresql":
        return queryset.filter(In(Unindexed(F("pk")), ids))
    # PostgreSQL hashes the elements. As a plain condition it would look them up, because it assumes that there are ten of them.
    listed = In(F("pk"), Func(ids, template="(SELECT UNNEST(%(expressions)s))", output_field=BigIntegerField()))
    return queryset.filter(Case(When(listed, then=Value(True)), default=Value(False)))


def _ids(model: type[Model], found: Sequence[str]) -> Any:
    """Return the ids of all records of a model that have the words: an array on PostgreSQL, a subquery on SQLite."""
    if connection.vendor == "postgresql":
        from django.contrib.postgres.expressions import ArraySubquery

        # PostgreSQL builds an array once. It may run a subquery again for every row if it has no statistics.
        return ArraySubquery(_entries(model, found))
    kind = get_content_type_pk(model)
    match, parameters = _match(kind, found)
    return RawSQL(_RECORDS + match, [kind, *parameters])


def having_words(queryset: QuerySet[Any], text: str) -> QuerySet[Any]:
    """Return the same rows as `matching`, by checking the words of each row.

    This suits few rows, and the first rows in sort order if most have the words: the database stops when it has enough of them.
    """
    from wagtail.search.models import IndexEntry

    found = words(text)
    if not found:
        return queryset.none()
    if connection.vendor == "postgresql":
        entries = IndexEntry.objects.filter(
            content_type_id=get_content_type_pk(queryset.model), object_id=Cast(OuterRef("pk"), CharField())
        )
        # The subquery returns whether the words match. If it only had entries that match, the planner would begin with the index.
        has_words = ExpressionWrapper(Q(autocomplete=_query(found)), output_field=BooleanField())
        return queryset.filter(Subquery(entries.values(has_words=has_words), output_field=BooleanField()))
    return queryset.filter(HasWords(get_content_type_pk(queryset.model), found))


def count_matching(model: type[Model], text: str) -> int:
    """Return how many of all records of a model have the words (one statement, which reads no records)."""
    found = words(text)
    if not found:
        return 0
    if connection.vendor == "postgresql":
        placeholders = placeholder_words(text)
        entries: Statement = compile_once(("count matching", model, placeholders), lambda: _entries(model, words(placeholders)))
        return entries.count(placeholder_values(model, text))
    match, parameters = _match(get_content_type_pk(model), found)
    with connection.cursor() as cursor:
        cursor.execute(_MATCHES + match, parameters)
        return int(cursor.fetchone()[0])


def _entries(model: type[Model], found: Sequence[str]) -> QuerySet[Any, Any]:
    """Return the ids of the records of a model that have the words, from PostgreSQL's index of search entries."""
    from wagtail.search.models import IndexEntry

    # The number of the model is part of the SQL, not a parameter. A plan for any model would read the index of models, too.
    kind = RawSQL(str(get_content_type_pk(model)), ())
    entries = IndexEntry.objects.filter(content_type_id=kind, autocomplete=_query(found))
    return entries.annotate(record_id=Cast("object_id", BigIntegerField())).values("record_id")


def _query(found: Sequence[str]) -> Any:
    """Return PostgreSQL's search query: a word that begins with each of these."""
    from django.contrib.postgres.search import SearchQuery

    return SearchQuery(_raw_query(found), config="simple", search_type="raw")


def _raw_query(found: Sequence[str]) -> str:
    return " & ".join(f"{word}:*" for word in found)


def _match(kind: int, found: Sequence[str]) -> tuple[str, list[Any]]:
    """Return SQLite's match expression and its parameters: a word that begins with each of these."""
    terms = [f"{kind:04}_{word}" for word in found]
    parameters = [value for term in terms for value in (f"{term}0", f"{term}\U0010ffff", f'"{term}"*', f'"{term}"')]
    return " || ' AND ' || ".join([_PREFIX_OR_WORD] * len(terms)), parameters
