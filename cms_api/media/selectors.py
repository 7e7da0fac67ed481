"""Reads of the media library."""

from collections.abc import Iterable
from urllib.parse import quote

from django.conf import settings

from .models import MediaImage


def image_paths(ids: Iterable[int]) -> dict[int, str]:
    """Site-relative addresses (`/media/media/2026/03/x.jpg`) of the images among the given media ids, by id."""
    wanted = {media_id for media_id in ids if media_id}
    if not wanted:
        return {}
    rows = MediaImage.objects.filter(pk__in=wanted).values_list("pk", "file")
    return {media_id: settings.MEDIA_URL + quote(name) for media_id, name in rows}


def image_exists(media_id: int) -> bool:
    return MediaImage.objects.filter(pk=media_id).exists()
