"""Marks the recurring donations that staff have paused, which only staff resume."""

from typing import Any

from django.db import migrations, models
from django.db.models import Exists, OuterRef

#: A card that was declined more often has paused its donation.
RETRIES = 6


def mark(apps: Any, schema_editor: Any) -> None:
    recurring = apps.get_model("donations", "RecurringDonation").objects
    donations = apps.get_model("donations", "Donation").objects
    declined = donations.filter(recurring=OuterRef("pk"), status="failed", declines__gt=RETRIES)
    recurring.filter(status="paused", method__isnull=False).exclude(Exists(declined)).update(is_paused_by_staff=True)


class Migration(migrations.Migration):
    dependencies = [("donations", "0003_former_amounts")]

    operations = [
        migrations.AddField(
            "recurringdonation", "is_paused_by_staff", models.BooleanField(db_default=False, default=False, editable=False)
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
