"""Content types, their vocabularies, and items with revisions and drafts.

An item's `data` is the truth; terms, links, dates, search entry and the prepared representation are made from it with each
write, in the same transaction, so that reading needs none of the work again.
"""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.functional import cached_property
from wagtail.models import DraftStateMixin, PreviewableMixin, RevisionMixin
from wagtail.search import index

from cms_api.fields import FIELD_TYPES, Field, parse_fields
from cms_api.media.models import Media
from cms_api.text.search import unique_words

from .types import Status


class ContentType(models.Model):
    """A kind of item: a schema that people edit, and how its pages look."""

    slug = models.SlugField(max_length=50, unique=True)
    name = models.CharField(max_length=100)
    name_plural = models.CharField(max_length=100)
    description = models.TextField(blank=True, default="")
    icon = models.CharField(max_length=50, blank=True, default="doc-full")
    is_system = models.BooleanField(default=False, editable=False)
    #: The feature without which the type does not exist for anybody.
    feature = models.CharField(max_length=50, blank=True, default="", editable=False)
    schema_type = models.CharField("schema.org type", max_length=50, blank=True, default="")
    has_detail = models.BooleanField("has detail pages", default=True)
    excerpt_enabled = models.BooleanField("items have an excerpt", default=True)
    comments_enabled = models.BooleanField("items take comments", default=False)
    index_layout = models.CharField("list layout", max_length=50, default="content-list")
    detail_layout = models.CharField(max_length=50, default="content-detail")
    #: Field definitions in the wire's own shape; see `core.fields.Field.as_dict`.
    fields = models.JSONField(default=list)
    #: Raised with every change that shows in items: a type's, a field's or a term's.
    epoch = models.PositiveBigIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "content type"
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name

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
        """The field that items take their title from: the first text field."""
        return next((field for field in self.schema if field.type == "text"), None)

    @cached_property
    def date_field(self) -> Field | None:
        """The datetime field by which items are upcoming or past: the one marked as a facet, else the first."""
        dates = [field for field in self.schema if field.type == "datetime"]
        return next((field for field in dates if field.facet), dates[0] if dates else None)


class Term(models.Model):
    """A word of a type's vocabulary, such as a category."""

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
    """One record of a content type. Written by `services` alone."""

    type = models.ForeignKey(ContentType, on_delete=models.PROTECT, related_name="items", db_index=False)
    owner = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="owned", editable=False, db_index=False
    )
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.DRAFT, editable=False)
    title = models.CharField(max_length=255, editable=False)
    slug = models.CharField(max_length=255, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    #: What the default order goes by: when it was published; for what is not, when it was changed.
    listed_at = models.DateTimeField(editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)
    #: The UTC span of the type's date field, where it has one.
    starts_at = models.DateTimeField(null=True, editable=False)
    ends_at = models.DateTimeField(null=True, editable=False)
    #: The end of the last date of an item that repeats; of others their own.
    lasts_until = models.DateTimeField(null=True, editable=False)
    #: Whether the span is so long that a calendar cannot find it by its start; see `types.LONG`.
    is_long = models.BooleanField(default=False, db_default=False, editable=False)
    featured_media = models.ForeignKey(Media, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    meta_title = models.CharField(max_length=255, null=True, blank=True)
    meta_description = models.CharField(max_length=500, null=True, blank=True)
    excerpt = models.TextField(null=True, blank=True)
    #: Cleaned field values by key; taxonomy and relation fields hold ids.
    data = models.JSONField(default=dict, editable=False)
    #: The type's epoch under which `prepared` was made; under another one it is out of date. Or `types.MADE_WHEN_READ`.
    prepared_for = models.PositiveBigIntegerField(default=0, editable=False)
    #: The item as the API shows it; see `resources.records.prepare`.
    prepared = models.BinaryField(default=b"", editable=False)

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
            models.Index("type", "prepared_for", name="item_prepared_for"),
        ]

    def __str__(self) -> str:
        return self.title

    def search_text(self) -> str:
        """Every different word of the title, the excerpt and the text fields, folded as searches are."""
        texts = [self.title, self.excerpt or ""]
        for field in self.type.schema:
            value = self.data.get(field.key)
            if value is not None:
                texts.append(FIELD_TYPES[field.type].search_text(field, value))
        return " ".join(unique_words(" ".join(texts)))

    @property
    def url(self) -> str:
        """The absolute address of the detail page; empty where the type has none."""
        return f"{settings.BASE_URL}/{self.type.slug}/{self.slug}" if self.type.has_detail else ""

    def serializable_data(self) -> dict[str, Any]:
        """What a revision keeps: the content, not where the item stands or what is derived from it."""
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
        """The item as a revision holds it; where it stands stays the item's own."""
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
        """Wagtail's buttons and tasks publish through the same service as everything else."""
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

        return detail_context(self)


class ItemTerm(models.Model):
    """That an item has a term; derived from its data.

    Status and date are the item's own, so that the newest items of a term are found without looking at the others.
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
    """That a relation field of one item points to another; derived from its data."""

    source = models.ForeignKey(ContentItem, on_delete=models.CASCADE, related_name="links_out")
    target = models.ForeignKey(ContentItem, on_delete=models.CASCADE, related_name="links_in")

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["source", "target"], name="item_link_once")]

    def __str__(self) -> str:
        return f"{self.source_id}->{self.target_id}"


class ItemUnique(models.Model):
    """The value of a field that no two items of a type may share; the constraint settles races."""

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
    """How many items a type has in a status; kept by every write, so that a list need not count them."""

    type = models.ForeignKey(ContentType, on_delete=models.CASCADE, related_name="tallies")
    status = models.CharField(max_length=12)
    owned = models.BooleanField()
    total = models.BigIntegerField(default=0)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["type", "status", "owned"], name="tally_once")]

    def __str__(self) -> str:
        return f"{self.type_id} {self.status}: {self.total}"
