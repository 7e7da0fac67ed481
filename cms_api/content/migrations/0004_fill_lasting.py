"""Fill in the end of the last date, and whether the span is long, for items with dates; each batch in its own transaction."""

from datetime import timedelta

from django.db import migrations
from django.db.models import F, Max

BATCH = 5000
LONG = timedelta(days=31)


def fill(apps, schema_editor):
    items = apps.get_model("content", "ContentItem").objects.using(schema_editor.connection.alias)
    last = items.aggregate(last=Max("pk"))["last"] or 0
    for first in range(0, last + 1, BATCH):
        dated = items.filter(pk__gte=first, pk__lt=first + BATCH, ends_at__isnull=False)
        dated.filter(lasts_until=None).update(lasts_until=F("ends_at"))
        dated.filter(ends_at__gt=F("starts_at") + LONG).update(is_long=True)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("content", "0003_lasting")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
