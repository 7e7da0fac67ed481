"""Content types, their vocabularies, and items with revisions and drafts.

An item's `data` is the source of truth. Terms, links, dates, search entry and cached JSON are derived from it on each write,
in the same transaction, so that reads do none of this work.
"""

from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.functional import cached_property
from wagtail.models import DraftStateMixin, PreviewableMixin, RevisionMixin
from wagtail.search import index

from cms_api.fields import FIELD_TYPES, Field, parse_fields
from cms_api.text.search import unique_words

from .types import Status


class ContentType(models.Model):
    """A kind of item: a user-defined schema, and the layout of its pages."""

    slug = models.SlugField(max_length=50, unique=True)
    name = models.CharField(max_length=100)
    name_plural = models.CharField(max_length=100)
    description = models.TextField(blank=True, default="")
    icon = models.CharField(max_length=50, blank=True, default="doc-full")
    is_system = models.BooleanField(default=False, editable=False)
    #: The feature that the type belongs to; while it is off, the type does not exist for anyone.
    feature = models.CharField(max_length=50, blank=True, default="", editable=False)
    schema_type = models.CharField("schema.org type", max_length=50, blank=True, default="")
    has_detail = models.BooleanField("has detail pages", default=True)
    excerpt_enabled = models.BooleanField("items have an excerpt", default=True)
    comments_enabled = models.BooleanField("items take comments", default=False)
    index_layout = models.CharField("list layout", max_length=50, default="content-list")
    detail_layout = models.CharField(max_length=50, default="content-detail")
    #: Field definitions as the API shows them; see `cms_api.fields.Field.as_dict`.
    fields = models.JSONField(default=list)
    #: Incremented on every change to the type, its fields or its terms that affects items.
    epoch = models.PositiveBigIntegerField(default=1, editable=False)
    #: Items that were created until then are known to feeds and calendars by their number alone; see `external_number`.
    numbered_until = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "content type"
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name

    def external_number(self, number: int, created_at: datetime) -> str:
        """Return the number by which feeds and calendars know an item, with the moment of its creation.

        After a backup is restored, the next item gets the number of a lost one, and would be taken for it.
        """
        if self.numbered_until is not None and created_at <= self.numbered_until:
            return str(number)
        return f"{number}-{round(created_at.timestamp() * 1_000_000):x}"

    @cached_property
    def schema(self) -> tuple[Field, ...]:
        return parse_fields(self.fields)

    @cached_property
    def taxonomies(self) -> tuple[Field, ...]:
        return tuple(field for field in self.schema if field.type == "taxonomy")

    @cached_property
    def relations(self) -> tuple[Field, ...]:
        return tuple(field for field in self.schema if field.type == "relation")

    @cached_property
    def title_field(self) -> Field | None:
        """The field that provides the title of items: the first text field."""
        return next((field for field in self.schema if field.type == "text"), None)

    @cached_property
    def date_field(self) -> Field | None:
        """The datetime field that decides whether items are upcoming or past: the one marked as a facet, else the first."""
        dates = [field for field in self.schema if field.type == "datetime"]
        return next((field for field in dates if field.facet), dates[0] if dates else None)


class Term(models.Model):
    """A term of a type's vocabulary, such as a category."""

    type = models.ForeignKey(ContentType, on_delete=models.CASCADE, related_name="terms")
    taxonomy = models.CharField(max_length=50)
    name = models.CharField(max_length=100)
    slug = models.SlugField(max_length=100)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children")
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position", "name", "id"]
        constraints = [models.UniqueConstraint(fields=["type", "taxonomy", "slug"], name="term_slug_once")]

    def __str__(self) -> str:
        return self.name


class ContentItem(PreviewableMixin, DraftStateMixin, RevisionMixin, index.Indexed, models.Model):
    """A record of a content type. Only `services` may write it."""

    type = models.ForeignKey(ContentType, on_delete=models.PROTECT, related_name="items", db_index=False)
    owner = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="owned", editable=False, db_index=False
    )
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.DRAFT, editable=False)
    title = models.CharField(max_length=255, editable=False)
    slug = models.CharField(max_length=255, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    #: Sort key of the default order: the publication date, or for unpublished items the time of the last change.
    listed_at = models.DateTimeField(editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)
    #: The UTC span of the type's date field, if it has one.
    starts_at = models.DateTimeField(null=True, editable=False)
    ends_at = models.DateTimeField(null=True, editable=False)
    #: The end of a repeating item's last date; for other items their own end.
    lasts_until = models.DateTimeField(null=True, editable=False)
    #: Whether the span is too long for a calendar to find it by its start; see `types.LONG`.
    is_long = models.BooleanField(default=False, db_default=False, editable=False)
    featured_media = models.ForeignKey("media.Media", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    meta_title = models.CharField(max_length=255, null=True, blank=True)
    meta_description = models.CharField(max_length=500, null=True, blank=True)
    excerpt = models.TextField(null=True, blank=True)
    #: Cleaned field values by key; taxonomy and relation fields hold ids.
    data = models.JSONField(default=dict, editable=False)
    #: The type's epoch when `cached_json` was made, which is stale under any other; or `types.MADE_WHEN_READ`.
    cached_epoch = models.PositiveBigIntegerField(default=0, editable=False)
    #: The item as JSON of the API; see `resources.records.serialize_item`.
    cached_json = models.BinaryField(default=b"", editable=False)

    search_auto_update = False
    search_fields: ClassVar[list[Any]] = [
        index.SearchField("title"),
        index.AutocompleteField("search_text"),
        index.FilterField("type_id"),
        index.FilterField("status"),
        index.FilterField("owner_id"),
    ]

    class Meta:
        verbose_name = "content item"
        ordering = ["-listed_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["type", "slug"], name="item_slug_once")]
        indexes = [
            models.Index("type", "status", F("listed_at").desc(), F("id").desc(), name="item_listed", condition=Q(owner=None)),
            models.Index("status", F("listed_at").desc(), F("id").desc(), name="item_listed_all", condition=Q(owner=None)),
            models.Index("type", "status", "created_at", "id", name="item_created", condition=Q(owner=None)),
            models.Index("type", "status", "updated_at", "id", name="item_updated", condition=Q(owner=None)),
            models.Index("type", "status", "title", "id", name="item_titled", condition=Q(owner=None)),
            models.Index("type", "starts_at", name="item_dated", condition=Q(starts_at__isnull=False)),
            models.Index("type", "starts_at", name="item_long", condition=Q(is_long=True)),
            models.Index(
                "type", "status", "lasts_until", name="item_lasting", condition=Q(owner=None, lasts_until__isnull=False)
            ),
            models.Index("owner", "ends_at", name="item_owned_dated", condition=Q(owner__isnull=False)),
            models.Index("published_at", name="item_due", condition=Q(status="scheduled")),
            models.Index("type", "cached_epoch", name="item_cached_epoch"),
        ]

    def __str__(self) -> str:
        return self.title

    def search_text(self) -> str:
        """Return the distinct words of the title, the excerpt and the text fields, folded like search queries."""
        texts = [self.title, self.excerpt or ""]
        for field in self.type.schema:
            value = self.data.get(field.key)
            if value is not None:
                texts.append(FIELD_TYPES[field.type].search_text(field, value))
        return " ".join(unique_words(" ".join(texts)))

    @property
    def url(self) -> str:
        """Return the absolute URL of the detail page, or an empty string if the type has none."""
        return f"{settings.BASE_URL}/{self.type.slug}/{self.slug}" if self.type.has_detail else ""

    def serializable_data(self) -> dict[str, Any]:
        """Return the content for a revision, without the item's status or derived values."""
        return {
            "pk": self.pk,
            "title": self.title,
            "slug": self.slug,
            "published_at": self.published_at.isoformat() if self.published_at else None,
            "featured_media": self.featured_media_id,
            "meta_title": self.meta_title,
            "meta_description": self.meta_description,
            "excerpt": self.excerpt,
            "data": self.data,
        }

    def with_content_json(self, content: dict[str, Any]) -> "ContentItem":
        """Return the item with a revision's content, but its current status."""
        item: ContentItem = super().with_content_json(content)
        for kept in (
            "type",
            "owner_id",
            "status",
            "listed_at",
            "created_at",
            "updated_at",
            "starts_at",
            "ends_at",
            "lasts_until",
            "is_long",
        ):
            setattr(item, kept, getattr(self, kept))
        return item

    def publish(self, revision: Any, user: Any = None, **_: Any) -> None:
        """Publish through the service, for Wagtail's buttons and tasks."""
        from .services.items import publish_revision

        publish_revision(item=self, revision=revision, user=user)

    def unpublish(self, set_expired: bool = False, commit: bool = True, user: Any = None, log_action: Any = True) -> None:
        from .services.items import unpublish_item

        unpublish_item(item=self, user=user)

    def get_preview_template(self, request: Any, mode_name: str) -> str:
        from .views import detail_template

        return detail_template(self.type)

    def get_preview_context(self, request: Any, mode_name: str) -> dict[str, Any]:
        from .views import detail_context

        return detail_context(self, request)


class ItemTerm(models.Model):
    """A term of an item, derived from its data.

    Status and date are copied from the item, so that the newest items of a term are found without reading others.
    """

    item = models.ForeignKey(ContentItem, on_delete=models.CASCADE, related_name="item_terms", db_index=False)
    term = models.ForeignKey(Term, on_delete=models.CASCADE, related_name="item_terms", db_index=False)
    position = models.PositiveIntegerField(default=0)
    status = models.CharField(max_length=12)
    listed_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["item", "term"], name="item_term_once")]
        indexes = [models.Index("term", "status", F("listed_at").desc(), F("item").desc(), name="term_listed")]

    def __str__(self) -> str:
        return f"{self.item_id}:{self.term_id}"


class ItemLink(models.Model):
    """A link from one item to another through a relation field, derived from its data."""

    source = models.ForeignKey(ContentItem, on_delete=models.CASCADE, related_name="links_out")
    target = models.ForeignKey(ContentItem, on_delete=models.CASCADE, related_name="links_in")

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["source", "target"], name="item_link_once")]

    def __str__(self) -> str:
        return f"{self.source_id}->{self.target_id}"


class ItemUnique(models.Model):
    """The value of a unique field, of which a type has at most one item; the constraint settles races."""

    item = models.ForeignKey(ContentItem, on_delete=models.CASCADE, related_name="+")
    type = models.ForeignKey(ContentType, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=50)
    digest = models.CharField(max_length=64)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["type", "key", "digest"], name="item_value_once")]

    def __str__(self) -> str:
        return f"{self.item_id}:{self.key}"


class Tally(models.Model):
    """The number of items of a type per status, updated on every write, so that lists need not count them."""

    type = models.ForeignKey(ContentType, on_delete=models.CASCADE, related_name="tallies")
    status = models.CharField(max_length=12)
    owned = models.BooleanField()
    total = models.BigIntegerField(default=0)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["type", "status", "owned"], name="tally_once")]

    def __str__(self) -> str:
        return f"{self.type_id} {self.status}: {self.total}"
