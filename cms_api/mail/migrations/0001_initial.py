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
            name='OutgoingMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('lost', models.PositiveIntegerField(default=0)),
                ('next_attempt_at', models.DateTimeField(null=True)),
                ('error', models.CharField(blank=True, default='', max_length=500)),
                ('finished_at', models.DateTimeField(null=True)),
                ('template', models.CharField(max_length=60)),
                ('recipient', models.CharField(max_length=320)),
                ('recipient_name', models.CharField(blank=True, default='', max_length=200)),
                ('sender', models.CharField(max_length=640)),
                ('reply_to', models.CharField(blank=True, default='', max_length=640)),
                ('headers', models.JSONField(default=dict)),
                ('auto_submitted', models.CharField(blank=True, choices=[('', 'Written by a person'), ('auto-generated', 'Generated'), ('auto-replied', 'Automatic reply')], db_default='auto-generated', default='auto-generated', max_length=20)),
                ('null_sender', models.BooleanField(db_default=False, default=False)),
                ('about', models.CharField(blank=True, db_default='', default='', editable=False, max_length=80)),
                ('is_limited', models.BooleanField(db_default=False, default=False, editable=False)),
                ('subject', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('html', models.TextField()),
                ('secret_content', models.JSONField(editable=False, null=True)),
                ('has_secrets', models.BooleanField(db_default=False, default=False, editable=False)),
                ('message_id', models.CharField(max_length=320, unique=True)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('sent', 'Sent'), ('failed', 'Failed'), ('replaced', 'Replaced')], default='waiting', max_length=10)),
                ('created_at', models.DateTimeField(db_index=True)),
            ],
            options={
                'verbose_name': 'mail',
                'ordering': ['-id'],
                'default_permissions': ('view', 'change'),
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['next_attempt_at', 'id'], name='mail_due'), models.Index(fields=['state', '-id'], name='mail_by_state'), models.Index(fields=['template', '-id'], name='mail_by_template'), models.Index(fields=['recipient', '-id'], name='mail_by_recipient'), models.Index(condition=models.Q(('state', 'waiting'), models.Q(('about', ''), _negated=True)), fields=['about'], name='mail_waiting_about')],
            },
        ),
        migrations.CreateModel(
            name='MailAttachment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('mail', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attachments', to='mail.outgoingmail')),
                ('name', models.CharField(max_length=200)),
                ('type', models.CharField(max_length=200)),
                ('content', models.BinaryField(default=b'')),
                ('maker', models.CharField(blank=True, db_default='', default='', max_length=200)),
                ('made_from', models.JSONField(default=dict)),
            ],
            options={
                'ordering': ['id'],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='MailTemplate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60, unique=True)),
                ('subject', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('html', models.TextField()),
                ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('changed_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'verbose_name': 'mail template',
                'default_permissions': ('change',),
            },
        ),
    ]
