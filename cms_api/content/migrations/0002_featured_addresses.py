"""Mark cached JSON that contains old URLs of featured pictures as stale, a few hundred items at a time."""

from django.db import migrations

BATCH = 1000


def renew(apps, schema_editor):
    items = apps.get_model('content', 'ContentItem').objects.using(schema_editor.connection.alias)
    last = 0
    while True:
        featuring = items.filter(pk__gt=last, featured_media__isnull=False).order_by('pk')
        ids = list(featuring.values_list('pk', flat=True)[:BATCH])
        if not ids:
            return
        last = ids[-1]
        items.filter(pk__in=ids).update(prepared_for=0)


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('content', '0001_initial'),
        ('media', '0003_fill_media_records'),
    ]

    operations = [
        migrations.RunPython(renew, migrations.RunPython.noop, elidable=True),
    ]
