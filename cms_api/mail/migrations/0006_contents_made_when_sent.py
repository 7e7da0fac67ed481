
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('mail', '0005_one_time_secrets'),
    ]

    operations = [
        migrations.AddField(
            model_name='mailattachment',
            name='made_from',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='mailattachment',
            name='maker',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AlterField(
            model_name='mailattachment',
            name='content',
            field=models.BinaryField(default=b''),
        ),
    ]
