"""Put rows for the lists that home pages used to end with on the home pages themselves, and into their drafts.

Each content type with pages had a list of its three newest items below the rows; the first list had a large item. The new rows
look the same, and editors can move, change and remove them.
"""

import json
import secrets
import uuid

from django.db import migrations

KIND = "item_list"
COUNT = 3
BATCH = 100
#: The rows' ids follow from the type, so that pages and drafts have the same ones, and they can be taken away again.
NAMESPACE = uuid.UUID("5a0f3c1e-8f0b-4f4e-9f39-6a2f1b7f6c11")


def add_lists(apps, schema_editor):
    def added(rows):
        present = {row.get("id") for row in rows}
        return [*rows, *(row for row in lists if row["id"] not in present)]

    alias = schema_editor.connection.alias
    lists = list(_lists(apps, alias))
    for page in _home_pages(apps, alias):
        _change(apps, alias, page, added)
        stored = apps.get_model("home", "Row").objects.using(alias)
        known = set(stored.filter(page_id=page.pk).values_list("block_id", flat=True))
        for position, row in enumerate(_rows_of(apps, alias, page)):
            if row in lists and uuid.UUID(row["id"]) not in known:
                slug = f"item-list-{secrets.token_hex(4)}"
                stored.create(page_id=page.pk, block_id=row["id"], kind=KIND, slug=slug, position=position, slots=[])


def remove_lists(apps, schema_editor):
    alias = schema_editor.connection.alias
    types = apps.get_model("content", "ContentType").objects.using(alias)
    ids = {_row_id(slug) for slug in types.values_list("slug", flat=True)}
    for page in _home_pages(apps, alias):
        _change(apps, alias, page, lambda rows: [row for row in rows if row.get("id") not in ids])
        apps.get_model("home", "Row").objects.using(alias).filter(page_id=page.pk, block_id__in=ids).delete()


def _row_id(slug):
    return str(uuid.uuid5(NAMESPACE, slug))


def _lists(apps, alias):
    """Yield a row for each type whose list may be shown now; that of the first type with items has a large item."""
    items = apps.get_model("content", "ContentItem").objects.using(alias)
    settings = apps.get_model("flags", "Setting").objects.using(alias)
    enabled = {key for key, value in settings.values_list("key", "value") if value is True}
    types = apps.get_model("content", "ContentType").objects.using(alias).filter(has_detail=True).order_by("name", "id")
    shown = [found for found in types if not found.feature or f"features.{found.feature}.enabled" in enabled]
    filled = [found for found in shown if items.filter(type_id=found.pk, status="published", owner_id=None).exists()]
    leading = (filled or shown)[:1]
    for found in shown:
        layout = "lead" if found in leading else "columns"
        value = {"heading": "", "type": found.slug, "count": COUNT, "layout": layout, "link": True}
        yield {"type": KIND, "value": value, "id": _row_id(found.slug)}


def _home_pages(apps, alias):
    return apps.get_model("home", "HomePage").objects.using(alias).select_for_update()


def _rows_of(apps, alias, page):
    """Return the rows of a page as they are stored; a column that was filled by hand may hold text."""
    rows = apps.get_model("home", "HomePage").objects.using(alias).values_list("rows", flat=True).get(pk=page.pk)
    return (json.loads(rows) if rows else []) if isinstance(rows, str) else rows


def _change(apps, alias, page, change):
    """Change the rows of a page, of its drafts and of its history, and invalidate the page where it is cached."""
    apps.get_model("home", "HomePage").objects.using(alias).filter(pk=page.pk).update(rows=change(_rows_of(apps, alias, page)))
    revisions = apps.get_model("wagtailcore", "Revision").objects.using(alias)
    own = revisions.filter(base_content_type__app_label="wagtailcore", base_content_type__model="page", object_id=str(page.pk))
    keys = list(own.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), BATCH):
        batch = list(own.filter(pk__in=keys[start : start + BATCH]))
        for revision in batch:
            rows = json.loads(revision.content.get("rows") or "[]")
            revision.content["rows"] = json.dumps(change(rows))
        revisions.bulk_update(batch, ["content"])
    for model, name in (("Tag", f"page:{page.pk}"), ("Version", "home.pages")):
        versions = apps.get_model("core", model).objects.using(alias)
        versions.update_or_create(name=name, defaults={"value": secrets.randbits(62) + 1})


class Migration(migrations.Migration):
    dependencies = [
        ("home", "0008_reword_texts"),
        ("content", "0005_cached_json"),
        ("core", "0005_leases"),
        ("flags", "0001_initial"),
        ("wagtailcore", "0098_apitoken"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(add_lists, remove_lists, elidable=True)]
