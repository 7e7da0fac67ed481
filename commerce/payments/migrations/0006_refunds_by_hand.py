"""Says which refunds a person has given back in another way, as the provider could not."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("payments", "0005_external_keys")]

    operations = [
        migrations.AddField("refund", "is_by_hand", models.BooleanField(db_default=False, default=False, editable=False)),
    ]
