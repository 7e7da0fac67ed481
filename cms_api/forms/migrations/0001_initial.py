import cms_api.forms.models
import cms_api.media.services.private
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('core', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Form',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=100, unique=True)),
                ('name', models.CharField(max_length=120)),
                ('description', models.TextField(blank=True, default='', help_text='Shown to visitors above the fields.', max_length=1000)),
                ('fields', models.JSONField(default=list)),
                ('store_submissions', models.BooleanField(default=True)),
                ('recipients', models.JSONField(default=list)),
                ('success_message', models.TextField(blank=True, default='', max_length=1000)),
                ('submit_label', models.CharField(blank=True, default='', max_length=60, verbose_name='button label')),
                ('enabled', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'ordering': ['name', 'id'],
                'indexes': [models.Index(models.F('created_at'), models.F('id'), name='form_by_creation'), models.Index(models.F('updated_at'), models.F('id'), name='form_by_change'), models.Index(models.F('name'), models.F('id'), name='form_by_name')],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('form', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='forms.form')),
                ('data', models.JSONField(default=dict)),
                ('is_spam', models.BooleanField(default=False, verbose_name='spam')),
                ('spam_reason', models.CharField(blank=True, default='', max_length=200)),
                ('source', models.CharField(choices=[('site', 'Site'), ('api', 'API')], max_length=10)),
                ('contact_id', models.PositiveBigIntegerField(null=True)),
                ('handled_at', models.DateTimeField(editable=False, null=True)),
                ('words', models.TextField(default='', editable=False)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('view', 'change', 'delete'),
                'indexes': [models.Index(models.F('form'), models.F('is_spam'), models.F('created_at'), models.F('id'), name='submission_listed'), models.Index(models.F('form'), models.F('created_at'), models.F('id'), name='submission_of_form'), models.Index(models.F('is_spam'), models.F('created_at'), models.F('id'), name='submission_by_spam'), models.Index(models.F('created_at'), models.F('id'), name='submission_by_date')],
            },
        ),
        migrations.CreateModel(
            name='Attachment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attachments', to='forms.submission')),
                ('key', models.CharField(max_length=50)),
                ('filename', models.CharField(max_length=200)),
                ('size', models.PositiveBigIntegerField()),
                ('file', models.FileField(storage=cms_api.forms.models.private_files, upload_to=cms_api.media.services.private.random_name)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(models.F('submission'), models.F('key'), name='attachment_once')],
            },
        ),
    ]
