"""Stores what a recurring donation was before the changes that its latest mail reports."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("donations", "0002_link_keys")]

    operations = [
        migrations.AddField("recurringdonation", "former_amount_cents", models.BigIntegerField(editable=False, null=True)),
        migrations.AddField("recurringdonation", "former_fee_cover_cents", models.BigIntegerField(editable=False, null=True)),
    ]
