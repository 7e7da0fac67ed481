import cms_api.http.link_keys
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '__first__'),
        ('content', '0001_initial'),
        ('core', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Series',
            fields=[
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='series', serialize=False, to='content.contentitem')),
                ('is_open', models.BooleanField()),
                ('expanded_to', models.DateField()),
                ('numbers', models.JSONField(default=dict)),
                ('former_starts', models.JSONField(default=dict)),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(models.F('expanded_to'), condition=models.Q(('is_open', True)), name='series_open')],
            },
        ),
        migrations.CreateModel(
            name='DateChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='date_changes', to='content.contentitem')),
                ('start', models.CharField(max_length=19)),
                ('status', models.CharField(choices=[('skipped', 'Skipped'), ('cancelled', 'Cancelled')], max_length=12)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('event', 'start'), name='date_change_once')],
            },
        ),
        migrations.CreateModel(
            name='CalendarEntry',
            fields=[
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='calendar_entry', serialize=False, to='content.contentitem')),
                ('made_for', models.PositiveBigIntegerField()),
                ('made_of', models.DateTimeField()),
                ('shared', models.BinaryField()),
                ('dates', models.BinaryField()),
                ('sequence', models.PositiveIntegerField(default=0)),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='CalendarInvite',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='content.contentitem')),
                ('number', models.PositiveBigIntegerField()),
                ('email_key', models.CharField(max_length=254)),
                ('sequence', models.PositiveIntegerField()),
                ('is_cancelled', models.BooleanField()),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('number', 'email_key'), name='calendar_invite_once')],
            },
        ),
        migrations.CreateModel(
            name='Capacity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='capacities', to='content.contentitem')),
                ('start', models.CharField(blank=True, max_length=19)),
                ('places', models.PositiveIntegerField()),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('event', 'start'), name='capacity_once'), models.CheckConstraint(condition=models.Q(('places__lte', 100000)), name='capacity_places')],
            },
        ),
        migrations.CreateModel(
            name='Rsvp',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, unique=True)),
                ('old_links_until', models.DateTimeField(editable=False, null=True)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rsvps', to='content.contentitem')),
                ('occurrence', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='own_rsvps', to='content.contentitem')),
                ('occurrence_start', models.CharField(max_length=19)),
                ('name', models.CharField(max_length=100)),
                ('email', models.EmailField(max_length=254)),
                ('email_key', models.CharField(editable=False, max_length=254)),
                ('party_size', models.PositiveSmallIntegerField(default=1)),
                ('status', models.CharField(choices=[('going', 'Going'), ('waiting', 'Waiting list'), ('cancelled', 'Cancelled')], default='going', max_length=12)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('cancelled_at', models.DateTimeField(editable=False, null=True)),
                ('waiting_since', models.DateTimeField(editable=False, null=True)),
                ('network', models.CharField(blank=True, db_default='', default='', editable=False, max_length=32)),
                ('mail_due_at', models.DateTimeField(editable=False, null=True)),
                ('notice', models.CharField(blank=True, choices=[('rsvp', 'The RSVP'), ('moved', 'The date has changed'), ('cancelled', 'The date is cancelled')], db_default='', default='', editable=False, max_length=12)),
            ],
            options={
                'verbose_name': 'RSVP',
                'verbose_name_plural': 'RSVPs',
                'ordering': ['-created_at', '-id'],
                'indexes': [models.Index(models.OrderBy(models.F('created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), name='rsvp_newest'), models.Index(models.F('event'), models.F('status'), name='rsvp_of_event'), models.Index(models.F('mail_due_at'), condition=models.Q(('mail_due_at__isnull', False)), name='rsvp_mail_due'), models.Index(models.F('occurrence'), models.F('waiting_since'), condition=models.Q(('status', 'waiting')), name='rsvp_waiting')],
                'constraints': [models.UniqueConstraint(fields=('occurrence', 'email_key'), name='rsvp_once'), models.CheckConstraint(condition=models.Q(('party_size__range', (1, 20))), name='rsvp_party')],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='submission', serialize=False, to='content.contentitem')),
                ('member', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('submitted_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(models.F('member'), models.F('submitted_at'), name='submission_of_member')],
            },
        ),
    ]
