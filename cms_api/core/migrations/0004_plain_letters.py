"""Add the words of the search index that are new: plain Latin letters for ł or ø, and pairs of Chinese, Japanese or Thai letters."""

from django.db import migrations

from cms_api.core.search import unique_words

ENTRIES = "wagtailsearch_indexentry"
#: Entries that are read at once.
BATCH = 1000
READ = {
    "sqlite": f"SELECT id, autocomplete FROM {ENTRIES} WHERE id > %s ORDER BY id LIMIT {BATCH}",
    "postgresql": (
        f"SELECT id, array_to_string(tsvector_to_array(autocomplete), ' ') FROM {ENTRIES} WHERE id > %s ORDER BY id LIMIT {BATCH}"
    ),
}
WRITE = {
    "sqlite": f"UPDATE {ENTRIES} SET autocomplete = autocomplete || ' ' || %s WHERE id = %s",
    "postgresql": f"UPDATE {ENTRIES} SET autocomplete = autocomplete || to_tsvector('simple', %s) WHERE id = %s",
}


def add_words(apps, schema_editor):
    """Entries hold the words that records had: the same function makes the new ones of them. Triggers maintain SQLite's index."""
    connection, last = schema_editor.connection, 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(READ[connection.vendor], [last])
            rows = cursor.fetchall()
            for key, text in rows:
                known = set((text or "").split())
                if added := [word for word in unique_words(text or "") if word not in known]:
                    cursor.execute(WRITE[connection.vendor], [" ".join(added), key])
        if not rows:
            return
        last = rows[-1][0]


class Migration(migrations.Migration):

    dependencies = [("core", "0003_sent_forms")]

    operations = [migrations.RunPython(add_words, migrations.RunPython.noop)]
