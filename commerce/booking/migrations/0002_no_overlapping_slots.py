from typing import Any

from django.db import migrations

# A range of one number stands for equality, which needs an extension in a GiST index.
ADD = """
    ALTER TABLE booking_bookedslot ADD CONSTRAINT booked_slot_overlap EXCLUDE USING gist (
        int8range(staff_id, staff_id, '[]') WITH &&,
        tstzrange(occupied_from, occupied_until) WITH &&
    )
"""
DROP = "ALTER TABLE booking_bookedslot DROP CONSTRAINT booked_slot_overlap"


def add(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(ADD)


def drop(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(DROP)


class Migration(migrations.Migration):
    dependencies = [("booking", "0001_initial")]

    operations = [migrations.RunPython(add, drop)]
