"""Shared rows, the index of all rows, and images set by integrations."""

from typing import Any

from django.db import models
from django.db.models import Q
from wagtail.admin.panels import FieldPanel
from wagtail.models import Page

from .blocks import plain_rows
from .fields import RowsField
from .forms import RowsForm


class SharedRow(models.Model):
    """A row that several pages embed."""

    name = models.CharField(max_length=100)
    rows: Any = RowsField(plain_rows, min_num=1, max_num=1, verbose_name="row")

    base_form_class = RowsForm
    panels = [FieldPanel("name"), FieldPanel("rows")]

    class Meta:
        verbose_name = "shared row"
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: object, **kwargs: object) -> None:
        from ..services.rows import save_shared_row

        save_shared_row(self, lambda: super(SharedRow, self).save(*args, **kwargs))  # type: ignore[arg-type]

    def delete(self, *args: object, **kwargs: object) -> tuple[int, dict[str, int]]:
        from ..services.rows import delete_shared_row

        return delete_shared_row(self, lambda: super(SharedRow, self).delete(*args, **kwargs))  # type: ignore[arg-type]


class Row(models.Model):
    """A row of a page or of a shared row, identified by the id of its block, which never changes.

    Created when its page is saved. A row removed from the page retains its slug and images, as it may be put back.
    """

    page = models.ForeignKey(Page, null=True, on_delete=models.CASCADE, related_name="page_rows")
    shared_row = models.ForeignKey(SharedRow, null=True, on_delete=models.CASCADE, related_name="own_rows")
    block_id = models.UUIDField()
    kind = models.CharField(max_length=50)
    slug = models.CharField(max_length=60, unique=True)
    #: Its position on the page; null while it is not on the page.
    position = models.PositiveIntegerField(null=True)
    #: The shared row that it embeds, if any.
    embeds = models.ForeignKey(SharedRow, null=True, on_delete=models.SET_NULL, related_name="uses")
    #: Its slots: dicts of key, label, default, recommended, alt_key, and the editor's choice (media_id, alt).
    slots = models.JSONField(default=list)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["page", "block_id"], name="page_row_once"),
            models.UniqueConstraint(fields=["shared_row", "block_id"], name="shared_row_once"),
            models.CheckConstraint(condition=Q(page=None) ^ Q(shared_row=None), name="row_has_one_holder"),
        ]
        indexes = [models.Index("page", "position", name="row_on_page", condition=Q(position__isnull=False))]

    def __str__(self) -> str:
        return self.slug


class PageImage(models.Model):
    """The image or alternative text that an integration has set for a slot of a row."""

    row = models.ForeignKey(Row, on_delete=models.CASCADE, related_name="images", db_index=False)
    key = models.CharField(max_length=60)
    #: None: the row's own image with another alternative text.
    media = models.ForeignKey("media.MediaImage", null=True, on_delete=models.CASCADE, related_name="page_images")
    alt = models.CharField(max_length=255, null=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["row", "key"], name="page_image_once")]

    def __str__(self) -> str:
        return f"{self.row_id}:{self.key}"
