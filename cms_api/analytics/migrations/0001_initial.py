import django.db.models.deletion
from django.db import migrations, models

TABLE = "analytics_event"
# What is later than all other partitions, or earlier than the first.
REST = "analytics_event_default"


def partition(apps, schema_editor):
    """On PostgreSQL, replace the empty table of events by one that has partitions. It gets its indexes at the end."""
    if schema_editor.connection.vendor != "postgresql":
        return
    like = f"LIKE {TABLE} INCLUDING DEFAULTS INCLUDING CONSTRAINTS"
    schema_editor.execute(f"CREATE TABLE {TABLE}_by_day ({like}) PARTITION BY RANGE (day)")
    schema_editor.execute(f"DROP TABLE {TABLE}")
    schema_editor.execute(f"ALTER TABLE {TABLE}_by_day RENAME TO {TABLE}")
    # The key of a partitioned table has the day; within a day, the message's number is unique.
    schema_editor.execute(f"ALTER TABLE {TABLE} ADD CONSTRAINT {TABLE}_pkey PRIMARY KEY (uid, day)")
    schema_editor.execute(f"CREATE TABLE {REST} PARTITION OF {TABLE} DEFAULT")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('core', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Salt',
            fields=[
                ('day', models.DateField(primary_key=True, serialize=False)),
                ('value', models.BinaryField(max_length=32)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Visit',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('visitor', models.BigIntegerField()),
                ('day', models.DateField()),
                ('started_at', models.FloatField()),
                ('last_at', models.FloatField()),
                ('source', models.CharField(blank=True, default='', max_length=100)),
                ('medium', models.CharField(blank=True, default='', max_length=100)),
                ('campaign', models.CharField(blank=True, default='', max_length=100)),
                ('referrer', models.CharField(blank=True, default='', max_length=100)),
                ('device', models.CharField(blank=True, choices=[('desktop', 'Desktop'), ('phone', 'Phone'), ('tablet', 'Tablet')], default='', max_length=10)),
                ('country', models.CharField(blank=True, default='', max_length=2)),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(models.F('visitor'), models.F('last_at'), name='visit_by_visitor'), models.Index(models.F('last_at'), name='visit_by_end')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('uid', models.BigIntegerField(primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('view', 'Page view'), ('missing', 'Page not found'), ('search', 'Search'), ('goal', 'Conversion'), ('time', 'Time on page')], max_length=10)),
                ('at', models.FloatField()),
                ('day', models.DateField()),
                ('visitor', models.BigIntegerField()),
                ('visit', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='analytics.visit')),
                ('path', models.CharField(blank=True, default='', max_length=500)),
                ('words', models.CharField(blank=True, default='', max_length=100)),
                ('goal', models.CharField(blank=True, default='', max_length=50)),
                ('value_cents', models.BigIntegerField(default=0)),
                ('currency', models.CharField(blank=True, default='', max_length=3)),
                ('seconds', models.PositiveIntegerField(default=0)),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(models.F('visitor'), models.F('day'), name='event_by_visitor'), models.Index(models.F('at'), name='event_by_time')],
            },
        ),
        migrations.CreateModel(
            name='PendingEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('line', models.BinaryField()),
                ('at', models.FloatField(db_index=True)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Attribution',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('payable', models.CharField(max_length=30)),
                ('record_id', models.PositiveBigIntegerField()),
                ('visitor', models.BigIntegerField()),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(models.F('created_at'), name='attribution_by_creation')],
                'constraints': [models.UniqueConstraint(models.F('payable'), models.F('record_id'), name='analytics_attribution_once')],
            },
        ),
        migrations.CreateModel(
            name='StoredFile',
            fields=[
                ('name', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('stored_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='PageTitle',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(max_length=500, unique=True)),
                ('title', models.CharField(max_length=200)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='RollUp',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('dimension', models.CharField(choices=[('total', 'Total'), ('hour', 'Hour'), ('page', 'Page'), ('source', 'Source'), ('referrer', 'Referrer'), ('entry', 'Entry page'), ('exit', 'Exit page'), ('device', 'Device'), ('country', 'Country'), ('goal', 'Goal'), ('missing', 'Page not found'), ('search', 'Search')], max_length=10)),
                ('path', models.CharField(blank=True, default='', max_length=500)),
                ('value', models.CharField(blank=True, default='', max_length=500)),
                ('pageviews', models.BigIntegerField(default=0)),
                ('visitors', models.BigIntegerField(default=0)),
                ('sessions', models.BigIntegerField(default=0)),
                ('bounces', models.BigIntegerField(default=0)),
                ('seconds', models.BigIntegerField(default=0)),
                ('engaged', models.BigIntegerField(default=0)),
                ('conversions', models.BigIntegerField(default=0)),
                ('value_cents', models.BigIntegerField(default=0)),
                ('bounced_visitors', models.BigIntegerField(db_default=0, default=0)),
            ],
            options={
                'default_permissions': ('view',),
                'indexes': [models.Index(models.F('day'), name='roll_up_by_day'), models.Index(models.F('dimension'), models.F('value'), models.F('day'), condition=models.Q(('path', '')), name='roll_up_of_site'), models.Index(models.F('dimension'), models.F('value'), models.F('day'), condition=models.Q(('path__gt', '')), name='roll_up_of_pages')],
                'constraints': [models.UniqueConstraint(models.F('dimension'), models.F('path'), models.F('day'), models.F('value'), name='analytics_roll_up_once')],
            },
        ),
        migrations.CreateModel(
            name='WeeklyReport',
            fields=[
                ('monday', models.DateField(primary_key=True, serialize=False)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.RunPython(partition, migrations.RunPython.noop),
    ]
