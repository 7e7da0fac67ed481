"""Wagtail's image and document models as kinds of one media record, so that an id names one thing in the whole library."""

from django.db import models
from django.utils import timezone
from wagtail.documents.models import AbstractDocument
from wagtail.images.models import AbstractImage, AbstractRendition
from wagtail.images.models import Image as WagtailImage


def dated_folder() -> str:
    """`media/YYYY/MM`: where a file uploaded now belongs, below the media root."""
    return timezone.now().strftime("media/%Y/%m")


class Media(models.Model):
    """What pictures and files have in common: their id, and the text that goes with them."""

    alt = models.CharField("alternative text", max_length=255, blank=True, default="")
    caption = models.CharField(max_length=500, blank=True, default="")

    class Meta:
        default_permissions = ()
        verbose_name_plural = "media"

    def __str__(self) -> str:
        return f"Media {self.pk}"


class MediaImage(AbstractImage, Media):  # type: ignore[django-manager-missing]
    admin_form_fields = (*WagtailImage.admin_form_fields, "alt", "caption")

    class Meta(AbstractImage.Meta):
        verbose_name = "image"
        verbose_name_plural = "images"
        permissions = [("choose_image", "Can choose image")]

    def get_upload_to(self, filename: str) -> str:
        return f"{dated_folder()}/{super().get_upload_to(filename).rpartition('/')[2]}"


class Rendition(AbstractRendition):
    image = models.ForeignKey(MediaImage, on_delete=models.CASCADE, related_name="renditions")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("image", "filter_spec", "focal_point_key"), name="unique_rendition"),
        ]

    def get_upload_to(self, filename: str) -> str:
        folder = self.image.file.name.rpartition("/")[0].replace("media/", "media/variants/", 1)
        return f"{folder}/{filename}"


def file_path(instance: models.Model, filename: str) -> str:
    return f"{dated_folder()}/{filename}"


class MediaFile(AbstractDocument, Media):
    file = models.FileField(upload_to=file_path, verbose_name="file")

    admin_form_fields = ("title", "file", "collection", "tags")

    class Meta(AbstractDocument.Meta):
        verbose_name = "file"
        verbose_name_plural = "files"
        permissions = [("choose_document", "Can choose document")]
