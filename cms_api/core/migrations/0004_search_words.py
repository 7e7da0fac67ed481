"""SQLite's index of search words, separated by model; `cms_api/core/search.py` explains its purpose."""

from django.db import migrations

WORDS, TERMS, ENTRIES = "core_search_words", "core_search_terms", "wagtailsearch_indexentry"

CREATE = f"""CREATE VIRTUAL TABLE {WORDS} USING fts5(words, content='', prefix='6', tokenize="ascii tokenchars '_'")"""
VOCABULARY = f"CREATE VIRTUAL TABLE {TERMS} USING fts5vocab({WORDS}, instance)"


def row_of(entry):
    """Return the SQL for the row number and the words of an entry with this alias."""
    number = f"({entry}content_type_id << 40) + CAST({entry}object_id AS INTEGER)"
    words = f"REPLACE(' ' || REPLACE({entry}autocomplete, '_', ' '), ' ', PRINTF(' %04d_', {entry}content_type_id))"
    return f"{number}, {words}"


def trigger(name, moment, *statements):
    return f"CREATE TRIGGER {WORDS}_{name} AFTER {moment} BEGIN {'; '.join(statements)}; END"


def of_numbers(entry):
    return f"{entry}.object_id NOT GLOB '*[^0-9]*'"


PUT = f"INSERT INTO {WORDS} (rowid, words) SELECT {row_of('new.')} WHERE {of_numbers('new')}"
TAKE = f"INSERT INTO {WORDS} ({WORDS}, rowid, words) SELECT 'delete', {row_of('old.')} WHERE {of_numbers('old')}"
TRIGGERS = (
    trigger("put", f"INSERT ON {ENTRIES}", PUT),
    trigger("changed", f"UPDATE ON {ENTRIES} WHEN old.autocomplete IS NOT new.autocomplete", TAKE, PUT),
    trigger("taken", f"DELETE ON {ENTRIES}", TAKE),
)
FILL = f"INSERT INTO {WORDS} (rowid, words) SELECT {row_of('')} FROM {ENTRIES} AS entry WHERE {of_numbers('entry')}"


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for statement in (CREATE, VOCABULARY, FILL, *TRIGGERS):
            schema_editor.execute(statement, params=None)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in ("put", "changed", "taken"):
            schema_editor.execute(f"DROP TRIGGER {WORDS}_{name}")
        for table in (TERMS, WORDS):
            schema_editor.execute(f"DROP TABLE {table}")


class Migration(migrations.Migration):
    dependencies = [("core", "0003_tags"), ("wagtailsearch", "0010_add_text_fields")]

    operations = [migrations.RunPython(create, drop)]
