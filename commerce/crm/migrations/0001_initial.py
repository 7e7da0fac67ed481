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
            name='Company',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('key', models.CharField(editable=False, max_length=200, unique=True)),
                ('website', models.URLField(blank=True, default='')),
                ('notes', models.TextField(blank=True, default='')),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'verbose_name_plural': 'companies',
                'ordering': ['name', 'id'],
                'indexes': [models.Index(models.F('name'), models.F('id'), name='company_by_name')],
            },
        ),
        migrations.CreateModel(
            name='Contact',
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
                ('email', models.EmailField(max_length=254, unique=True)),
                ('phone', models.CharField(blank=True, default='', max_length=50)),
                ('job_title', models.CharField(blank=True, default='', max_length=200)),
                ('company', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='contacts', to='crm.company')),
                ('lifecycle', models.CharField(choices=[('lead', 'Lead'), ('prospect', 'Prospect'), ('customer', 'Customer'), ('partner', 'Partner'), ('inactive', 'Inactive')], default='lead', max_length=10)),
                ('tags', models.JSONField(blank=True, default=list)),
                ('notes', models.TextField(blank=True, default='')),
                ('source', models.CharField(blank=True, default='', max_length=100)),
                ('assigned_to', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='owner')),
                ('last_activity_at', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'indexes': [models.Index(models.F('created_at'), models.F('id'), name='contact_by_creation'), models.Index(models.F('updated_at'), models.F('id'), name='contact_by_change'), models.Index(models.F('lifecycle'), models.F('created_at'), models.F('id'), name='contact_by_lifecycle'), models.Index(models.F('last_activity_at'), models.F('id'), name='contact_by_activity')],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='MergedAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('contact', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='merged_addresses', to='crm.contact')),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Activity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('contact', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='activities', to='crm.contact')),
                ('kind', models.CharField(choices=[('note', 'Note'), ('form', 'Form'), ('mail', 'Mail'), ('order', 'Order'), ('booking', 'Booking'), ('invoice', 'Invoice'), ('donation', 'Donation'), ('ticket', 'Ticket'), ('support', 'Help desk'), ('project', 'Project'), ('subscription', 'Subscription'), ('membership', 'Membership'), ('merge', 'Merge')], max_length=12)),
                ('summary', models.CharField(max_length=255)),
                ('body', models.TextField(blank=True, default='')),
                ('reference', models.CharField(blank=True, default='', max_length=100)),
                ('link', models.CharField(blank=True, default='', max_length=300)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('happened_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'activities',
                'ordering': ['-happened_at', '-id'],
                'default_permissions': (),
                'indexes': [models.Index(models.F('contact'), models.F('happened_at'), models.F('id'), name='activity_of_contact')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('reference', ''), _negated=True), fields=('contact', 'kind', 'reference'), name='activity_once')],
            },
        ),
        migrations.CreateModel(
            name='AssignmentRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('position', models.PositiveIntegerField(default=0, help_text='Rules with lower numbers are tried first.')),
                ('enabled', models.BooleanField(default=True)),
                ('countries', models.JSONField(blank=True, default=list)),
                ('sources', models.JSONField(blank=True, default=list)),
                ('last_assignee_id', models.PositiveBigIntegerField(default=0, editable=False)),
                ('assignees', models.ManyToManyField(related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['position', 'id'],
            },
        ),
    ]
