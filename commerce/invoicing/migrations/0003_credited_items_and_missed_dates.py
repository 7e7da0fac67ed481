
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('invoicing', '0002_link_keys'),
    ]

    operations = [
        migrations.AddField(
            model_name='creditnote',
            name='items',
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name='recurringinvoice',
            name='missed_on',
            field=models.DateField(editable=False, null=True),
        ),
    ]
