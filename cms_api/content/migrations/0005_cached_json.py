"""Rename the columns of the cached JSON and their index, which only changes the catalog on PostgreSQL."""

from django.db import migrations, models

COLUMNS = [
    migrations.RenameField("contentitem", "prepared", "cached_json"),
    migrations.RenameField("contentitem", "prepared_for", "cached_epoch"),
]


def rename_index(apps, schema_editor):
    _rename(schema_editor, "item_prepared_for", "item_cached_epoch", "cached_epoch")


def restore_index(apps, schema_editor):
    # By now the column has its present name; it is renamed after this.
    _rename(schema_editor, "item_cached_epoch", "item_prepared_for", "cached_epoch")


def _rename(schema_editor, before, after, column):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"ALTER INDEX {before} RENAME TO {after}")
    else:
        schema_editor.execute(f"DROP INDEX {before}")
        schema_editor.execute(f"CREATE INDEX {after} ON content_contentitem (type_id, {column})")


class Migration(migrations.Migration):
    dependencies = [("content", "0004_fill_lasting")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[*COLUMNS, migrations.RunPython(rename_index, restore_index)],
            state_operations=[
                migrations.RemoveIndex("contentitem", "item_prepared_for"),
                *COLUMNS,
                migrations.AddIndex("contentitem", models.Index("type", "cached_epoch", name="item_cached_epoch")),
            ],
        )
    ]
