"""Adds and removes indexes of tables that are in use."""

from typing import Any

from django.db import NotSupportedError, migrations


class AddIndexConcurrently(migrations.AddIndex):
    """Adds an index without locking its table on PostgreSQL, as Django's operation of this name does; elsewhere as `AddIndex`.

    An index that an interrupted run has left behind is built again. Raises NotSupportedError inside a transaction on
    PostgreSQL: its migration has `atomic = False`.
    """

    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        if not self.allow_migrate_model(schema_editor.connection.alias, model):
            return
        _remove(schema_editor, self.index.name)
        schema_editor.add_index(model, self.index, **_options(schema_editor))

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = from_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            _remove(schema_editor, self.index.name)


class RemoveIndexConcurrently(migrations.RemoveIndex):
    """Removes an index, and adds it again backwards, as `AddIndexConcurrently` does. Its migration has `atomic = False`."""

    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if self.allow_migrate_model(schema_editor.connection.alias, from_state.apps.get_model(app_label, self.model_name)):
            _remove(schema_editor, self.name)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        index = to_state.models[app_label, self.model_name_lower].get_index_by_name(self.name)
        AddIndexConcurrently(self.model_name, index).database_forwards(app_label, schema_editor, from_state, to_state)


def _options(schema_editor: Any) -> dict[str, bool]:
    if schema_editor.connection.vendor != "postgresql":
        return {}
    if schema_editor.connection.in_atomic_block:
        raise NotSupportedError("Set atomic = False on the migration: an index is not built concurrently in a transaction.")
    return {"concurrently": True}


def _remove(schema_editor: Any, name: str) -> None:
    """Remove an index, if it exists."""
    concurrently = "CONCURRENTLY " if _options(schema_editor) else ""
    schema_editor.execute(f"DROP INDEX {concurrently}IF EXISTS {schema_editor.quote_name(name)}")
