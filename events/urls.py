"""Public pages of content types that have dates, in the place of those of the content module, and of the events themselves."""

from django.urls import path, register_converter

from cms_api.content.selectors import find_type
from cms_api.content.urls import TypeConverter

from .views import details, lists


class DatedTypeConverter(TypeConverter):
    """The slug of a content type that visitors may see and that has a date; the pages of others are left to `content`."""

    def to_python(self, value: str) -> str:
        found = find_type(value)
        if found is None or found.date_field is None:
            raise ValueError(value)
        return value


register_converter(DatedTypeConverter, "dated")

#: Without names: they are the addresses of the content module's, and `reverse` makes these.
urlpatterns = [
    path("<dated:type_slug>", lists.item_list),
    path("<dated:type_slug>/", lists.item_list),
    path("<dated:type_slug>/<slug:slug>", details.item_detail),
    path("<dated:type_slug>/<slug:slug>/", details.item_detail),
    path("<dated:type_slug>/<slug:taxonomy>/<slug:term>", lists.term_archive),
    path("<dated:type_slug>/<slug:taxonomy>/<slug:term>/", lists.term_archive),
]
