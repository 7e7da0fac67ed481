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
            name='Plan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('description', models.TextField(blank=True, default='', help_text='Benefits, as shown to visitors.', max_length=500)),
                ('price_cents', models.BigIntegerField(default=0)),
                ('currency', models.CharField(max_length=3)),
                ('interval', models.CharField(choices=[('none', 'Once'), ('month', 'Every month'), ('year', 'Every year')], default='none', max_length=5, verbose_name='paid')),
                ('enabled', models.BooleanField(default=True, help_text='Whether members can choose it. Members who already have it keep it when it is switched off.')),
                ('position', models.PositiveIntegerField(default=0, help_text='Lower numbers come first.')),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['position', 'name', 'id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('price_cents__gte', 0)), name='plan_price_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='Member',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, unique=True)),
                ('old_links_until', models.DateTimeField(editable=False, null=True)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='membership', to=settings.AUTH_USER_MODEL)),
                ('plan', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='members', to='members.plan')),
                ('requested_plan', models.ForeignKey(blank=True, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='members.plan')),
                ('paid_until', models.DateField(editable=False, null=True)),
                ('billing_day', models.PositiveSmallIntegerField(editable=False, null=True)),
                ('is_ending', models.BooleanField(db_default=False, default=False, editable=False)),
                ('next_plan', models.ForeignKey(blank=True, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='members.plan')),
                ('notice', models.PositiveSmallIntegerField(choices=[(0, 'None'), (1, 'Soon'), (2, 'Ends')], default=0, editable=False)),
                ('status', models.CharField(choices=[('active', 'Active'), ('cancelled', 'Cancelled')], default='active', max_length=10)),
                ('joined_at', models.DateTimeField(editable=False)),
                ('cancelled_at', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['-joined_at', '-id'],
                'indexes': [models.Index(models.F('joined_at'), models.F('id'), name='member_by_joining'), models.Index(models.F('status'), models.F('joined_at'), models.F('id'), name='member_by_status'), models.Index(models.F('plan'), models.F('joined_at'), models.F('id'), name='member_by_plan'), models.Index(models.F('paid_until'), models.F('id'), condition=models.Q(('paid_until__isnull', False)), name='member_by_end'), models.Index(models.F('requested_plan'), condition=models.Q(('requested_plan__isnull', False)), name='member_by_request')],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='PaidPeriod',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='members.member')),
                ('plan', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='members.plan')),
                ('payment_id', models.PositiveBigIntegerField(null=True, unique=True)),
                ('price_cents', models.BigIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('interval', models.CharField(choices=[('none', 'Once'), ('month', 'Every month'), ('year', 'Every year')], max_length=5)),
                ('days', models.PositiveIntegerField(null=True)),
                ('is_carried', models.BooleanField(default=False)),
                ('is_taken', models.BooleanField(default=False)),
                ('former_until', models.DateField(null=True)),
                ('former_billing_day', models.PositiveSmallIntegerField(null=True)),
            ],
            options={
                'default_permissions': (),
            },
        ),
    ]
