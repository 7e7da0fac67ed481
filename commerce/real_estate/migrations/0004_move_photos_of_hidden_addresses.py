from django.db import migrations
from django.utils import timezone


def move_photos(apps, schema_editor):
    """Have copies stored anew whose names tell an address that may no longer be shown: they had the slug of that time."""
    model = apps.get_model("real_estate", "PropertyPhoto")
    copies = model.objects.filter(listing__shows_address=False, image__isnull=False).select_related("listing", "image")
    for photo in copies.iterator():
        if not photo.image.name.startswith(photo.listing.slug):
            model.objects.create(url=photo.url, image_id=photo.image_id, digest=photo.digest)
            model.objects.filter(pk=photo.pk).update(image=None, next_attempt_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [
        ("real_estate", "0003_rents_and_quarter_baths"),
        ("media", "0001_initial"),
    ]

    operations = [migrations.RunPython(move_photos, migrations.RunPython.noop, elidable=True)]
