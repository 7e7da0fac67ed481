"""`manage.py adopt_database`: a database from before 0.9.0 is taken over whole, or refused and left as it is."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from cms_api.core.former_migrations import FORMER_MIGRATIONS

pytestmark = pytest.mark.django_db

LAST = ("members", "0011_one_table_of_periods")


@pytest.fixture
def recorder(db: None) -> MigrationRecorder:
    """The records of a database at the last migrations from before 0.9.0."""
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("accounts", "0001_initial")
    for app, names in FORMER_MIGRATIONS.items():
        for name in names:
            if (app, name) not in recorder.applied_migrations():
                recorder.record_applied(app, name)
    return recorder


def adopted(capsys: pytest.CaptureFixture[str]) -> str:
    call_command("adopt_database")
    return capsys.readouterr().out


def test_it_works(recorder: MigrationRecorder, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError, match=r"from before 0\.9\.0\. Take it over with `manage.py adopt_database` first"):
        call_command("migrate", verbosity=0)
    assert adopted(capsys) == "The database is that of this version now. Run `migrate`.\n"
    ours = {each for each in recorder.applied_migrations() if each[0] in FORMER_MIGRATIONS}
    assert ours == {(app, "0001_initial") for app in FORMER_MIGRATIONS}
    call_command("migrate", verbosity=0)
    assert "there is nothing to do" in adopted(capsys)


def is_refused(recorder: MigrationRecorder, message: str) -> bool:
    before = set(recorder.applied_migrations())
    with pytest.raises(CommandError, match=message):
        call_command("adopt_database")
    return set(recorder.applied_migrations()) == before


def test_a_database_that_is_not_at_the_last_migrations_is_refused(recorder: MigrationRecorder) -> None:
    recorder.record_unapplied(*LAST)
    assert is_refused(recorder, "lacks 1 migrations of the last version before 0.9.0, such as members.0011_one_table_of_periods")


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ("ALTER TABLE crm_contact ADD shoe_size integer NULL", "The column crm_contact.shoe_size is unknown"),
        ("ALTER TABLE core_version RENAME COLUMN value TO number", "The column core_version.number is unknown"),
        ("ALTER TABLE flags_setting RENAME TO flags_former", "The table flags_setting is missing"),
    ],
)
def test_other_tables_are_refused(recorder: MigrationRecorder, change: str, difference: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(change)
    assert is_refused(recorder, f"The tables differ from those of this version. Nothing was changed.\n- .*{difference}")
