import django.db.models.deletion
import django.db.models.expressions
import modelsearch.index
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('media', '0003_fill_media_records'),
        ('payments', '0002_saved_methods'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Campaign',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=150)),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('story', models.TextField(blank=True, default='', max_length=10000)),
                ('goal_cents', models.BigIntegerField(blank=True, null=True, verbose_name='goal')),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
                ('summary', models.CharField(blank=True, default='', max_length=300)),
                ('amounts', models.JSONField(blank=True, default=list)),
                ('designations', models.JSONField(blank=True, default=list)),
                ('ends_on', models.DateField(blank=True, null=True)),
                ('has_fundraisers', models.BooleanField(default=False, verbose_name='supporters can start fundraisers')),
                ('shows_donors', models.BooleanField(default=True, verbose_name='donors are listed')),
                ('is_visible', models.BooleanField(default=True, verbose_name='takes donations')),
                ('position', models.PositiveIntegerField(default=0, help_text='Campaigns with lower numbers come first.')),
                ('image', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='media.media')),
            ],
            options={
                'ordering': ['position', 'name', 'id'],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='EmailedStatement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('year', models.PositiveSmallIntegerField()),
                ('email', models.EmailField(max_length=254)),
                ('requested_at', models.DateTimeField()),
                ('sent_at', models.DateTimeField(null=True)),
                ('error', models.CharField(blank=True, default='', max_length=300)),
                ('requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Fundraiser',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=150)),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('story', models.TextField(blank=True, default='', max_length=10000)),
                ('goal_cents', models.BigIntegerField(blank=True, null=True, verbose_name='goal')),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('published', 'Published'), ('ended', 'Ended'), ('hidden', 'Hidden')], default='pending', editable=False, max_length=10)),
                ('organizer', models.CharField(max_length=200)),
                ('email', models.EmailField(max_length=254)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='fundraisers', to='donations.campaign')),
                ('image', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='media.media')),
                ('user', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='RecurringDonation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first_name', models.CharField(blank=True, default='', max_length=100)),
                ('last_name', models.CharField(blank=True, default='', max_length=100)),
                ('street', models.CharField(blank=True, default='', max_length=200)),
                ('street2', models.CharField(blank=True, default='', max_length=200, verbose_name='street, second line')),
                ('city', models.CharField(blank=True, default='', max_length=100)),
                ('state', models.CharField(blank=True, default='', max_length=100, verbose_name='state or region')),
                ('postal_code', models.CharField(blank=True, default='', max_length=30)),
                ('country', models.CharField(blank=True, default='', max_length=100)),
                ('email', models.EmailField(max_length=254)),
                ('phone', models.CharField(blank=True, default='', max_length=50)),
                ('is_anonymous', models.BooleanField(default=False, verbose_name='anonymous')),
                ('frequency', models.CharField(choices=[('once', 'Once'), ('monthly', 'Monthly'), ('yearly', 'Yearly')], default='once', max_length=10)),
                ('designation', models.CharField(blank=True, default='', max_length=150)),
                ('tribute_type', models.CharField(blank=True, choices=[('honor', 'In honor of'), ('memory', 'In memory of')], default='', max_length=10)),
                ('tribute_name', models.CharField(blank=True, default='', max_length=200)),
                ('tribute_message', models.TextField(blank=True, default='', max_length=1000)),
                ('tribute_email', models.EmailField(blank=True, default='', max_length=254)),
                ('message', models.TextField(blank=True, default='', max_length=1000)),
                ('currency', models.CharField(editable=False, max_length=3)),
                ('amount_cents', models.BigIntegerField(verbose_name='amount')),
                ('fee_cover_cents', models.BigIntegerField(default=0, verbose_name='cover of the fee')),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('active', 'Active'), ('past_due', 'Past due'), ('paused', 'Paused'), ('cancelled', 'Cancelled')], default='pending', editable=False, max_length=10)),
                ('anchor', models.DateField(editable=False, null=True)),
                ('dates', models.PositiveIntegerField(default=0, editable=False)),
                ('next_on', models.DateField(editable=False, null=True)),
                ('cancelled_at', models.DateTimeField(editable=False, null=True)),
                ('campaign', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='donations.campaign')),
                ('fundraiser', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='donations.fundraiser')),
                ('method', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='payments.savedmethod')),
                ('user', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('view', 'change'),
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='Donation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first_name', models.CharField(blank=True, default='', max_length=100)),
                ('last_name', models.CharField(blank=True, default='', max_length=100)),
                ('street', models.CharField(blank=True, default='', max_length=200)),
                ('street2', models.CharField(blank=True, default='', max_length=200, verbose_name='street, second line')),
                ('city', models.CharField(blank=True, default='', max_length=100)),
                ('state', models.CharField(blank=True, default='', max_length=100, verbose_name='state or region')),
                ('postal_code', models.CharField(blank=True, default='', max_length=30)),
                ('country', models.CharField(blank=True, default='', max_length=100)),
                ('email', models.EmailField(max_length=254)),
                ('phone', models.CharField(blank=True, default='', max_length=50)),
                ('is_anonymous', models.BooleanField(default=False, verbose_name='anonymous')),
                ('frequency', models.CharField(choices=[('once', 'Once'), ('monthly', 'Monthly'), ('yearly', 'Yearly')], default='once', max_length=10)),
                ('designation', models.CharField(blank=True, default='', max_length=150)),
                ('tribute_type', models.CharField(blank=True, choices=[('honor', 'In honor of'), ('memory', 'In memory of')], default='', max_length=10)),
                ('tribute_name', models.CharField(blank=True, default='', max_length=200)),
                ('tribute_message', models.TextField(blank=True, default='', max_length=1000)),
                ('tribute_email', models.EmailField(blank=True, default='', max_length=254)),
                ('message', models.TextField(blank=True, default='', max_length=1000)),
                ('currency', models.CharField(editable=False, max_length=3)),
                ('amount_cents', models.BigIntegerField(verbose_name='amount')),
                ('fee_cover_cents', models.BigIntegerField(default=0, verbose_name='cover of the fee')),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('paid', 'Paid'), ('failed', 'Failed'), ('refunded', 'Refunded')], default='pending', editable=False, max_length=10)),
                ('number', models.CharField(editable=False, max_length=20, null=True, unique=True)),
                ('period', models.DateField(editable=False, null=True)),
                ('charge_at', models.DateTimeField(editable=False, null=True)),
                ('declines', models.PositiveSmallIntegerField(default=0, editable=False)),
                ('is_processing', models.BooleanField(default=False, editable=False)),
                ('refunded_cents', models.BigIntegerField(default=0, editable=False)),
                ('paid_at', models.DateTimeField(editable=False, null=True)),
                ('campaign', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='donations.campaign')),
                ('user', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('fundraiser', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='donations.fundraiser')),
                ('recurring', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='donations', to='donations.recurringdonation')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('add', 'view', 'change'),
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.AddIndex(
            model_name='campaign',
            index=models.Index(models.F('created_at'), models.F('id'), name='campaign_by_creation'),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(('goal_cents__isnull', True), ('goal_cents__gt', 0), _connector='OR'), name='campaign_goal'),
        ),
        migrations.AddIndex(
            model_name='emailedstatement',
            index=models.Index(models.F('id'), condition=models.Q(('error', ''), ('sent_at__isnull', True)), name='statement_to_send'),
        ),
        migrations.AddConstraint(
            model_name='emailedstatement',
            constraint=models.UniqueConstraint(models.F('year'), models.F('email'), name='statement_once'),
        ),
        migrations.AddIndex(
            model_name='fundraiser',
            index=models.Index(models.F('created_at'), models.F('id'), name='fundraiser_by_creation'),
        ),
        migrations.AddIndex(
            model_name='fundraiser',
            index=models.Index(models.F('status'), models.F('created_at'), models.F('id'), name='fundraiser_by_status'),
        ),
        migrations.AddIndex(
            model_name='fundraiser',
            index=models.Index(models.F('email'), name='fundraiser_by_email'),
        ),
        migrations.AddConstraint(
            model_name='fundraiser',
            constraint=models.CheckConstraint(condition=models.Q(('goal_cents__isnull', True), ('goal_cents__gt', 0), _connector='OR'), name='fundraiser_goal'),
        ),
        migrations.AddIndex(
            model_name='recurringdonation',
            index=models.Index(models.F('created_at'), models.F('id'), name='recurring_by_creation'),
        ),
        migrations.AddIndex(
            model_name='recurringdonation',
            index=models.Index(models.F('status'), models.F('created_at'), models.F('id'), name='recurring_by_status'),
        ),
        migrations.AddIndex(
            model_name='recurringdonation',
            index=models.Index(models.F('email'), models.F('created_at'), models.F('id'), name='recurring_by_email'),
        ),
        migrations.AddIndex(
            model_name='recurringdonation',
            index=models.Index(models.F('campaign'), name='recurring_by_campaign'),
        ),
        migrations.AddIndex(
            model_name='recurringdonation',
            index=models.Index(models.F('next_on'), models.F('id'), condition=models.Q(('next_on__isnull', False)), name='recurring_donation_due'),
        ),
        migrations.AddConstraint(
            model_name='recurringdonation',
            constraint=models.CheckConstraint(condition=models.Q(('amount_cents__gt', 0), ('fee_cover_cents__gte', 0)), name='recurring_amounts'),
        ),
        migrations.AddConstraint(
            model_name='recurringdonation',
            constraint=models.CheckConstraint(condition=models.Q(('next_on__isnull', True), ('status__in', ('active', 'past_due')), _connector='OR'), name='recurring_due_if_running'),
        ),
        migrations.AddIndex(
            model_name='donation',
            index=models.Index(models.F('created_at'), models.F('id'), name='donation_by_creation'),
        ),
        migrations.AddIndex(
            model_name='donation',
            index=models.Index(models.F('updated_at'), models.F('id'), name='donation_by_change'),
        ),
        migrations.AddIndex(
            model_name='donation',
            index=models.Index(models.F('status'), models.F('created_at'), models.F('id'), name='donation_by_status'),
        ),
        migrations.AddIndex(
            model_name='donation',
            index=models.Index(models.F('frequency'), models.F('created_at'), models.F('id'), name='donation_by_frequency'),
        ),
        migrations.AddIndex(
            model_name='donation',
            index=models.Index(models.F('email'), models.F('created_at'), models.F('id'), name='donation_by_email'),
        ),
        migrations.AddIndex(
            model_name='donation',
            index=models.Index(models.F('campaign'), models.F('created_at'), models.F('id'), name='donation_by_campaign'),
        ),
        migrations.AddIndex(
            model_name='donation',
            index=models.Index(models.F('campaign'), models.F('paid_at'), condition=models.Q(('status', 'paid')), name='donation_raised'),
        ),
        migrations.AddIndex(
            model_name='donation',
            index=models.Index(models.F('fundraiser'), models.F('paid_at'), condition=models.Q(('fundraiser__isnull', False)), name='donation_of_fundraiser'),
        ),
        migrations.AddIndex(
            model_name='donation',
            index=models.Index(models.F('paid_at'), models.F('id'), condition=models.Q(('paid_at__isnull', False)), name='donation_by_payment'),
        ),
        migrations.AddIndex(
            model_name='donation',
            index=models.Index(models.F('charge_at'), models.F('id'), condition=models.Q(('charge_at__isnull', False)), name='donation_to_charge'),
        ),
        migrations.AddConstraint(
            model_name='donation',
            constraint=models.CheckConstraint(condition=models.Q(('amount_cents__gt', 0), ('fee_cover_cents__gte', 0)), name='donation_amounts'),
        ),
        migrations.AddConstraint(
            model_name='donation',
            constraint=models.UniqueConstraint(models.F('recurring'), models.F('period'), name='donation_once_a_period'),
        ),
        migrations.AddConstraint(
            model_name='donation',
            constraint=models.CheckConstraint(condition=models.Q(('refunded_cents__gte', 0), ('refunded_cents__lte', django.db.models.expressions.CombinedExpression(models.F('amount_cents'), '+', models.F('fee_cover_cents')))), name='donation_refunds_within'),
        ),
        migrations.AddConstraint(
            model_name='donation',
            constraint=models.CheckConstraint(condition=models.Q(('charge_at__isnull', True), ('status__in', ('pending', 'failed')), _connector='OR'), name='donation_charged_if_unpaid'),
        ),
    ]
