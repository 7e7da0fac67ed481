import cms_api.http.link_keys
import django.db.models.deletion
import modelsearch.index
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
            name='SavedMethod',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=20)),
                ('reference', models.CharField(max_length=255)),
                ('customer', models.CharField(blank=True, default='', max_length=255)),
                ('label', models.CharField(blank=True, default='', max_length=100)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(models.F('provider'), models.F('reference'), name='saved_method_once')],
            },
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, unique=True)),
                ('old_links_until', models.DateTimeField(editable=False, null=True)),
                ('external_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, null=True, unique=True)),
                ('payable', models.CharField(editable=False, max_length=30)),
                ('record_id', models.PositiveBigIntegerField(editable=False)),
                ('description', models.CharField(editable=False, max_length=200)),
                ('email', models.EmailField(blank=True, default='', editable=False, max_length=254)),
                ('purpose', models.CharField(blank=True, default='', editable=False, max_length=100)),
                ('return_path', models.CharField(blank=True, default='', editable=False, max_length=500)),
                ('cancel_path', models.CharField(blank=True, default='', editable=False, max_length=500)),
                ('provider', models.CharField(blank=True, default='', editable=False, max_length=20)),
                ('reference', models.CharField(editable=False, max_length=255, null=True)),
                ('charge', models.CharField(blank=True, default='', editable=False, max_length=255)),
                ('url', models.TextField(blank=True, default='', editable=False)),
                ('saves_method', models.BooleanField(db_default=False, editable=False)),
                ('saved_method', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='payments.savedmethod')),
                ('provider_state', models.JSONField(default=dict, editable=False)),
                ('amount_cents', models.BigIntegerField(editable=False)),
                ('currency', models.CharField(editable=False, max_length=3)),
                ('refunded_cents', models.BigIntegerField(default=0, editable=False)),
                ('status', models.CharField(choices=[('started', 'Started'), ('open', 'Open'), ('processing', 'Processing'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('expired', 'Expired')], default='started', editable=False, max_length=10)),
                ('method', models.CharField(choices=[('online', 'Online'), ('cash', 'Cash'), ('check', 'Check'), ('bank_transfer', 'Bank transfer'), ('other', 'Other')], default='online', editable=False, max_length=15)),
                ('is_unconfirmed', models.BooleanField(db_default=False, default=False, editable=False)),
                ('unapplied', models.CharField(blank=True, default='', editable=False, max_length=500)),
                ('error', models.CharField(blank=True, default='', editable=False, max_length=500)),
                ('dispute', models.CharField(blank=True, choices=[('open', 'Open'), ('won', 'Won'), ('lost', 'Lost')], default='', editable=False, max_length=10)),
                ('typed_reference', models.CharField(blank=True, default='', editable=False, max_length=255, verbose_name='reference')),
                ('note', models.CharField(blank=True, default='', editable=False, max_length=500)),
                ('recorded_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('expires_at', models.DateTimeField(editable=False, null=True)),
                ('paid_at', models.DateTimeField(editable=False, null=True)),
                ('checked_at', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('view', 'change'),
                'indexes': [models.Index(models.F('payable'), models.F('record_id'), models.F('id'), name='payment_of_record'), models.Index(models.F('created_at'), models.F('id'), name='payment_by_date'), models.Index(models.F('status'), models.F('created_at'), models.F('id'), name='payment_by_status'), models.Index(models.F('checked_at'), models.F('id'), condition=models.Q(('status__in', ('started', 'open', 'processing'))), name='payment_live'), models.Index(models.F('checked_at'), models.F('id'), condition=models.Q(('is_unconfirmed', True)), name='payment_unconfirmed'), models.Index(models.F('id'), condition=models.Q(models.Q(('unapplied', ''), _negated=True), ('refunded_cents__lt', models.F('amount_cents'))), name='payment_to_settle'), models.Index(models.F('id'), condition=models.Q(('dispute', 'open')), name='payment_disputed'), models.Index(models.F('charge'), condition=models.Q(('charge', ''), _negated=True), name='payment_by_charge')],
                'constraints': [models.UniqueConstraint(models.F('payable'), models.F('record_id'), condition=models.Q(('status__in', ('started', 'open', 'processing'))), name='payment_one_live'), models.UniqueConstraint(models.F('provider'), models.F('reference'), condition=models.Q(('reference__isnull', False)), name='payment_once'), models.CheckConstraint(condition=models.Q(('amount_cents__gt', 0)), name='payment_amount_positive'), models.CheckConstraint(condition=models.Q(('refunded_cents__gte', 0), ('refunded_cents__lte', models.F('amount_cents'))), name='payment_refunds_within')],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='Refund',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, null=True, unique=True)),
                ('payment', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='payments.payment')),
                ('amount_cents', models.BigIntegerField(editable=False)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('succeeded', 'Succeeded'), ('failed', 'Failed')], default='pending', editable=False, max_length=10)),
                ('reference', models.CharField(editable=False, max_length=255, null=True)),
                ('reason', models.CharField(blank=True, default='', max_length=500)),
                ('error', models.CharField(blank=True, default='', editable=False, max_length=500)),
                ('is_by_hand', models.BooleanField(db_default=False, default=False, editable=False)),
                ('requested_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('checked_at', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('id'), condition=models.Q(('status', 'pending')), name='refund_pending'), models.Index(models.F('updated_at'), models.F('id'), condition=models.Q(('status', 'failed')), name='refund_failed')],
                'constraints': [models.UniqueConstraint(models.F('payment'), models.F('reference'), condition=models.Q(('reference__isnull', False)), name='refund_once'), models.CheckConstraint(condition=models.Q(('amount_cents__gt', 0)), name='refund_amount_positive')],
            },
        ),
        migrations.CreateModel(
            name='ProviderEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=20)),
                ('event_id', models.CharField(max_length=255)),
                ('kind', models.CharField(max_length=100)),
                ('payload', models.JSONField()),
                ('payment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='events', to='payments.payment')),
                ('charge', models.CharField(blank=True, db_default='', default='', max_length=255)),
                ('handled_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(models.F('id'), condition=models.Q(('handled_at__isnull', True)), name='provider_event_open'), models.Index(models.F('charge'), condition=models.Q(('charge', ''), _negated=True), name='provider_event_waits')],
                'constraints': [models.UniqueConstraint(models.F('provider'), models.F('event_id'), name='provider_event_once')],
            },
        ),
    ]
