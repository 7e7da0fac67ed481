"""Versions, tags and periodic jobs, the cache's table, and SQLite's index of search words.

The other apps of the project depend on this migration, and this one on all apps of other projects: Django's functions of their
migrations then see few models, which it renders again for each.
"""

from django.core.management import call_command
from django.db import migrations, models

CACHE_TABLE = "core_cache"
# `cms_api/core/search.py` explains the purpose of the index of words.
WORDS, TERMS, ENTRIES = "core_search_words", "core_search_terms", "wagtailsearch_indexentry"

CREATE = f"""CREATE VIRTUAL TABLE {WORDS} USING fts5(words, content='', prefix='6', tokenize="ascii tokenchars '_'")"""
VOCABULARY = f"CREATE VIRTUAL TABLE {TERMS} USING fts5vocab({WORDS}, instance)"


def create_cache_table(apps, schema_editor):
    """Create it if the cache is in the database."""
    call_command("createcachetable", CACHE_TABLE, database=schema_editor.connection.alias, verbosity=0)


def drop_cache_table(apps, schema_editor):
    schema_editor.execute(f"DROP TABLE IF EXISTS {CACHE_TABLE}")


def row_of(entry):
    """Return the SQL for the row number and the words of an entry with this alias. Words are separated by model."""
    number = f"({entry}content_type_id << 40) + CAST({entry}object_id AS INTEGER)"
    words = f"REPLACE(' ' || REPLACE({entry}autocomplete, '_', ' '), ' ', PRINTF(' %04d_', {entry}content_type_id))"
    return f"{number}, {words}"


def trigger(name, moment, *statements):
    return f"CREATE TRIGGER {WORDS}_{name} AFTER {moment} BEGIN {'; '.join(statements)}; END"


def has_number(entry):
    return f"{entry}.object_id NOT GLOB '*[^0-9]*'"


PUT = f"INSERT INTO {WORDS} (rowid, words) SELECT {row_of('new.')} WHERE {has_number('new')}"
TAKE = f"INSERT INTO {WORDS} ({WORDS}, rowid, words) SELECT 'delete', {row_of('old.')} WHERE {has_number('old')}"
TRIGGERS = (
    trigger("put", f"INSERT ON {ENTRIES}", PUT),
    trigger("changed", f"UPDATE ON {ENTRIES} WHEN old.autocomplete IS NOT new.autocomplete", TAKE, PUT),
    trigger("taken", f"DELETE ON {ENTRIES}", TAKE),
)
FILL = f"INSERT INTO {WORDS} (rowid, words) SELECT {row_of('')} FROM {ENTRIES} AS entry WHERE {has_number('entry')}"


def create_words(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for statement in (CREATE, VOCABULARY, FILL, *TRIGGERS):
            schema_editor.execute(statement, params=None)


def drop_words(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in ("put", "changed", "taken"):
            schema_editor.execute(f"DROP TRIGGER {WORDS}_{name}")
        for table in (TERMS, WORDS):
            schema_editor.execute(f"DROP TABLE {table}")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('account', '0009_emailaddress_unique_primary_email'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('django_q', '0019_alter_task_options_alter_ormq_key_alter_ormq_lock_and_more'),
        ('sessions', '0001_initial'),
        ('taggit', '0006_rename_taggeditem_content_type_object_id_taggit_tagg_content_8fc721_idx'),
        ('wagtailadmin', '0006_formstate'),
        ('wagtailcore', '0098_apitoken'),
        ('wagtaildocs', '0014_alter_document_file_size'),
        ('wagtailimages', '0027_image_description'),
        ('wagtailsearch', '0010_add_text_fields'),
        ('wagtailusers', '0015_userprofile_keyboard_shortcuts'),
    ]

    operations = [
        migrations.CreateModel(
            name='Version',
            fields=[
                ('name', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('value', models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='Tag',
            fields=[
                ('name', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('value', models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='PeriodicJob',
            fields=[
                ('leased_by', models.CharField(blank=True, db_default='', default='', editable=False, max_length=40)),
                ('leased_until', models.DateTimeField(editable=False, null=True)),
                ('name', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('due_at', models.DateTimeField()),
                ('last_run_at', models.DateTimeField(null=True)),
                ('last_error', models.TextField(blank=True, default='')),
                ('failures', models.PositiveIntegerField(db_default=0, default=0)),
            ],
        ),
        migrations.CreateModel(
            name='WorkerProcess',
            fields=[
                ('name', models.CharField(max_length=200, primary_key=True, serialize=False)),
                ('seen_at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.RunPython(create_cache_table, drop_cache_table),
        migrations.RunPython(create_words, drop_words),
    ]
