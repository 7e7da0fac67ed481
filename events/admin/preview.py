"""Live preview below the date inputs in any item form: the rule as a sentence, the next dates, and the effect of saving.

Also available while the module's feature is off: dates of every content type may repeat. Nothing is written.
"""

from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.safestring import SafeString
from django.views import View
from django.views.decorators.cache import never_cache
from wagtail import hooks
from wagtail.admin.viewsets.base import ViewSet

from cms_api.content.admin.access import visible_items
from cms_api.content.admin.inputs.dates import DateTimeWidget
from cms_api.content.admin.panels import PREFIX
from cms_api.content.models import ContentItem, ContentType
from cms_api.content.selectors import find_type
from cms_api.content.types import Status
from cms_api.core.errors import Invalid
from cms_api.core.identifiers import read_id
from cms_api.core.not_found import found_or_404
from cms_api.fields import FIELD_TYPES, Context, Field
from cms_api.flags.selectors import site_timezone

from ..selectors.horizon import horizon
from ..selectors.preview import SHOWN_DATES, preview
from ..selectors.schedule import has_places
from ..types.phrases import count_sentence, difference_sentence, effect_sentences, format_count
from .dates import DatesView


def parts(value: Any, field: Field, item_type: ContentType, item: ContentItem | None) -> dict[str, Any]:
    """Return the template context for a submitted value, or for its errors."""
    repeats = isinstance(value, dict) and bool(value.get("repeat"))
    try:
        cleaned = FIELD_TYPES[field.type].clean(field, value, Context(timezone=site_timezone()))
    except Invalid as refusal:
        sentences = [sentence for found in refusal.errors.values() for sentence in found]
        return {"errors": list(dict.fromkeys(sentences)) if repeats or item else []}
    leading = item_type.date_field
    is_leading = leading is not None and leading.key == field.key
    found = preview(cleaned, item=item if is_leading else None, date_key=field.key, now=timezone.now(), horizon=horizon())
    difference, shown = found.difference, len(found.lines)
    scheduled_through = found.scheduled_through if is_leading else ""
    is_open = found.is_open and not found.is_capped
    is_public = item is None or item.status == Status.PUBLISHED
    return {
        "preview": found,
        "counts": count_sentence(total=found.total, to_come=found.to_come, is_open=is_open, scheduled_through=scheduled_through),
        "heading": f"The next {format_count(shown, 'date')}" if found.to_come > shown else "Upcoming dates",
        "leading": None if is_leading else leading,
        "when": "published" if item and item.live else "saved",
        "difference": difference_sentence(difference) if difference else "",
        "notified": effect_sentences(difference.effects, is_public=is_public) if difference else [],
        "effects": difference.effects[:SHOWN_DATES] if difference else (),
        "more_effects": max(len(difference.effects) - SHOWN_DATES, 0) if difference else 0,
    }


@hooks.register("below_datetime_input")
def preview_below(widget: DateTimeWidget, name: str, value: Any) -> SafeString | str:
    """Return the preview for the initial form; empty for fields outside of item forms."""
    field, item_type = widget.field, widget.item_type
    if field is None or item_type is None or name != PREFIX + field.key:
        return ""
    # Drafts are excluded: their dates are not materialized.
    item = visible_items().defer("cached_json").filter(pk=widget.item.pk).first() if widget.item and widget.item.pk else None
    is_leading = item_type.date_field is not None and item_type.date_field.key == field.key
    about = {
        "url": reverse("event_dates:preview"),
        "name": name,
        "type": item_type.slug,
        "item": item.pk if item else "",
        "dates_url": reverse("event_dates:dates", args=[item.pk]) if item and is_leading and item.starts_at else "",
        "has_places": has_places(item_type),
    }
    return render_to_string("events_admin/date_preview.html", {**parts(value, field, item_type, item), **about})


@method_decorator(never_cache, name="dispatch")
class PreviewView(View):
    """A preview of the submitted inputs. Query parameters: the date's parts, and the widget's `name`, `type` and `item`."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponse:
        item_type, field = self._field(request)
        item = self._item(request, item_type)
        needed = ("content.change_contentitem",) if item else ("content.add_contentitem", "content.change_contentitem")
        if not any(request.user.has_perm(permission) for permission in needed):
            raise PermissionDenied
        name = PREFIX + field.key
        widget = DateTimeWidget()
        value = widget.value_from_datadict(request.POST, request.FILES, name)
        is_waiting = value is None and bool(widget.read(request.POST, name)["frequency"])
        found = {**parts(value, field, item_type, item), "is_waiting": is_waiting}
        return HttpResponse(render_to_string("events_admin/date_preview_parts.html", found))

    def _field(self, request: HttpRequest) -> tuple[ContentType, Field]:
        item_type = found_or_404(find_type(request.POST.get("type", "")))
        name = request.POST.get("name", "")
        for field in item_type.schema:
            if field.type == "datetime" and PREFIX + field.key == name:
                return item_type, field
        raise Http404

    def _item(self, request: HttpRequest, item_type: ContentType) -> ContentItem | None:
        sent = request.POST.get("item", "")
        if not sent:
            return None
        pk = read_id(sent)
        if pk is None:
            raise BadRequest("item is not an id.")
        return found_or_404(visible_items().defer("cached_json").filter(pk=pk, type_id=item_type.pk).first())


class DatesViewSet(ViewSet):
    """Pages about the dates of an item."""

    name = "event_dates"
    url_prefix = "events/dates"

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("preview/", PreviewView.as_view(), name="preview"),
            path("<id:pk>/", DatesView.as_view(), name="dates"),
        ]


DATES = DatesViewSet()
