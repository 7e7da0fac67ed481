import cms_api.webhooks.types
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
            name='Endpoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('leased_by', models.CharField(blank=True, db_default='', default='', editable=False, max_length=40)),
                ('leased_until', models.DateTimeField(editable=False, null=True)),
                ('url', models.CharField(max_length=2048)),
                ('events', models.JSONField(default=list)),
                ('description', models.CharField(blank=True, default='', max_length=255)),
                ('enabled', models.BooleanField(default=True)),
                ('secret', models.CharField(default=cms_api.webhooks.types.new_secret, editable=False, max_length=64)),
                ('previous_secret', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('previous_secret_until', models.DateTimeField(editable=False, null=True)),
                ('failure_count', models.PositiveIntegerField(default=0, editable=False)),
                ('disabled_at', models.DateTimeField(editable=False, null=True)),
                ('disabled_reason', models.CharField(blank=True, default='', editable=False, max_length=255)),
                ('last_delivery_at', models.DateTimeField(editable=False, null=True)),
                ('last_response_code', models.PositiveSmallIntegerField(editable=False, null=True)),
                ('created_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'verbose_name': 'webhook',
                'ordering': ['-created_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='OutboxEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=60)),
                ('occurred_at', models.DateTimeField(db_index=True)),
                ('payload', models.BinaryField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('next_attempt_at', models.DateTimeField(null=True)),
                ('error', models.CharField(blank=True, default='', max_length=500)),
                ('finished_at', models.DateTimeField(null=True)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.outboxevent')),
                ('endpoint', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.endpoint')),
                ('lost', models.PositiveIntegerField(db_default=0, default=0)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('delivered', 'Delivered'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='pending', max_length=10)),
                ('response_code', models.PositiveSmallIntegerField(null=True)),
                ('duration_ms', models.PositiveIntegerField(null=True)),
                ('answer', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('endpoint'), models.F('id'), name='delivery_log'), models.Index(models.F('endpoint'), models.F('next_attempt_at'), condition=models.Q(('status', 'pending')), name='delivery_due')],
            },
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='log', to='webhooks.delivery')),
                ('number', models.PositiveIntegerField()),
                ('started_at', models.DateTimeField()),
                ('response_code', models.PositiveSmallIntegerField(null=True)),
                ('duration_ms', models.PositiveIntegerField()),
                ('answer', models.TextField(blank=True, default='')),
                ('error', models.CharField(blank=True, default='', max_length=500)),
            ],
            options={
                'ordering': ['number', 'id'],
                'default_permissions': (),
            },
        ),
    ]
