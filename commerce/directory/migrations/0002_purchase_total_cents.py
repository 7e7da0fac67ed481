from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("directory", "0001_initial")]

    operations = [migrations.RenameField("purchase", "amount_cents", "total_cents")]
