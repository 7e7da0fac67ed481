"""Adds the currency of recurring invoices: so far, their amounts were read in that of the site."""

from typing import Any

from django.conf import settings
from django.db import migrations, models


def fill(apps: Any, schema_editor: Any) -> None:
    recurring = apps.get_model("invoicing", "RecurringInvoice").objects.using(schema_editor.connection.alias)
    recurring.filter(currency="").update(currency=settings.SITE_CURRENCY)


class Migration(migrations.Migration):
    dependencies = [("invoicing", "0004_documents_typeset_after_issuing")]

    operations = [
        migrations.AddField(
            model_name="recurringinvoice",
            name="currency",
            field=models.CharField(default="", editable=False, max_length=3),
            preserve_default=False,
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
