import cms_api.http.link_keys
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import modelsearch.index
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

# Two slots of a person never overlap. A range of one number stands for equality, which needs an extension in a GiST index.
ADD = """
    ALTER TABLE booking_bookedslot ADD CONSTRAINT booked_slot_overlap EXCLUDE USING gist (
        int8range(staff_id, staff_id, '[]') WITH &&,
        tstzrange(occupied_from, occupied_until) WITH &&
    )
"""
DROP = "ALTER TABLE booking_bookedslot DROP CONSTRAINT booked_slot_overlap"


def add(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(ADD)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(DROP)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '__first__'),
        ('core', '0001_initial'),
        ('media', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Service',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('description', models.TextField(blank=True, default='', max_length=2000)),
                ('image', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='media.media')),
                ('duration_minutes', models.PositiveIntegerField(default=60, verbose_name='duration in minutes')),
                ('price_cents', models.BigIntegerField(default=0)),
                ('deposit_cents', models.BigIntegerField(default=0)),
                ('buffer_before_minutes', models.PositiveIntegerField(default=0, verbose_name='minutes before')),
                ('buffer_after_minutes', models.PositiveIntegerField(default=0, verbose_name='minutes after')),
                ('step_minutes', models.PositiveIntegerField(blank=True, null=True, verbose_name='minutes between times')),
                ('notice_minutes', models.PositiveIntegerField(default=120, verbose_name='minimum notice in minutes')),
                ('days_ahead', models.PositiveIntegerField(default=60, verbose_name='days ahead')),
                ('cancel_notice_hours', models.PositiveIntegerField(default=24, verbose_name='hours to cancel or reschedule')),
                ('capacity', models.PositiveIntegerField(default=1, verbose_name='seats')),
                ('location', models.CharField(blank=True, default='', max_length=200)),
                ('video_url', models.CharField(blank=True, default='', max_length=500, verbose_name='video link')),
                ('questions', models.JSONField(default=list)),
                ('requires_approval', models.BooleanField(default=False)),
                ('is_visible', models.BooleanField(default=True, verbose_name='can be booked online')),
                ('position', models.PositiveIntegerField(default=0, help_text='Services with lower numbers come first.')),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['position', 'name', 'id'],
                'indexes': [models.Index(models.F('created_at'), models.F('id'), name='booking_service_by_creation')],
                'constraints': [models.CheckConstraint(condition=models.Q(('deposit_cents__gte', 0), ('price_cents__gte', 0)), name='booking_service_not_negative'), models.CheckConstraint(condition=models.Q(('capacity__gt', 0), ('duration_minutes__gt', 0)), name='booking_service_some')],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='BookingCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=40, unique=True)),
                ('note', models.CharField(blank=True, default='', help_text='Customers do not see it.', max_length=200)),
                ('kind', models.CharField(choices=[('percentage', 'Percentage'), ('amount', 'Amount'), ('free_shipping', 'Free shipping')], default='percentage', max_length=15)),
                ('percent', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=5, validators=[django.core.validators.MinValueValidator(Decimal('0')), django.core.validators.MaxValueValidator(Decimal('100'))])),
                ('amount_cents', models.BigIntegerField(default=0)),
                ('currency', models.CharField(max_length=3)),
                ('minimum_cents', models.BigIntegerField(default=0)),
                ('max_uses', models.PositiveIntegerField(blank=True, null=True)),
                ('max_uses_per_customer', models.PositiveIntegerField(blank=True, null=True)),
                ('used', models.PositiveIntegerField(default=0, editable=False)),
                ('starts_at', models.DateTimeField(blank=True, null=True)),
                ('ends_at', models.DateTimeField(blank=True, null=True)),
                ('enabled', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'verbose_name': 'discount code',
                'ordering': ['-created_at', '-id'],
                'indexes': [models.Index(models.F('created_at'), models.F('id'), name='booking_code_by_creation')],
                'constraints': [models.CheckConstraint(condition=models.Q(('percent__gte', 0), ('percent__lte', 100)), name='booking_code_percent'), models.CheckConstraint(condition=models.Q(('amount_cents__gte', 0), ('minimum_cents__gte', 0)), name='booking_code_not_negative'), models.CheckConstraint(condition=models.Q(('max_uses__isnull', True), ('used__lte', models.F('max_uses')), _connector='OR'), name='booking_code_limit')],
            },
        ),
        migrations.CreateModel(
            name='Staff',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('email', models.EmailField(blank=True, default='', max_length=254)),
                ('title', models.CharField(blank=True, default='', help_text='For example Physiotherapist.', max_length=120)),
                ('description', models.TextField(blank=True, default='', max_length=2000)),
                ('image', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='media.media')),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('timezone', models.CharField(max_length=64)),
                ('works_on_holidays', models.BooleanField(default=False)),
                ('is_visible', models.BooleanField(default=True, verbose_name='can be booked online')),
                ('position', models.PositiveIntegerField(default=0, help_text='Staff with lower numbers come first.')),
                ('feed_key', models.CharField(editable=False, max_length=43, unique=True)),
                ('calendar_url', models.CharField(blank=True, default='', max_length=500, verbose_name='calendar address')),
                ('calendar_checked_at', models.DateTimeField(editable=False, null=True)),
                ('calendar_read_at', models.DateTimeField(editable=False, null=True)),
                ('calendar_error', models.CharField(blank=True, default='', editable=False, max_length=500)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
                ('services', models.ManyToManyField(related_name='staff', to='booking.service')),
            ],
            options={
                'verbose_name': 'member of staff',
                'verbose_name_plural': 'staff',
                'ordering': ['position', 'name', 'id'],
                'indexes': [models.Index(models.F('created_at'), models.F('id'), name='booking_staff_by_creation'), models.Index(models.F('calendar_checked_at'), models.F('id'), condition=models.Q(('calendar_url', ''), _negated=True), name='booking_staff_calendar')],
            },
        ),
        migrations.CreateModel(
            name='WorkingHours',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('staff', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='hours', to='booking.staff')),
                ('service', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='booking.service')),
                ('weekday', models.PositiveSmallIntegerField(choices=[(0, 'Monday'), (1, 'Tuesday'), (2, 'Wednesday'), (3, 'Thursday'), (4, 'Friday'), (5, 'Saturday'), (6, 'Sunday')])),
                ('opens', models.TimeField(verbose_name='from')),
                ('closes', models.TimeField(verbose_name='until')),
            ],
            options={
                'ordering': ['weekday', 'opens', 'id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('staff'), models.F('weekday'), models.F('opens'), models.F('id'), name='booking_hours_of_staff')],
                'constraints': [models.CheckConstraint(condition=models.Q(('weekday__lte', 6)), name='booking_hours_weekday')],
            },
        ),
        migrations.CreateModel(
            name='DateOverride',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('staff', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='overrides', to='booking.staff')),
                ('date', models.DateField()),
                ('periods', models.JSONField(blank=True, default=list)),
            ],
            options={
                'ordering': ['-date', 'id'],
                'indexes': [models.Index(models.F('date'), models.F('id'), name='booking_override_by_date')],
                'constraints': [models.UniqueConstraint(models.F('staff'), models.F('date'), name='booking_override_once')],
            },
        ),
        migrations.CreateModel(
            name='TimeOff',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('staff', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='time_off', to='booking.staff')),
                ('starts_at', models.DateTimeField(verbose_name='from')),
                ('ends_at', models.DateTimeField(verbose_name='until')),
                ('note', models.CharField(blank=True, default='', help_text='Customers do not see it.', max_length=120)),
            ],
            options={
                'verbose_name': 'time off',
                'verbose_name_plural': 'time off',
                'ordering': ['-starts_at', '-id'],
                'indexes': [models.Index(models.F('staff'), models.F('ends_at'), name='booking_time_off_of_staff'), models.Index(models.F('starts_at'), models.F('id'), name='booking_time_off_by_start')],
                'constraints': [models.CheckConstraint(condition=models.Q(('ends_at__gt', models.F('starts_at'))), name='booking_time_off_order')],
            },
        ),
        migrations.CreateModel(
            name='BusyTime',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('staff', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='busy_times', to='booking.staff')),
                ('starts_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['starts_at', 'id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('staff'), models.F('ends_at'), name='booking_busy_time_of_staff')],
                'constraints': [models.CheckConstraint(condition=models.Q(('ends_at__gt', models.F('starts_at'))), name='booking_busy_time_order')],
            },
        ),
        migrations.CreateModel(
            name='BookedSlot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('staff', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='booking.staff')),
                ('service', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='booking.service')),
                ('starts_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField()),
                ('occupied_from', models.DateTimeField()),
                ('occupied_until', models.DateTimeField()),
                ('seats_taken', models.PositiveIntegerField(default=1)),
            ],
            options={
                'ordering': ['starts_at', 'id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('staff'), models.F('occupied_from'), name='booked_slot_of_staff')],
                'constraints': [models.UniqueConstraint(models.F('staff'), models.F('starts_at'), name='booked_slot_once'), models.CheckConstraint(condition=models.Q(('ends_at__gt', models.F('starts_at')), ('occupied_from__lte', models.F('starts_at')), ('occupied_until__gte', models.F('ends_at')), ('seats_taken__gt', 0)), name='booked_slot_order')],
            },
        ),
        migrations.CreateModel(
            name='Appointment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, unique=True)),
                ('old_links_until', models.DateTimeField(editable=False, null=True)),
                ('external_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, null=True, unique=True)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('confirmed', 'Confirmed'), ('cancelled', 'Cancelled'), ('completed', 'Completed'), ('no_show', 'No-show')], editable=False, max_length=10)),
                ('name', models.CharField(max_length=200)),
                ('email', models.EmailField(max_length=254)),
                ('phone', models.CharField(blank=True, default='', max_length=50)),
                ('user', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('service', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='appointments', to='booking.service')),
                ('service_name', models.CharField(editable=False, max_length=120)),
                ('staff', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='appointments', to='booking.staff')),
                ('staff_name', models.CharField(editable=False, max_length=120)),
                ('slot', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='appointments', to='booking.bookedslot')),
                ('starts_at', models.DateTimeField(editable=False)),
                ('ends_at', models.DateTimeField(editable=False)),
                ('timezone', models.CharField(editable=False, max_length=64)),
                ('location', models.CharField(blank=True, default='', editable=False, max_length=200)),
                ('video_url', models.CharField(blank=True, default='', editable=False, max_length=500)),
                ('currency', models.CharField(editable=False, max_length=3)),
                ('price_cents', models.BigIntegerField(editable=False)),
                ('discount_cents', models.BigIntegerField(default=0, editable=False)),
                ('deposit_cents', models.BigIntegerField(default=0, editable=False)),
                ('amount_paid_cents', models.BigIntegerField(default=0, editable=False)),
                ('code', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='appointments', to='booking.bookingcode')),
                ('discount_code', models.CharField(blank=True, default='', editable=False, max_length=40)),
                ('has_redeemed', models.BooleanField(default=False, editable=False)),
                ('intake', models.JSONField(default=list, editable=False)),
                ('notes', models.TextField(blank=True, default='', editable=False, max_length=2000)),
                ('requires_approval', models.BooleanField(default=False, editable=False)),
                ('reserved_until', models.DateTimeField(editable=False, null=True)),
                ('is_processing', models.BooleanField(default=False, editable=False)),
                ('network', models.CharField(blank=True, default='', editable=False, max_length=32)),
                ('form_key', models.CharField(blank=True, db_default='', default='', editable=False, max_length=64)),
                ('sequence', models.PositiveIntegerField(default=0, editable=False)),
                ('reminded_at', models.DateTimeField(editable=False, null=True)),
                ('confirmed_at', models.DateTimeField(editable=False, null=True)),
                ('cancelled_at', models.DateTimeField(editable=False, null=True)),
                ('completed_at', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('add', 'view', 'change'),
                'indexes': [models.Index(models.F('created_at'), models.F('id'), name='appointment_by_creation'), models.Index(models.F('updated_at'), models.F('id'), name='appointment_by_change'), models.Index(models.F('starts_at'), models.F('id'), models.F('status'), name='appointment_by_start'), models.Index(models.F('status'), models.F('created_at'), models.F('id'), name='appointment_by_status'), models.Index(models.F('email'), models.F('created_at'), models.F('id'), name='appointment_by_email'), models.Index(models.F('service'), models.F('created_at'), models.F('id'), name='appointment_by_service'), models.Index(models.F('staff'), models.F('created_at'), models.F('id'), name='appointment_by_staff'), models.Index(models.F('staff'), models.F('starts_at'), models.F('id'), models.F('status'), name='appointment_in_diary'), models.Index(models.F('reserved_until'), models.F('id'), condition=models.Q(('reserved_until__isnull', False)), name='appointment_reserved'), models.Index(models.F('starts_at'), models.F('id'), condition=models.Q(('reminded_at__isnull', True), ('status', 'confirmed')), name='appointment_to_remind')],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount_paid_cents__gte', 0), ('deposit_cents__gte', 0), ('deposit_cents__lte', django.db.models.expressions.CombinedExpression(models.F('price_cents'), '-', models.F('discount_cents'))), ('discount_cents__gte', 0), ('discount_cents__lte', models.F('price_cents')), ('price_cents__gte', 0)), name='appointment_amounts'), models.CheckConstraint(condition=models.Q(('ends_at__gt', models.F('starts_at'))), name='appointment_order'), models.CheckConstraint(condition=models.Q(models.Q(('status__in', ('pending', 'confirmed')), _negated=True), ('slot__isnull', False), _connector='OR'), name='appointment_has_slot'), models.UniqueConstraint(models.F('form_key'), condition=models.Q(('status__in', ('pending', 'confirmed')), models.Q(('form_key', ''), _negated=True)), name='appointment_form_once')],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.RunPython(add, drop),
    ]
