"""`manage.py adopt_database`: take over the database of a site from before 0.9.0, whose apps had more migrations."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from cms_api.core.commands import SiteCommand
from cms_api.core.former_migrations import FORMER_MIGRATIONS, PRESENT, find_former

#: Differences that are listed; the first ones say what is wrong.
SHOWN_DIFFERENCES = 10


class Command(SiteCommand):
    help = "Takes over a database from before 0.9.0. It must be at that version's last migrations, and is checked first."

    def handle(self, **options: Any) -> None:
        recorder = MigrationRecorder(connection)
        former = find_former(applied := set(recorder.applied_migrations()))
        if not former:
            self.stdout.write("This database is not from before 0.9.0; there is nothing to do.")
            return
        every = {(app, name) for app, names in FORMER_MIGRATIONS.items() for name in names}
        if missing := sorted(every - applied):
            raise CommandError(
                f"The database lacks {len(missing)} migrations of the last version before 0.9.0, such as {'.'.join(missing[0])}. "
                "Run that version's `migrate` first. Nothing was changed."
            )
        if differences := list(find_differences()):
            listed = "\n".join(f"- {each}" for each in differences[:SHOWN_DIFFERENCES])
            raise CommandError(f"The tables differ from those of this version. Nothing was changed.\n{listed}")
        with transaction.atomic():
            for app, name in sorted(former):
                recorder.record_unapplied(app, name)
            for app in FORMER_MIGRATIONS:
                if (app, PRESENT) not in applied:
                    recorder.record_applied(app, PRESENT)
        self.stdout.write("The database is that of this version now. Run `migrate`.")


def targets() -> list[tuple[str, str]]:
    """Return the migrations whose tables a database from before 0.9.0 has; `migrate` applies those that came later."""
    return [(app, PRESENT) for app in FORMER_MIGRATIONS]


def find_differences() -> Iterator[str]:
    """Yield in words which tables and columns are missing, unknown or empty, compared with what the first migrations create."""
    models = MigrationLoader(None).project_state(targets()).apps.get_models(include_auto_created=True)
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        for model in models:
            meta = model._meta
            if meta.app_label not in FORMER_MIGRATIONS or meta.proxy or not meta.managed:
                continue
            if meta.db_table not in tables:
                yield f"The table {meta.db_table} is missing."
                continue
            found = {
                each.name: bool(each.null_ok) for each in connection.introspection.get_table_description(cursor, meta.db_table)
            }
            # Databases allow computed columns to be empty.
            wanted = {str(field.column): field.null or field.generated for field in meta.local_concrete_fields}
            for column in sorted(wanted.keys() | found.keys()):
                if column not in found:
                    yield f"The column {meta.db_table}.{column} is missing."
                elif column not in wanted:
                    yield f"The column {meta.db_table}.{column} is unknown."
                elif wanted[column] != found[column]:
                    yield f"The column {meta.db_table}.{column} {'may not' if wanted[column] else 'may'} be empty."
