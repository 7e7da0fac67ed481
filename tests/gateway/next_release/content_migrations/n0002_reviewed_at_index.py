from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("content", "n0001_reviewed_at")]
    operations = [AddIndexConcurrently("contentitem", models.Index("reviewed_at", name="item_reviewed"))]
