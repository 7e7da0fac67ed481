"""Public pages and feeds of every content type under its slug."""

from django.urls import path, register_converter

from cms_api.core.identifiers import TYPE_SLUG_PATTERN

from . import views
from .feeds.syndication import atom, rss
from .selectors import find_type


class TypeConverter:
    """Matches the slug of a content type visible to visitors, leaving all other paths to other URL patterns."""

    regex = TYPE_SLUG_PATTERN

    def to_python(self, value: str) -> str:
        if find_type(value) is None:
            raise ValueError(value)
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(TypeConverter, "type")

urlpatterns = [
    path("feeds/<type:type_slug>.atom", atom, name="type_atom"),
    path("feeds/<type:type_slug>.rss", rss, name="type_rss"),
    path("feeds/<type:type_slug>/<slug:taxonomy>/<slug:term>.atom", atom, name="term_atom"),
    path("feeds/<type:type_slug>/<slug:taxonomy>/<slug:term>.rss", rss, name="term_rss"),
    path("<type:type_slug>", views.item_list, name="item_list"),
    path("<type:type_slug>/<slug:slug>", views.item_detail, name="item_detail"),
    path("<type:type_slug>/<slug:taxonomy>/<slug:term>", views.term_archive, name="term_archive"),
]
