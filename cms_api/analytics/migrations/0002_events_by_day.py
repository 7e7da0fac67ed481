"""Partitions the events by day on PostgreSQL; other databases keep their table. Adds indexes for the days and pages of a value.

The present rows become one partition, which ends with the latest of their days: its primary key is made anew, and no row is
moved. The way back copies the rows. Workers wait meanwhile; pages don't, as what they send waits in files.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import migrations, models

TABLE = "analytics_event"
#: What is later than all other partitions, or earlier than the first.
REST = "analytics_event_default"
#: The rows from before there were partitions.
FORMER = "analytics_event_former"
#: The key of the partitioned table has the day; within a day, the message's number is unique.
KEY = 'PRIMARY KEY ("uid", "day")'


def partition(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        _run(cursor, f"LOCK TABLE {TABLE} IN ACCESS EXCLUSIVE MODE")
        cursor.execute(f"SELECT max(day) FROM {TABLE}")
        latest: date | None = cursor.fetchone()[0]
        keys = _foreign_keys(cursor)
        # Names of constraints and indexes are free again for the new table.
        _rename_parts(cursor)
        _run(
            cursor,
            f"ALTER TABLE {TABLE} RENAME TO {FORMER}",
            f"CREATE TABLE {TABLE} (LIKE {FORMER} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (day)",
            f"ALTER TABLE {TABLE} ADD CONSTRAINT analytics_event_pkey {KEY}",
            *_indexes(),
            *(f'ALTER TABLE {TABLE} ADD CONSTRAINT "{name}" {definition}' for name, definition in keys),
            f"CREATE TABLE {REST} PARTITION OF {TABLE} DEFAULT",
        )
        if latest is None:
            _run(cursor, f"DROP TABLE {FORMER}")
            return
        end = max(latest, datetime.now(UTC).date()) + timedelta(days=1)
        _run(
            cursor,
            f"ALTER TABLE {FORMER} DROP CONSTRAINT {FORMER}_pkey, ADD {KEY}",
            f"ALTER TABLE {TABLE} ATTACH PARTITION {FORMER} FOR VALUES FROM (MINVALUE) TO ('{end.isoformat()}')",
        )


def unite(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        _run(cursor, f"LOCK TABLE {TABLE} IN ACCESS EXCLUSIVE MODE")
        keys = _foreign_keys(cursor)
        _run(
            cursor,
            f"CREATE TABLE analytics_event_united (LIKE {TABLE} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)",
            f"INSERT INTO analytics_event_united SELECT DISTINCT ON (uid) * FROM {TABLE} ORDER BY uid, day",
            f"DROP TABLE {TABLE}",
            f"ALTER TABLE analytics_event_united RENAME TO {TABLE}",
            f'ALTER TABLE {TABLE} ADD CONSTRAINT analytics_event_pkey PRIMARY KEY ("uid")',
            *_indexes(),
            *(f'ALTER TABLE {TABLE} ADD CONSTRAINT "{name}" {definition}' for name, definition in keys),
        )


def _run(cursor: Any, *statements: str) -> None:
    for statement in statements:
        cursor.execute(statement)


def _indexes() -> list[str]:
    """Return the statements for the indexes of the model, with the names that the first migration has given."""
    return [
        f"CREATE INDEX event_by_visitor ON {TABLE} (visitor, day)",
        f'CREATE INDEX event_by_time ON {TABLE} ("at")',
        f"CREATE INDEX analytics_event_visit_id_125a47b9 ON {TABLE} (visit_id)",
    ]


def _foreign_keys(cursor: Any) -> list[tuple[str, str]]:
    cursor.execute(
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'f'", [TABLE]
    )
    found: list[tuple[str, str]] = cursor.fetchall()
    return found


def _rename_parts(cursor: Any) -> None:
    """Give the indexes and the foreign keys of the table names of the former one."""
    cursor.execute("SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = %s::regclass", [TABLE])
    for (name,) in cursor.fetchall():
        new = f"{FORMER}_{name.removeprefix(f'{TABLE}_')}"
        cursor.execute(f'ALTER INDEX "{name}" RENAME TO "{new}"')
    for name, _ in _foreign_keys(cursor):
        cursor.execute(f'ALTER TABLE {TABLE} RENAME CONSTRAINT "{name}" TO "{FORMER}_{name.removeprefix(f"{TABLE}_")}"')


class Migration(migrations.Migration):
    dependencies = [("analytics", "0001_initial")]

    operations = [
        migrations.RunPython(partition, unite),
        migrations.AddIndex(
            model_name="rollup",
            index=models.Index(
                models.F("dimension"), models.F("value"), models.F("day"), name="roll_up_of_site", condition=models.Q(path="")
            ),
        ),
        migrations.AddIndex(
            model_name="rollup",
            index=models.Index(
                models.F("dimension"), models.F("value"), models.F("day"), name="roll_up_of_pages", condition=models.Q(path__gt="")
            ),
        ),
    ]
