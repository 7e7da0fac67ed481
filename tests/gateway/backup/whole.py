"""Prints the records of a site as JSON, and what is not whole: `python -m tests.gateway.backup.whole`."""

import hashlib
import json

import django


def problems() -> list[str]:
    from django.contrib.contenttypes.models import ContentType as Kind
    from django.db import connection
    from wagtail.models import Revision
    from wagtail.search.models import IndexEntry

    from cms_api.content.models import ContentItem
    from cms_api.media.models import MediaImage
    from cms_api.webhooks.models import Delivery, OutboxEvent

    found = []
    kind = Kind.objects.get_for_model(ContentItem)
    revisions = set(Revision.objects.filter(base_content_type=kind).values_list("object_id", flat=True))
    searchable = set(IndexEntry.objects.filter(content_type=kind).values_list("object_id", flat=True))
    payloads = OutboxEvent.objects.filter(kind="content_item.created").values_list("payload", flat=True)
    emitted = {json.loads(bytes(payload))["id"] for payload in payloads}
    media = set(MediaImage.objects.values_list("pk", flat=True))
    for item in ContentItem.objects.all():
        found += [f"item {item.pk} has no revision"] * (str(item.pk) not in revisions)
        found += [f"item {item.pk} cannot be found"] * (str(item.pk) not in searchable)
        found += [f"item {item.pk} has no event"] * (item.pk not in emitted)
        found += [f"item {item.pk} shows a picture that is gone"] * (item.featured_media_id not in {None, *media})
    for event in OutboxEvent.objects.filter(deliveries=None):
        found.append(f"event {event.pk} has no delivery")
    found += [f"delivery {pk} is due" for pk in Delivery.objects.filter(status="pending").values_list("pk", flat=True)]
    for image in MediaImage.objects.prefetch_related("renditions"):
        with image.file.open() as content:
            if hashlib.sha1(content.read()).hexdigest() != image.file_hash:
                found.append(f"the file of picture {image.pk} is another")
        for each in image.renditions.all():
            found += [f"picture {image.pk} lacks a variant"] * (not each.file.storage.exists(each.file.name))
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA integrity_check")
            found += [row[0] for row in cursor.fetchall() if row[0] != "ok"]
    connection.check_constraints()
    return found


def main() -> None:
    from cms_api.content.models import ContentItem
    from cms_api.media.models import MediaImage

    items = dict(ContentItem.objects.values_list("pk", "title"))
    pictures = dict.fromkeys(MediaImage.objects.values_list("pk", flat=True), "picture")
    print(json.dumps({"items": items, "pictures": pictures, "problems": problems()}))


if __name__ == "__main__":
    django.setup()
    main()
