"""Lets feeds and calendars name items that exist by their number, as before, and those to come by the moment of their creation too."""

from typing import Any

from django.db import migrations, models
from django.utils import timezone


def keep_numbers(apps: Any, schema_editor: Any) -> None:
    types = apps.get_model("content", "ContentType").objects.using(schema_editor.connection.alias)
    types.update(numbered_until=timezone.now())


class Migration(migrations.Migration):
    dependencies = [("content", "0006_uncompressed_json")]

    operations = [
        migrations.AddField("contenttype", "numbered_until", models.DateTimeField(editable=False, null=True)),
        migrations.RunPython(keep_numbers, migrations.RunPython.noop),
    ]
