import commerce.imports.models
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '__first__'),
        ('core', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='ImportRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('leased_by', models.CharField(blank=True, db_default='', default='', editable=False, max_length=40)),
                ('leased_until', models.DateTimeField(editable=False, null=True)),
                ('kind', models.CharField(max_length=60)),
                ('filename', models.CharField(max_length=200)),
                ('file', models.FileField(blank=True, default='', storage=commerce.imports.models.import_files, upload_to=commerce.imports.models.random_name)),
                ('encoding', models.CharField(max_length=20)),
                ('delimiter', models.CharField(max_length=1)),
                ('header', models.JSONField(default=list)),
                ('mapping', models.JSONField(default=dict)),
                ('options', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('uploaded', 'Not started'), ('waiting', 'Waiting'), ('running', 'Running'), ('finished', 'Finished'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='uploaded', max_length=10)),
                ('total', models.PositiveIntegerField(default=0)),
                ('done', models.PositiveIntegerField(default=0)),
                ('created', models.PositiveIntegerField(default=0)),
                ('matched', models.PositiveIntegerField(default=0)),
                ('refused', models.PositiveIntegerField(default=0)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('seconds', models.FloatField(default=0)),
                ('error', models.CharField(blank=True, default='', max_length=500)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name': 'import',
                'ordering': ['-created_at', '-id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('kind'), models.F('created_at'), models.F('id'), name='import_of_kind'), models.Index(condition=models.Q(('state__in', ('waiting', 'running'))), fields=['leased_until'], name='import_under_way')],
            },
        ),
        migrations.CreateModel(
            name='RefusedRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='refusals', to='imports.importrun')),
                ('line', models.PositiveIntegerField()),
                ('cells', models.JSONField(default=list)),
                ('problem', models.CharField(max_length=500)),
            ],
            options={
                'ordering': ['line'],
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('run', 'line'), name='refused_row_once')],
            },
        ),
    ]
