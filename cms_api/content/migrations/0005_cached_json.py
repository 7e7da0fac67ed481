"""Rename the columns of the cached JSON. A rename only changes the catalog; the new index is built once."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("content", "0004_fill_lasting")]

    operations = [
        migrations.RemoveIndex("contentitem", "item_prepared_for"),
        migrations.RenameField("contentitem", "prepared", "cached_json"),
        migrations.RenameField("contentitem", "prepared_for", "cached_epoch"),
        migrations.AddIndex("contentitem", models.Index("type", "cached_epoch", name="item_cached_epoch")),
    ]
