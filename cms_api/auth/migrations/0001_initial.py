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
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('last_four', models.CharField(editable=False, max_length=4)),
                ('abilities', models.JSONField(default=list)),
                ('restriction', models.CharField(blank=True, default='', max_length=40)),
                ('scope_id', models.BigIntegerField(editable=False, null=True)),
                ('scope_title', models.CharField(blank=True, default='', editable=False, max_length=255)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(editable=False, null=True)),
                ('revoked_at', models.DateTimeField(editable=False, null=True)),
                ('created_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('creator_name', models.CharField(blank=True, default='', editable=False, max_length=150)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'verbose_name': 'API token',
                'ordering': ['-created_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='Budget',
            fields=[
                ('key', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('used', models.BigIntegerField()),
                ('resets_at', models.FloatField(db_index=True)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='IdempotencyRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tokens.apitoken')),
                ('scope', models.CharField(max_length=64)),
                ('fingerprint', models.CharField(max_length=64)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('body', models.BinaryField(default=b'')),
                ('started_at', models.DateTimeField(db_index=True)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('token', 'scope'), name='idempotency_once')],
            },
        ),
    ]
