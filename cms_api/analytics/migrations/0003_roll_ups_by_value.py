"""Indexes for the days of a value, and for the pages that were seen with it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("analytics", "0002_events_by_day")]

    operations = [
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
