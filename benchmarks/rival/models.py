"""An article as a Wagtail page, with a category snippet and a featured image."""

from django.db import models
from wagtail.admin.panels import FieldPanel
from wagtail.api import APIField
from wagtail.fields import RichTextField
from wagtail.images.api.fields import ImageRenditionField
from wagtail.models import Page
from wagtail.search import index
from wagtail.snippets.models import register_snippet

#: The rendition that the API shows of a featured image.
RENDITION = "fill-320x200"


@register_snippet
class Category(models.Model):
    name = models.CharField(max_length=255)
    slug = models.SlugField(unique=True)

    api_fields = [APIField("name"), APIField("slug")]

    def __str__(self) -> str:
        return self.name


class ArticlePage(Page):
    excerpt = models.CharField(max_length=255, blank=True)
    body = RichTextField(blank=True)
    category = models.ForeignKey(Category, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    featured_image = models.ForeignKey("wagtailimages.Image", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    event_start = models.DateTimeField(null=True, blank=True)
    event_end = models.DateTimeField(null=True, blank=True)

    content_panels = [
        *Page.content_panels,
        FieldPanel("excerpt"),
        FieldPanel("body"),
        FieldPanel("category"),
        FieldPanel("featured_image"),
        FieldPanel("event_start"),
        FieldPanel("event_end"),
    ]
    search_fields = [
        *Page.search_fields,
        index.SearchField("excerpt"),
        index.SearchField("body"),
        index.FilterField("category"),
    ]
    api_fields = [
        APIField("excerpt", writable=True),
        APIField("body", writable=True),
        APIField("category", writable=True),
        APIField("featured_image", writable=True),
        APIField("featured_image_rendition", serializer=ImageRenditionField(RENDITION, source="featured_image")),
        APIField("event_start", writable=True),
        APIField("event_end", writable=True),
    ]
