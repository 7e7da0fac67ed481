"""Stores which payments of former plans the days of a member's plan come from."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("members", "0007_taken_periods")]

    operations = [
        migrations.AddField("takenperiod", "days", models.PositiveIntegerField(null=True)),
        migrations.CreateModel(
            name="CarriedDays",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("payment_id", models.PositiveBigIntegerField()),
                ("days", models.PositiveIntegerField()),
                (
                    "member",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="members.member"),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="members.plan"
                    ),
                ),
            ],
            options={
                "default_permissions": (),
                "constraints": [models.UniqueConstraint("member", "payment_id", name="carried_days_once")],
            },
        ),
    ]
