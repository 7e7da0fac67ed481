"""Let PostgreSQL store the JSON that responses are built from as it is, beside its row if two such rows fit into a page.

Rows change when they are next written.
"""

from django.db import migrations

# The most bytes that each of two rows of a page of 8 kB may have.
HALF_A_PAGE = 4080


def store_as_is(apps, schema_editor):
    _alter(schema_editor, f"ALTER cached_json SET STORAGE EXTERNAL, SET (toast_tuple_target = {HALF_A_PAGE})")


def compress(apps, schema_editor):
    _alter(schema_editor, "ALTER cached_json SET STORAGE EXTENDED, RESET (toast_tuple_target)")


def _alter(schema_editor, changes):
    # Only changes the catalog.
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"ALTER TABLE content_contentitem {changes}")


class Migration(migrations.Migration):
    dependencies = [("content", "0005_cached_json")]

    operations = [migrations.RunPython(store_as_is, compress)]
