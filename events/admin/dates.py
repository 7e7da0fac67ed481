"""The dates of an item in the admin: skipped, cancelled and restored one by one, and the places of events."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.generic import TemplateView
from wagtail.admin import messages
from wagtail.admin.views.generic.base import WagtailAdminTemplateMixin

from cms_api.content.admin.access import visible_items
from cms_api.content.admin.menu import may_any
from cms_api.content.admin.urls import edit_url, list_url
from cms_api.content.models import ContentItem
from cms_api.content.selectors import type_by_id
from cms_api.core.errors import Invalid

from ..models import Rsvp
from ..selectors.preview import guests_of_dates
from ..selectors.schedule import ManagedDate, has_places, managed_dates, people_at, places_of
from ..services.capacity import set_capacity
from ..services.dates import change_date
from ..types.plans import DateStatus
from ..types.rsvps import MAX_PLACES

PER_PAGE = 25
MAX_START = 40

#: The buttons of a date: the status that each sets, and the message afterwards.
CHANGES: dict[str, tuple[DateStatus | None, str]] = {
    "skip": (DateStatus.SKIPPED, "Date skipped."),
    "cancel": (DateStatus.CANCELLED, "Date cancelled."),
    "restore": (None, "Date restored."),
}
PLACES = "places"


def places_message(data: Mapping[str, Any]) -> str:
    number = "No limit" if data["places"] is None else data["places"]
    return f"Places at {data['start']}: {number}" if data["start"] else f"Places: {number}"


@method_decorator(never_cache, name="dispatch")
class DatesView(WagtailAdminTemplateMixin, TemplateView):
    """The dates of an item that have not ended. Each button posts one change and leads back here."""

    http_method_names = ("get", "head", "post")
    template_name = "events_admin/dates.html"
    page_title = "Dates"
    header_icon = "calendar-alt"
    item: ContentItem

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        if not request.user.has_perm("content.change_contentitem"):
            raise PermissionDenied
        self.item = get_object_or_404(visible_items().defer("cached_json"), pk=kwargs["pk"])
        self.item.type = type_by_id(self.item.type_id)
        if self.item.type.date_field is None:
            raise Http404

    def get_page_title(self) -> str:
        return f"Dates of {self.item}"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        kind = self.item.type
        return [
            *self.breadcrumbs_items,
            {"url": list_url(kind), "label": kind.name_plural},
            {"url": edit_url(self.item.pk), "label": str(self.item)},
            {"url": "", "label": self.get_page_title()},
        ]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        dates = managed_dates(self.item, timezone.now())
        page = Paginator(dates, PER_PAGE).get_page(self.request.GET.get("p"))
        shown = list(page.object_list)
        limits = places_of(self.item) if has_places(self.item.type) else {}
        has_counts = has_places(self.item.type) and may_any(self.request.user, Rsvp)
        coming = people_at(shown) if has_counts else {}
        guests = guests_of_dates(self.item) if has_places(self.item.type) else {}
        # The only date of an event has the places of the event.
        is_series = len(dates) > 1 or any(not date.is_first for date in dates)
        return super().get_context_data(
            **kwargs,
            item=self.item,
            dates=[self._show_date(date, limits, coming, guests) for date in shown],
            page=page,
            has_places=has_places(self.item.type),
            has_counts=has_counts,
            is_series=is_series,
            default=limits.get(""),
            most=MAX_PLACES,
            back=edit_url(self.item.pk),
        )

    def _show_date(
        self, date: ManagedDate, limits: Mapping[str, int], coming: Mapping[int, int], guests: Mapping[str, int]
    ) -> dict[str, Any]:
        return {
            "date": date,
            "label": DateStatus(date.status).label if date.status else "Scheduled",
            "places": limits.get(date.start),
            "guests": guests.get(date.start, 0),
            "coming": coming.get(date.row or 0, 0),
        }

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        start, change = request.POST.get("start", "")[:MAX_START], request.POST.get("change", "")
        try:
            self._change(start, change)
        except Invalid as refusal:
            messages.error(request, refusal.message)
        page = request.POST.get("p", "")
        query = f"?p={page}" if page.isascii() and page.isdigit() and len(page) < 6 else ""
        return HttpResponseRedirect(reverse("event_dates:dates", args=[self.item.pk]) + query)

    def _change(self, start: str, change: str) -> None:
        if change == PLACES and has_places(self.item.type):
            done = set_capacity(event=self.item, start=start, places=self.request.POST.get(PLACES), user=self.request.user)
            said = "Places saved."
        elif change in CHANGES:
            status, said = CHANGES[change]
            if self.item.live and not self.request.user.has_perm("content.publish_contentitem"):
                raise PermissionDenied
            done = change_date(item=self.item, start=start, status=status, user=self.request.user)
        else:
            raise Http404
        if done:
            messages.success(self.request, said)
        else:
            messages.warning(self.request, "No change: this was already done.")
