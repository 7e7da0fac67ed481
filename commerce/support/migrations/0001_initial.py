import cms_api.http.link_keys
import commerce.support.models.messages
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
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
            name='Category',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('description', models.CharField(blank=True, default='', help_text='Shown to people who ask for help.', max_length=200)),
                ('position', models.PositiveIntegerField(default=0, help_text='Categories with lower numbers come first.')),
                ('is_public', models.BooleanField(default=True, verbose_name='offered on the site')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'verbose_name_plural': 'categories',
                'ordering': ['position', 'name', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Tag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=50)),
            ],
            options={
                'ordering': ['name'],
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('name'), name='support_tag_once')],
            },
        ),
        migrations.CreateModel(
            name='AssignmentRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('position', models.PositiveIntegerField(default=0, help_text='Rules with lower numbers are tried first.')),
                ('enabled', models.BooleanField(default=True)),
                ('priorities', models.JSONField(blank=True, default=list)),
                ('words', models.JSONField(blank=True, default=list)),
                ('last_assignee_id', models.PositiveBigIntegerField(default=0, editable=False)),
                ('categories', models.ManyToManyField(blank=True, related_name='rules', to='support.category')),
                ('assignees', models.ManyToManyField(related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['position', 'id'],
            },
        ),
        migrations.CreateModel(
            name='CannedAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=100, unique=True)),
                ('body', models.TextField(max_length=100000)),
                ('category', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='canned_answers', to='support.category')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'ordering': ['title', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Hours',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('weekday', models.PositiveSmallIntegerField(choices=[(0, 'Monday'), (1, 'Tuesday'), (2, 'Wednesday'), (3, 'Thursday'), (4, 'Friday'), (5, 'Saturday'), (6, 'Sunday')])),
                ('opens', models.TimeField()),
                ('closes', models.TimeField()),
            ],
            options={
                'verbose_name': 'support hours',
                'verbose_name_plural': 'support hours',
                'ordering': ['weekday', 'opens'],
                'constraints': [models.UniqueConstraint(models.F('weekday'), models.F('opens'), name='support_hours_once')],
            },
        ),
        migrations.CreateModel(
            name='SpecialDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('date', models.DateField(unique=True)),
                ('note', models.CharField(blank=True, default='', max_length=100)),
                ('periods', models.JSONField(blank=True, default=list)),
            ],
            options={
                'ordering': ['date'],
            },
        ),
        migrations.CreateModel(
            name='Target',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('priority', models.CharField(choices=[('low', 'Low'), ('normal', 'Normal'), ('high', 'High'), ('urgent', 'Urgent')], max_length=10, unique=True)),
                ('first_response_minutes', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(527040)])),
                ('resolution_minutes', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(527040)])),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Ticket',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, unique=True)),
                ('old_links_until', models.DateTimeField(editable=False, null=True)),
                ('number', models.CharField(editable=False, max_length=24, unique=True)),
                ('subject', models.CharField(max_length=200)),
                ('status', models.CharField(choices=[('open', 'Open'), ('pending', 'Pending'), ('resolved', 'Resolved'), ('closed', 'Closed')], default='open', editable=False, max_length=10)),
                ('priority', models.CharField(choices=[('low', 'Low'), ('normal', 'Normal'), ('high', 'High'), ('urgent', 'Urgent')], default='normal', max_length=10)),
                ('category', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='tickets', to='support.category')),
                ('channel', models.CharField(choices=[('email', 'Email'), ('website', 'Website'), ('admin', 'Admin'), ('api', 'API'), ('system', 'System')], editable=False, max_length=10)),
                ('name', models.CharField(blank=True, default='', max_length=200)),
                ('email', models.EmailField(max_length=254)),
                ('user', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('assignee', models.ForeignKey(blank=True, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('message_count', models.PositiveIntegerField(default=0, editable=False)),
                ('is_spam', models.BooleanField(default=False, editable=False, verbose_name='spam')),
                ('spam_reason', models.CharField(blank=True, default='', editable=False, max_length=200)),
                ('announced_at', models.DateTimeField(editable=False, null=True)),
                ('first_response_at', models.DateTimeField(editable=False, null=True)),
                ('resolved_at', models.DateTimeField(editable=False, null=True)),
                ('closed_at', models.DateTimeField(editable=False, null=True)),
                ('last_message_at', models.DateTimeField(editable=False, null=True)),
                ('waiting_since', models.DateTimeField(editable=False, null=True)),
                ('nudged_at', models.DateTimeField(editable=False, null=True)),
                ('csat_sent_at', models.DateTimeField(editable=False, null=True)),
                ('csat_rating', models.PositiveSmallIntegerField(editable=False, null=True)),
                ('csat_comment', models.TextField(blank=True, default='', editable=False, max_length=2000)),
                ('csat_rated_at', models.DateTimeField(editable=False, null=True)),
                ('follows', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='continued_by', to='support.ticket')),
                ('merged_into', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='merged', to='support.ticket')),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
                ('tags', models.ManyToManyField(blank=True, related_name='tickets', to='support.tag')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('add', 'view', 'change'),
                'indexes': [models.Index(models.F('created_at'), models.F('id'), name='support_ticket_by_creation'), models.Index(models.F('updated_at'), models.F('id'), name='support_ticket_by_change'), models.Index(models.F('last_message_at'), models.F('id'), name='support_ticket_by_message'), models.Index(models.F('is_spam'), models.F('created_at'), models.F('id'), name='support_ticket_listed'), models.Index(models.F('is_spam'), models.F('status'), models.F('created_at'), models.F('id'), name='support_ticket_by_status'), models.Index(models.F('priority'), models.F('created_at'), models.F('id'), name='support_ticket_by_priority'), models.Index(models.F('email'), models.F('created_at'), models.F('id'), name='support_ticket_by_email'), models.Index(models.F('assignee'), models.F('created_at'), models.F('id'), name='support_ticket_by_assignee'), models.Index(models.F('category'), models.F('created_at'), models.F('id'), name='support_ticket_by_category'), models.Index(models.F('waiting_since'), models.F('id'), condition=models.Q(('is_spam', False), ('status', 'pending')), name='support_ticket_waiting'), models.Index(models.F('nudged_at'), models.F('id'), condition=models.Q(('is_spam', False), ('status', 'pending')), name='support_ticket_nudged'), models.Index(models.F('resolved_at'), models.F('id'), condition=models.Q(('status', 'resolved')), name='support_ticket_resolved')],
                'constraints': [models.CheckConstraint(condition=models.Q(('csat_rating__isnull', True), models.Q(('csat_rating__gte', 1), ('csat_rating__lte', 5)), _connector='OR'), name='support_ticket_rating'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', False), ('status', 'closed')), models.Q(models.Q(('status', 'closed'), _negated=True), ('closed_at__isnull', True)), _connector='OR'), name='support_ticket_closed_at')],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='StatusChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ticket', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='status_changes', to='support.ticket')),
                ('status', models.CharField(choices=[('open', 'Open'), ('pending', 'Pending'), ('resolved', 'Resolved'), ('closed', 'Closed')], max_length=10)),
                ('at', models.DateTimeField()),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['at', 'id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('ticket'), models.F('at'), models.F('id'), name='support_status_of_ticket')],
            },
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ticket', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='support.ticket')),
                ('author_type', models.CharField(choices=[('staff', 'Staff'), ('customer', 'Customer'), ('system', 'System')], max_length=10)),
                ('author_name', models.CharField(blank=True, default='', max_length=200)),
                ('author_email', models.EmailField(blank=True, default='', max_length=254)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('channel', models.CharField(choices=[('email', 'Email'), ('website', 'Website'), ('admin', 'Admin'), ('api', 'API'), ('system', 'System')], max_length=10)),
                ('body', models.TextField(max_length=100000)),
                ('full_text', models.TextField(blank=True, default='')),
                ('is_internal', models.BooleanField(default=False)),
                ('is_automatic', models.BooleanField(default=False)),
                ('is_participant', models.BooleanField(default=True)),
                ('bounced_at', models.DateTimeField(null=True)),
                ('bounce_reason', models.CharField(blank=True, default='', max_length=200)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['created_at', 'id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('ticket'), models.F('created_at'), models.F('id'), name='support_message_of_ticket'), models.Index(models.F('ticket'), models.F('author_email'), name='support_message_by_author')],
            },
        ),
        migrations.CreateModel(
            name='Attachment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('message', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attachments', to='support.message')),
                ('filename', models.CharField(max_length=200)),
                ('type', models.CharField(max_length=100)),
                ('size', models.PositiveBigIntegerField()),
                ('file', models.FileField(storage=commerce.support.models.messages.private_files, upload_to=commerce.support.models.messages.random_name)),
            ],
            options={
                'ordering': ['id'],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='ReceivedMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('sender', models.CharField(blank=True, default='', max_length=254)),
                ('subject', models.CharField(blank=True, default='', max_length=200)),
                ('outcome', models.CharField(choices=[('opened', 'Opened a ticket'), ('replied', 'Added to a ticket'), ('quarantined', 'Opened a ticket marked as spam'), ('bounced', 'Delivery failure noted'), ('ignored', 'Automatic email, ignored'), ('looped', 'Sent by this site, ignored')], max_length=15)),
                ('reason', models.CharField(blank=True, default='', max_length=200)),
                ('ticket', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='received_mails', to='support.ticket')),
                ('message', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='received_mails', to='support.message')),
                ('original', models.FileField(storage=commerce.support.models.messages.private_files, upload_to=commerce.support.models.messages.random_name)),
                ('size', models.PositiveBigIntegerField()),
                ('received_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-received_at', '-id'],
                'default_permissions': ('view',),
                'indexes': [models.Index(models.F('received_at'), models.F('id'), name='support_mail_by_date'), models.Index(models.F('outcome'), models.F('received_at'), models.F('id'), name='support_mail_by_outcome')],
            },
        ),
        migrations.CreateModel(
            name='MailKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ticket', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mail_keys', to='support.ticket')),
                ('message', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='mail_keys', to='support.message')),
                ('key', models.CharField(max_length=255)),
                ('is_sent', models.BooleanField()),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['id'],
                'default_permissions': (),
                'indexes': [models.Index(fields=['key', '-id'], name='support_mail_key')],
            },
        ),
    ]
