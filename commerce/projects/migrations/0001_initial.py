import cms_api.http.link_keys
import cms_api.media.services.private
import commerce.projects.models
import django.db.models.deletion
import modelsearch.index
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '__first__'),
        ('core', '0001_initial'),
        ('invoicing', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, unique=True)),
                ('old_links_until', models.DateTimeField(editable=False, null=True)),
                ('name', models.CharField(max_length=150)),
                ('description', models.TextField(blank=True, default='', max_length=10000)),
                ('status', models.CharField(choices=[('planned', 'Planned'), ('active', 'Active'), ('on_hold', 'On hold'), ('completed', 'Completed'), ('cancelled', 'Cancelled')], default='planned', max_length=10)),
                ('client', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='invoicing.client')),
                ('client_email', models.EmailField(blank=True, default='', max_length=254)),
                ('client_name', models.CharField(blank=True, default='', max_length=200)),
                ('assigned_to', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('started_at', models.DateField(blank=True, null=True, verbose_name='start date')),
                ('due_at', models.DateField(blank=True, null=True, verbose_name='due date')),
                ('completed_at', models.DateTimeField(editable=False, null=True)),
                ('progress', models.PositiveSmallIntegerField(default=0)),
                ('needed', models.TextField(blank=True, default='', max_length=10000, verbose_name='needed from the client')),
                ('enrolled_at', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'indexes': [models.Index(models.F('created_at'), models.F('id'), name='project_by_creation'), models.Index(models.F('updated_at'), models.F('id'), name='project_by_change'), models.Index(models.F('status'), models.F('created_at'), models.F('id'), name='project_by_status'), models.Index(models.F('client_email'), models.F('created_at'), models.F('id'), name='project_by_email'), models.Index(models.F('due_at'), models.F('id'), condition=models.Q(('status__in', ('planned', 'active', 'on_hold'))), name='project_by_due_date')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('completed_at__isnull', False), ('status', 'completed')), models.Q(models.Q(('status', 'completed'), _negated=True), ('completed_at__isnull', True)), _connector='OR'), name='project_completed_at_a_moment'), models.CheckConstraint(condition=models.Q(('progress__lte', 100)), name='project_progress_in_percent')],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='Milestone',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='milestones', to='projects.project')),
                ('title', models.CharField(max_length=150)),
                ('due_at', models.DateField(null=True, verbose_name='due date')),
                ('completed_at', models.DateTimeField(null=True)),
                ('position', models.PositiveSmallIntegerField()),
                ('announced_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['position', 'id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('project'), models.F('position'), models.F('id'), name='milestone_by_position')],
            },
        ),
        migrations.CreateModel(
            name='ProjectUpdate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='updates', to='projects.project')),
                ('note', models.TextField(max_length=10000)),
                ('is_public', models.BooleanField(default=True, verbose_name='public')),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'update',
                'ordering': ['-created_at', '-id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('project'), models.OrderBy(models.F('created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), name='update_by_creation')],
            },
        ),
        migrations.CreateModel(
            name='ProjectFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='projects.project')),
                ('filename', models.CharField(max_length=200)),
                ('size', models.PositiveBigIntegerField()),
                ('file', models.FileField(storage=commerce.projects.models.private_files, upload_to=cms_api.media.services.private.random_name)),
                ('is_public', models.BooleanField(default=False, verbose_name='public')),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'file',
                'ordering': ['-created_at', '-id'],
                'default_permissions': (),
            },
        ),
    ]
