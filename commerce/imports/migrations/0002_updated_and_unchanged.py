from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("imports", "0001_initial")]

    operations = [
        migrations.RenameField("importrun", "matched", "updated"),
        migrations.AddField("importrun", "unchanged", models.PositiveIntegerField(default=0)),
    ]
