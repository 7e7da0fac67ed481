import django.db.models.deletion
import modelsearch.index
import wagtail.models.preview
from django.db import migrations, models

# The most bytes that each of two rows of a page of 8 kB may have.
HALF_A_PAGE_BYTES = 4080


def store_as_is(apps, schema_editor):
    """Let PostgreSQL store the JSON that responses are built from uncompressed, beside its row if two such rows fit into a page."""
    _alter(schema_editor, f"ALTER cached_json SET STORAGE EXTERNAL, SET (toast_tuple_target = {HALF_A_PAGE_BYTES})")


def compress(apps, schema_editor):
    _alter(schema_editor, "ALTER cached_json SET STORAGE EXTENDED, RESET (toast_tuple_target)")


def _alter(schema_editor, changes):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"ALTER TABLE content_contentitem {changes}")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('core', '0001_initial'),
        ('media', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='ContentType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(unique=True)),
                ('name', models.CharField(max_length=100)),
                ('name_plural', models.CharField(max_length=100)),
                ('description', models.TextField(blank=True, default='')),
                ('icon', models.CharField(blank=True, default='doc-full', max_length=50)),
                ('is_system', models.BooleanField(default=False, editable=False)),
                ('feature', models.CharField(blank=True, default='', editable=False, max_length=50)),
                ('schema_type', models.CharField(blank=True, default='', max_length=50, verbose_name='schema.org type')),
                ('has_detail', models.BooleanField(default=True, verbose_name='has detail pages')),
                ('excerpt_enabled', models.BooleanField(default=True, verbose_name='items have an excerpt')),
                ('comments_enabled', models.BooleanField(default=False, verbose_name='items take comments')),
                ('index_layout', models.CharField(default='content-list', max_length=50, verbose_name='list layout')),
                ('detail_layout', models.CharField(default='content-detail', max_length=50)),
                ('fields', models.JSONField(default=list)),
                ('epoch', models.PositiveBigIntegerField(default=1, editable=False)),
                ('numbered_until', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'verbose_name': 'content type',
                'ordering': ['name', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Term',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='terms', to='content.contenttype')),
                ('taxonomy', models.CharField(max_length=50)),
                ('name', models.CharField(max_length=100)),
                ('slug', models.SlugField(max_length=100)),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='children', to='content.term')),
                ('position', models.PositiveIntegerField(default=0)),
            ],
            options={
                'ordering': ['position', 'name', 'id'],
                'constraints': [models.UniqueConstraint(fields=('type', 'taxonomy', 'slug'), name='term_slug_once')],
            },
        ),
        migrations.CreateModel(
            name='ContentItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('latest_revision', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='wagtailcore.revision', verbose_name='latest revision')),
                ('live', models.BooleanField(default=True, editable=False, verbose_name='live')),
                ('has_unpublished_changes', models.BooleanField(default=False, editable=False, verbose_name='has unpublished changes')),
                ('first_published_at', models.DateTimeField(blank=True, db_index=True, null=True, verbose_name='first published at')),
                ('last_published_at', models.DateTimeField(editable=False, null=True, verbose_name='last published at')),
                ('live_revision', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='wagtailcore.revision', verbose_name='live revision')),
                ('go_live_at', models.DateTimeField(blank=True, null=True, verbose_name='go live date/time')),
                ('expire_at', models.DateTimeField(blank=True, null=True, verbose_name='expiry date/time')),
                ('expired', models.BooleanField(default=False, editable=False, verbose_name='expired')),
                ('type', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='content.contenttype')),
                ('owner', models.ForeignKey(blank=True, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='owned', to='content.contentitem')),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('published', 'Published'), ('scheduled', 'Scheduled'), ('unpublished', 'Unpublished')], default='draft', editable=False, max_length=12)),
                ('title', models.CharField(editable=False, max_length=255)),
                ('slug', models.CharField(blank=True, max_length=255)),
                ('published_at', models.DateTimeField(blank=True, null=True)),
                ('listed_at', models.DateTimeField(editable=False)),
                ('created_at', models.DateTimeField(editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
                ('starts_at', models.DateTimeField(editable=False, null=True)),
                ('ends_at', models.DateTimeField(editable=False, null=True)),
                ('lasts_until', models.DateTimeField(editable=False, null=True)),
                ('is_long', models.BooleanField(db_default=False, default=False, editable=False)),
                ('featured_media', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='media.media')),
                ('meta_title', models.CharField(blank=True, max_length=255, null=True)),
                ('meta_description', models.CharField(blank=True, max_length=500, null=True)),
                ('excerpt', models.TextField(blank=True, null=True)),
                ('data', models.JSONField(default=dict, editable=False)),
                ('cached_epoch', models.PositiveBigIntegerField(default=0, editable=False)),
                ('cached_json', models.BinaryField(default=b'')),
            ],
            options={
                'verbose_name': 'content item',
                'ordering': ['-listed_at', '-id'],
                'indexes': [models.Index(models.F('type'), models.F('status'), models.OrderBy(models.F('listed_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('owner', None)), name='item_listed'), models.Index(models.F('status'), models.OrderBy(models.F('listed_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('owner', None)), name='item_listed_all'), models.Index(models.F('type'), models.F('status'), models.F('created_at'), models.F('id'), condition=models.Q(('owner', None)), name='item_created'), models.Index(models.F('type'), models.F('status'), models.F('updated_at'), models.F('id'), condition=models.Q(('owner', None)), name='item_updated'), models.Index(models.F('type'), models.F('status'), models.F('title'), models.F('id'), condition=models.Q(('owner', None)), name='item_titled'), models.Index(models.F('type'), models.F('starts_at'), condition=models.Q(('starts_at__isnull', False)), name='item_dated'), models.Index(models.F('type'), models.F('starts_at'), condition=models.Q(('is_long', True)), name='item_long'), models.Index(models.F('type'), models.F('status'), models.F('lasts_until'), condition=models.Q(('lasts_until__isnull', False), ('owner', None)), name='item_lasting'), models.Index(models.F('owner'), models.F('ends_at'), condition=models.Q(('owner__isnull', False)), name='item_owned_dated'), models.Index(models.F('published_at'), condition=models.Q(('status', 'scheduled')), name='item_due'), models.Index(models.F('type'), models.F('cached_epoch'), name='item_cached_epoch')],
                'constraints': [models.UniqueConstraint(fields=('type', 'slug'), name='item_slug_once')],
            },
            bases=(wagtail.models.preview.PreviewableMixin, modelsearch.index.Indexed, models.Model),
        ),
        migrations.CreateModel(
            name='ItemTerm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='item_terms', to='content.contentitem')),
                ('term', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='item_terms', to='content.term')),
                ('position', models.PositiveIntegerField(default=0)),
                ('status', models.CharField(max_length=12)),
                ('listed_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(models.F('term'), models.F('status'), models.OrderBy(models.F('listed_at'), descending=True), models.OrderBy(models.F('item'), descending=True), name='term_listed')],
                'constraints': [models.UniqueConstraint(fields=('item', 'term'), name='item_term_once')],
            },
        ),
        migrations.CreateModel(
            name='ItemLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='links_out', to='content.contentitem')),
                ('target', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='links_in', to='content.contentitem')),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('source', 'target'), name='item_link_once')],
            },
        ),
        migrations.CreateModel(
            name='ItemUnique',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='content.contentitem')),
                ('type', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='content.contenttype')),
                ('key', models.CharField(max_length=50)),
                ('digest', models.CharField(max_length=64)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('type', 'key', 'digest'), name='item_value_once')],
            },
        ),
        migrations.CreateModel(
            name='Tally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tallies', to='content.contenttype')),
                ('status', models.CharField(max_length=12)),
                ('owned', models.BooleanField()),
                ('total', models.BigIntegerField(default=0)),
            ],
            options={
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('type', 'status', 'owned'), name='tally_once')],
            },
        ),
        migrations.RunPython(store_as_is, compress),
    ]
