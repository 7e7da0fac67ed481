"""Creates the table of what each payment of a plan gives, and of the price at which it was paid."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("members", "0008_carried_days")]

    operations = [
        migrations.CreateModel(
            name="PaidPeriod",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("payment_id", models.PositiveBigIntegerField(null=True, unique=True)),
                ("price_cents", models.BigIntegerField()),
                ("currency", models.CharField(max_length=3)),
                (
                    "interval",
                    models.CharField(choices=[("none", "Once"), ("month", "Every month"), ("year", "Every year")], max_length=5),
                ),
                ("days", models.PositiveIntegerField(null=True)),
                ("is_carried", models.BooleanField(default=False)),
                ("is_taken", models.BooleanField(default=False)),
                ("former_until", models.DateField(null=True)),
                ("former_billing_day", models.PositiveSmallIntegerField(null=True)),
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
            options={"default_permissions": ()},
        ),
    ]
