
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('invoicing', '0003_credited_items_and_missed_dates'),
    ]

    operations = [
        migrations.AddField(
            model_name='invoicepdf',
            name='document',
            field=models.JSONField(default=dict),
        ),
        migrations.AlterField(
            model_name='invoicepdf',
            name='content',
            field=models.BinaryField(default=b''),
        ),
        migrations.AlterField(
            model_name='invoicepdf',
            name='sha256',
            field=models.CharField(blank=True, default='', max_length=64),
        ),
    ]
