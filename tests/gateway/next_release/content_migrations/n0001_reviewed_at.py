from django.db import migrations, models

from . import LAST


class Migration(migrations.Migration):
    dependencies = [("content", LAST)]
    operations = [migrations.AddField("contentitem", "reviewed_at", models.DateTimeField(null=True))]
