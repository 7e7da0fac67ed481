"""Pictures of records: of those with one, and of those with several in an order."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.urls import reverse

from cms_api.core import versions
from cms_api.media.types import Reference, StoredFile


@dataclass(frozen=True)
class ImageUsage:
    """Media usage by models whose records have a picture, `image`; see `media.types.MediaUsage`."""

    #: The models, each with the name of the URL at which its records are edited.
    edited_at: Mapping[type[Model], str]
    #: The version that changes with the records.
    version: str

    def references(self, media: StoredFile) -> list[Reference]:
        return [
            Reference(str(record), reverse(name, args=[record.pk]), "Picture")
            for model, name in self.edited_at.items()
            for record in _using(model, media).order_by("pk")
        ]

    def clear(self, media: StoredFile) -> None:
        """Remove the file from records. The caller's transaction has locked the file's row."""
        if sum(_using(model, media).update(image=None) for model in self.edited_at):
            versions.bump(self.version)

    def refresh(self, media_ids: Collection[int]) -> None:
        """Pages that show a picture depend on its own tag."""


def _using(model: type[Model], media: StoredFile) -> Any:
    return model._default_manager.filter(image=media.pk)


def write_pictures(stored: Any, ids: Sequence[int]) -> None:
    """Let the pictures of a locked record, its related manager, be these images of the library, in this order."""
    stored.exclude(media__in=ids).delete()
    positions = dict(stored.values_list("media", "position"))
    for position, media_id in enumerate(ids):
        if media_id not in positions:
            stored.create(media_id=media_id, position=position)
        elif positions[media_id] != position:
            stored.filter(media=media_id).update(position=position)
