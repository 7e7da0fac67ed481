"""Fills the new columns of media records from Wagtail's tables, some hundred rows at a time."""

from mimetypes import guess_type

from django.db import migrations, transaction

from cms_api.core.search import fold

BATCH = 500
VIDEOS = ('mp4', 'webm', 'mov')
COLUMNS = ('kind', 'name', 'path', 'mime_type', 'size', 'search_text', 'added_at', 'updated_at')
READ = ('pk', 'file', 'file_size', 'alt', 'caption', 'created_at')
UPDATE = f"UPDATE media_media SET {', '.join(f'{column} = %s' for column in COLUMNS)} WHERE id = %s"


def fill(apps, schema_editor):
    for model, kind in (('MediaImage', 'image'), ('MediaFile', 'file')):
        _fill(apps.get_model('media', 'Media'), apps.get_model('media', model), kind, schema_editor.connection)


def _fill(media, table, kind, connection):
    last = 0
    while True:
        rows = list(table.objects.using(connection.alias).filter(pk__gt=last).order_by('pk').values_list(*READ, named=True)[:BATCH])
        if not rows:
            return
        last = rows[-1].pk
        paths = [row.file for row in rows]
        taken = dict(media.objects.using(connection.alias).filter(path__in=paths).values_list('path', 'pk'))
        with transaction.atomic(connection.alias), connection.cursor() as cursor:
            cursor.executemany(UPDATE, [_values(row, kind, taken, connection) for row in rows])


def _values(row, kind, taken, connection):
    path, name = row.file, row.file.rpartition('/')[2]
    is_video = name.rpartition('.')[2].lower() in VIDEOS
    created = connection.ops.adapt_datetimefield_value(row.created_at)
    return (
        'video' if is_video else kind,
        name[:255],
        # Two records should never share a file; if they do, the first one gets the path.
        path if taken.setdefault(path, row.pk) == row.pk else None,
        guess_type(name)[0] or 'application/octet-stream',
        row.file_size or 0,
        fold(' '.join((name, row.alt, row.caption))),
        created,
        created,
        row.pk,
    )


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('media', '0002_media_records'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
