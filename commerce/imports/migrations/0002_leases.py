from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ('imports', '0001_initial'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='importrun',
            name='import_under_way',
        ),
        migrations.RenameField(
            model_name='importrun',
            old_name='holder',
            new_name='leased_by',
        ),
        migrations.RenameField(
            model_name='importrun',
            old_name='held_until',
            new_name='leased_until',
        ),
        migrations.AlterField(
            model_name='importrun',
            name='leased_by',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=40),
        ),
        migrations.AlterField(
            model_name='importrun',
            name='leased_until',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddIndex(
            model_name='importrun',
            index=models.Index(condition=Q(('state__in', ('waiting', 'running'))), fields=['leased_until'], name='import_under_way'),
        ),
    ]
