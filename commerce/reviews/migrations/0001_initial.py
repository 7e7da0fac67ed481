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
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link_key', models.UUIDField(default=cms_api.http.link_keys.new_link_key, editable=False, unique=True)),
                ('old_links_until', models.DateTimeField(editable=False, null=True)),
                ('source', models.CharField(choices=[('order', 'Order'), ('appointment', 'Appointment'), ('ticket_order', 'Ticket Order')], max_length=20)),
                ('record_id', models.BigIntegerField()),
                ('subjects', models.JSONField(default=list)),
                ('name', models.CharField(blank=True, default='', max_length=200)),
                ('email', models.EmailField(max_length=254)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('sent', 'Sent'), ('skipped', 'Not sent')], default='waiting', max_length=10)),
                ('reason', models.CharField(blank=True, default='', max_length=300)),
                ('due_at', models.DateTimeField()),
                ('sent_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'default_permissions': ('view', 'change'),
                'indexes': [models.Index(models.F('created_at'), models.F('id'), name='invitation_by_creation'), models.Index(models.F('state'), models.F('created_at'), models.F('id'), name='invitation_by_state'), models.Index(models.F('email'), models.F('created_at'), models.F('id'), name='invitation_by_email'), models.Index(models.F('due_at'), models.F('id'), condition=models.Q(('state', 'waiting')), name='invitation_due')],
                'constraints': [models.UniqueConstraint(models.F('source'), models.F('record_id'), name='invitation_once')],
            },
        ),
        migrations.CreateModel(
            name='OptOut',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Review',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(choices=[('google', 'Google'), ('facebook', 'Facebook'), ('yelp', 'Yelp'), ('site', 'This site')], default='site', editable=False, max_length=10)),
                ('provider_key', models.CharField(editable=False, max_length=211, null=True, unique=True)),
                ('author_name', models.CharField(max_length=100, verbose_name='author')),
                ('author_email', models.EmailField(max_length=254, null=True, verbose_name='email')),
                ('rating', models.PositiveSmallIntegerField()),
                ('title', models.CharField(blank=True, default='', max_length=150)),
                ('body', models.TextField(blank=True, default='', max_length=5000, verbose_name='review')),
                ('subject_kind', models.CharField(blank=True, choices=[('product', 'Product'), ('event', 'Event'), ('service', 'Service'), ('listing', 'Listing')], default='', editable=False, max_length=10)),
                ('subject_id', models.BigIntegerField(editable=False, null=True)),
                ('subject_name', models.CharField(blank=True, default='', editable=False, max_length=300)),
                ('invitation', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='reviews.invitation')),
                ('reply', models.TextField(blank=True, default='', max_length=5000)),
                ('replied_at', models.DateTimeField(editable=False, null=True)),
                ('is_visible', models.BooleanField(default=True, editable=False)),
                ('pending', models.BooleanField(default=False, editable=False)),
                ('hidden_reason', models.CharField(blank=True, default='', editable=False, max_length=300)),
                ('is_spam', models.BooleanField(default=False, editable=False)),
                ('received_points', models.BooleanField(default=False, editable=False)),
                ('left_at', models.DateTimeField(editable=False)),
                ('synced_at', models.DateTimeField(editable=False, null=True)),
                ('removed_at', models.DateTimeField(editable=False, null=True)),
                ('url', models.CharField(blank=True, default='', editable=False, max_length=500, verbose_name='URL')),
                ('decided_at', models.DateTimeField(editable=False, null=True)),
                ('decided_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
            ],
            options={
                'ordering': ['-left_at', '-id'],
                'default_permissions': ('add', 'view', 'change'),
                'indexes': [models.Index(models.F('left_at'), models.F('id'), name='review_by_date'), models.Index(models.F('created_at'), models.F('id'), name='review_by_creation'), models.Index(models.F('updated_at'), models.F('id'), name='review_by_change'), models.Index(models.F('rating'), models.F('left_at'), models.F('id'), name='review_by_rating'), models.Index(models.F('provider'), models.F('left_at'), models.F('id'), name='review_by_provider'), models.Index(models.F('left_at'), models.F('id'), models.F('rating'), condition=models.Q(('is_visible', True), ('pending', False), models.Q(('subject_kind', 'listing'), _negated=True)), name='review_public'), models.Index(models.F('subject_kind'), models.F('subject_id'), models.F('left_at'), models.F('id'), models.F('rating'), condition=models.Q(('is_visible', True), ('pending', False)), name='review_of_subject'), models.Index(models.F('left_at'), models.F('id'), condition=models.Q(('pending', True)), name='review_pending'), models.Index(models.F('left_at'), models.F('id'), condition=models.Q(('is_visible', False)), name='review_hidden'), models.Index(models.F('decided_at'), condition=models.Q(('is_spam', True)), name='review_spam')],
                'constraints': [models.UniqueConstraint(models.F('invitation'), models.F('subject_kind'), models.F('subject_id'), name='review_once_invited'), models.UniqueConstraint(models.F('invitation'), condition=models.Q(('subject_kind', '')), name='business_review_once_invited'), models.CheckConstraint(condition=models.Q(('rating__gte', 1), ('rating__lte', 5)), name='review_rating'), models.CheckConstraint(condition=models.Q(('pending', False), ('is_visible', True), _connector='OR'), name='review_has_one_status'), models.CheckConstraint(condition=models.Q(('is_spam', False), ('is_visible', False), _connector='OR'), name='review_spam_is_hidden'), models.CheckConstraint(condition=models.Q(models.Q(('subject_id__isnull', True), ('subject_kind', '')), models.Q(models.Q(('subject_kind', ''), _negated=True), ('subject_id__isnull', False)), _connector='OR'), name='review_subject'), models.CheckConstraint(condition=models.Q(models.Q(('provider', 'site'), ('provider_key__isnull', True)), models.Q(models.Q(('provider', 'site'), _negated=True), ('provider_key__isnull', False)), _connector='OR'), name='review_provider')],
            },
            bases=(modelsearch.index.Indexed, models.Model),
        ),
    ]
