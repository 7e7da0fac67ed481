import cms_api.http.link_keys
import django.db.models.deletion
import modelcluster.fields
import modelsearch.index
import wagtail.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('core', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Subscriber',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, unique=True)),
                ('old_links_until', models.DateTimeField(editable=False, null=True)),
                ('first_name', models.CharField(blank=True, default='', max_length=100)),
                ('last_name', models.CharField(blank=True, default='', max_length=100)),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('status', models.CharField(choices=[('active', 'Active'), ('pending', 'Pending'), ('unsubscribed', 'Unsubscribed')], default='pending', max_length=12)),
                ('tags', models.JSONField(blank=True, default=list)),
                ('source', models.CharField(blank=True, default='', max_length=100)),
                ('confirmed_at', models.DateTimeField(editable=False, null=True)),
                ('unsubscribed_at', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'indexes': [models.Index(models.F('created_at'), models.F('id'), name='subscriber_by_creation'), models.Index(models.F('updated_at'), models.F('id'), name='subscriber_by_change'), models.Index(models.F('status'), models.F('created_at'), models.F('id'), name='subscriber_by_status'), models.Index(models.F('status'), models.F('updated_at'), models.F('id'), name='subscriber_by_status_change'), models.Index(models.F('status'), models.F('email'), models.F('id'), name='subscriber_by_status_email'), models.Index(models.F('confirmed_at'), condition=models.Q(('confirmed_at__isnull', False)), name='subscriber_by_confirmation'), models.Index(models.F('unsubscribed_at'), condition=models.Q(('unsubscribed_at__isnull', False)), name='subscriber_by_unsubscription')],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='MailingList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('name', models.CharField(max_length=100)),
                ('description', models.CharField(blank=True, default='', help_text='Shown to visitors beside the name.', max_length=300)),
                ('tag', models.CharField(help_text='Subscribers with this tag are on the list.', max_length=50, unique=True)),
                ('is_public', models.BooleanField(default=True, verbose_name='open to visitors')),
                ('position', models.PositiveIntegerField(default=0, help_text='Lower numbers come first.')),
            ],
            options={
                'ordering': ['position', 'name', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Sequence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('enabled', models.BooleanField(default=False)),
                ('trigger', models.CharField(choices=[('manual', 'No automatic enrolment'), ('subscribed', 'Everyone who subscribes'), ('tagged', 'Anyone with this tag')], default='manual', max_length=10, verbose_name='enrolment trigger')),
                ('tag', models.CharField(blank=True, default='', max_length=50)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['name', 'id'],
            },
        ),
        migrations.CreateModel(
            name='SequenceStep',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sequence', modelcluster.fields.ParentalKey(on_delete=django.db.models.deletion.CASCADE, related_name='steps', to='marketing.sequence')),
                ('position', models.PositiveIntegerField(default=0, editable=False)),
                ('delay', models.PositiveIntegerField(default=1, verbose_name='wait')),
                ('unit', models.CharField(choices=[('minutes', 'Minutes'), ('hours', 'Hours'), ('days', 'Days')], default='days', max_length=7)),
                ('subject', models.CharField(max_length=200)),
                ('body', wagtail.fields.RichTextField(verbose_name='text')),
            ],
            options={
                'verbose_name': 'step',
                'ordering': ['position', 'id'],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Enrolment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sequence', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='enrolments', to='marketing.sequence')),
                ('subscriber', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='enrolments', to='marketing.subscriber')),
                ('state', models.CharField(choices=[('active', 'Active'), ('finished', 'Finished'), ('stopped', 'Stopped')], default='active', max_length=8)),
                ('next_step', models.ForeignKey(db_constraint=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='marketing.sequencestep')),
                ('next_at', models.DateTimeField(editable=False, null=True)),
                ('since', models.DateTimeField(editable=False)),
                ('sent', models.JSONField(default=list, editable=False)),
                ('enrolled_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['-enrolled_at', '-id'],
                'default_permissions': (),
                'indexes': [models.Index(condition=models.Q(('state', 'active')), fields=['sequence', 'next_at', 'id'], name='enrolment_due'), models.Index(fields=['sequence', 'state'], name='enrolment_by_state'), models.Index(fields=['sequence', '-enrolled_at', '-id'], name='enrolment_by_date')],
                'constraints': [models.UniqueConstraint(fields=('sequence', 'subscriber'), name='enrolled_once')],
            },
        ),
    ]
