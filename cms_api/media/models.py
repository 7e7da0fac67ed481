"""Wagtail's image and document models as kinds of one media record, so that ids are unique across the whole library."""

from contextlib import suppress
from typing import Any, ClassVar

from django.db import models
from django.db.models import F
from django.utils import timezone
from wagtail.documents.models import AbstractDocument, DocumentQuerySet
from wagtail.images.models import AbstractImage, AbstractRendition, ImageQuerySet
from wagtail.images.models import Image as WagtailImage
from wagtail.search import index

from cms_api.core.not_found import NotFound

from .types import MAX_ALT, MAX_CAPTION, MAX_NAME, Kind


def dated_folder() -> str:
    """Return the folder of a file uploaded now, below the media root: `media/YYYY/MM`."""
    return timezone.now().strftime("media/%Y/%m")


class Category(models.Model):
    """A category of media."""

    name = models.CharField(max_length=100)
    slug = models.SlugField(max_length=100, unique=True)

    class Meta:
        ordering = ["name", "id"]
        verbose_name_plural = "categories"

    def __str__(self) -> str:
        return self.name


class MediaQuerySet(models.QuerySet):
    """Deletes through the service, so that every caller cleans up references."""

    def delete(self) -> tuple[int, dict[str, int]]:
        from .services.library import delete_media

        records: list[Any] = list(self.order_by("pk"))
        count = 0
        for record in records:
            # If somebody else has deleted it meanwhile, the others are deleted all the same.
            with suppress(NotFound):
                delete_media(media=record)
                count += 1
        return count, {self.model._meta.label: count}


class MediaImageQuerySet(MediaQuerySet, ImageQuerySet):
    pass


class MediaFileQuerySet(MediaQuerySet, DocumentQuerySet):
    pass


class Media(models.Model):
    """The common columns of images and files. Written by `services` alone; saving or deleting a model calls them."""

    kind = models.CharField(
        max_length=5, choices=[(kind.value, kind.value) for kind in Kind], default=Kind.FILE.value, editable=False
    )
    #: The original name at upload; the stored file is named by `path`.
    name = models.CharField(max_length=MAX_NAME, default="", editable=False)
    #: Below the media root; unique.
    path = models.CharField(max_length=255, null=True, unique=True, editable=False)
    mime_type = models.CharField(max_length=100, default="", editable=False)
    size = models.BigIntegerField(default=0, editable=False)
    animated = models.BooleanField(default=False, editable=False)
    alt = models.CharField("alternative text", max_length=MAX_ALT, blank=True, default="")
    caption = models.CharField(max_length=MAX_CAPTION, blank=True, default="")
    category = models.ForeignKey(Category, null=True, blank=True, on_delete=models.SET_NULL, related_name="media", db_index=False)
    #: Name, alternative text and caption, normalized as searches are.
    search_text = models.TextField(default="", editable=False)
    # Not `created_at`, which Wagtail's models define themselves.
    added_at = models.DateTimeField(auto_now_add=True)
    #: Moves with each write; the URL's `?v=` is derived from it.
    updated_at = models.DateTimeField(auto_now=True)

    objects = MediaQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        verbose_name_plural = "media"
        indexes = [
            models.Index(F("added_at").desc(), F("id").desc(), name="media_added"),
            models.Index("kind", F("added_at").desc(), F("id").desc(), name="media_kind_added"),
            models.Index("category", F("added_at").desc(), F("id").desc(), name="media_category_added"),
            models.Index("updated_at", "id", name="media_updated"),
            models.Index("name", "id", name="media_named"),
            models.Index("size", "id", name="media_sized"),
        ]

    def __str__(self) -> str:
        return f"Media {self.pk}"

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        from .services.library import delete_media

        delete_media(media=self)
        return 1, {self._meta.label: 1}


class Stored(models.Model):
    """The Wagtail side of an image or file: saving one, even from Wagtail's forms, goes through the services."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        from .services.records import save

        write = super().save
        if kwargs.get("update_fields") is not None:
            write(*args, **kwargs)
        else:
            save(self, lambda: write(*args, **kwargs))

    def delete_row(self) -> None:
        """Delete only the row, and with it the file. For the service."""
        models.Model.delete(self)


class MediaImage(Stored, AbstractImage, Media):  # type: ignore[django-manager-missing]
    admin_form_fields = (*WagtailImage.admin_form_fields, "alt", "caption", "category")

    objects: ClassVar[Any] = MediaImageQuerySet.as_manager()
    #: Wagtail's entry for tags, which this one replaces, lets nobody search among the images of a tag, as its chooser does.
    search_fields: ClassVar[list[Any]] = [
        *AbstractImage.search_fields,
        index.RelatedFields(
            "tags", [index.SearchField("name", boost=10), index.AutocompleteField("name"), index.FilterField("name")]
        ),
    ]

    class Meta(AbstractImage.Meta):
        verbose_name = "image"
        verbose_name_plural = "images"
        permissions = [("choose_image", "Can choose image")]

    def get_upload_to(self, filename: str) -> str:
        return self.path or f"{dated_folder()}/{super().get_upload_to(filename).rpartition('/')[2]}"

    def generate_rendition_file(self, filter: Any, *, source: Any = None) -> Any:
        """Draw a rendition, few at once on this host: page views draw what is missing. Raises Busy."""
        from .services import capacity

        with capacity.slot("renditions"):
            return super().generate_rendition_file(filter, source=source)

    def create_rendition(self, filter: Any) -> "Rendition":
        """Create a rendition as Wagtail does, but close the temporary file that it is rendered to."""
        key = filter.get_cache_key(self)
        with self.generate_rendition_file(filter) as drawn:
            made, _ = self.renditions.get_or_create(filter_spec=filter.spec, focal_point_key=key, defaults={"file": drawn})
        return made


class Rendition(AbstractRendition):
    image = models.ForeignKey(MediaImage, on_delete=models.CASCADE, related_name="renditions")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("image", "filter_spec", "focal_point_key"), name="unique_rendition"),
        ]
        indexes = [models.Index("file", name="rendition_of_file")]

    def get_upload_to(self, filename: str) -> str:
        """Name the file after the image's version, so that browsers never show a cached earlier one.

        The name is short enough for the column even with the suffix that a storage adds to a taken name.
        """
        from .selectors import address_version

        folder = self.image.file.name.rpartition("/")[0].replace("media/", "media/variants/", 1)
        name, _, extension = filename.rpartition(".")
        return f"{folder}/{name}.{address_version(self.image.pk, self.image.updated_at)[:6]}.{extension}"


def file_path(instance: "MediaFile", filename: str) -> str:
    return instance.path or f"{dated_folder()}/{filename}"


class MediaFile(Stored, AbstractDocument, Media):
    file = models.FileField(upload_to=file_path, verbose_name="file")
    #: For videos, if the header gives it.
    width = models.PositiveIntegerField(null=True, editable=False)
    height = models.PositiveIntegerField(null=True, editable=False)

    admin_form_fields = ("title", "file", "collection", "tags", "category")

    objects: ClassVar[Any] = MediaFileQuerySet.as_manager()

    class Meta(AbstractDocument.Meta):
        verbose_name = "file"
        verbose_name_plural = "files"
        permissions = [("choose_document", "Can choose document")]
