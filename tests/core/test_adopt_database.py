"""`manage.py adopt_database`: a database from before 0.9.0 is taken over whole, or refused and left as it is."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from cms_api.core.former_migrations import FORMER_MIGRATIONS
from cms_api.core.management.commands import adopt_database

pytestmark = pytest.mark.django_db

LAST = ("members", "0011_one_table_of_periods")


@pytest.fixture
def recorder(db: None, monkeypatch: pytest.MonkeyPatch) -> MigrationRecorder:
    """The records of a database at the last migrations from before 0.9.0. Its tables are those of the newest."""
    leaves = [node for node in MigrationLoader(None).graph.leaf_nodes() if node[0] in FORMER_MIGRATIONS]
    monkeypatch.setattr(adopt_database, "targets", lambda: leaves)
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("accounts", "0001_initial")
    for app, name in recorder.applied_migrations():
        if app in FORMER_MIGRATIONS and name != "0001_initial":
            recorder.record_unapplied(app, name)
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
    call_command("migrate", verbosity=0, fake=True)
    assert "there is nothing to do" in adopted(capsys)


def is_refused(recorder: MigrationRecorder, message: str) -> bool:
    before = set(recorder.applied_migrations())
    with pytest.raises(CommandError, match=message):
        call_command("adopt_database")
    return set(recorder.applied_migrations()) == before


def test_a_database_that_is_not_at_the_last_migrations_is_refused(recorder: MigrationRecorder) -> None:
    recorder.record_unapplied(*LAST)
    assert is_refused(recorder, "lacks 1 migrations of the last version before 0.9.0, such as members.0011_one_table_of_periods")


def test_other_tables_are_refused(recorder: MigrationRecorder) -> None:
    changes = {
        "ALTER TABLE core_version RENAME COLUMN value TO number": "The column core_version.number is unknown",
        "ALTER TABLE crm_contact ADD shoe_size integer NULL": "The column crm_contact.shoe_size is unknown",
        "ALTER TABLE flags_setting RENAME TO flags_former": "The table flags_setting is missing",
    }
    with connection.cursor() as cursor:
        for change in changes:
            cursor.execute(change)
    before = set(recorder.applied_migrations())
    with pytest.raises(CommandError, match=r"The tables differ from those of this version. Nothing was changed.\n- ") as refused:
        call_command("adopt_database")
    assert [difference for difference in changes.values() if difference not in str(refused.value)] == []
    assert set(recorder.applied_migrations()) == before


def test_tables_are_compared_with_those_of_the_first_migrations() -> None:
    assert set(adopt_database.targets()) == {(app, "0001_initial") for app in FORMER_MIGRATIONS}
