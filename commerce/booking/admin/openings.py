"""The times that customers can book in a week, and why there are none: a page, and a panel of a member of staff."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.urls import reverse
from django.views.generic import TemplateView
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.pages import RecordsPage
from cms_api.core.time_zones import zone_label
from cms_api.flags.selectors import site_formats, site_timezone
from commerce.common.types.hours import DAY
from commerce.common.types.spans import moment

from ..models import Service, Staff
from ..selectors.availability import Opening, openings
from ..selectors.explaining import why_none
from ..selectors.services import all_staff_for
from .parameters import WEEK, ParameterForm, as_typed, bounds_of, drop_empty, monday_of, today

#: Members of staff of which one page shows the times.
MAX_STAFF = 50


def preview(query: Mapping[str, Any], *, staff: Staff | None = None) -> dict[str, Any]:
    """Return the openings of a week, for templates. With `staff`, they are those of this member. Raises Http404."""
    form = ParameterForm(query, auto_id="openings_%s")
    if staff is not None:
        del form.fields["staff"]
        service_field: Any = form.fields["service"]
        service_field.queryset = staff.services.all()
    wanted = form.read()
    service, chosen, monday = wanted["service"], staff or wanted["staff"], monday_of(wanted["date"])
    shown: dict[str, Any] = {"form": form, "service": service, "zone": zone_label(site_timezone().key)}
    if service is None:
        return {"openings": shown}
    asked = {"service": service.pk, "staff": chosen.pk if chosen and not staff else None}
    shown["days"] = _week(service, chosen, monday)
    shown["title"] = f"Week of {site_formats().date(monday)}"
    shown["earlier"] = set_query_params("", drop_empty(**asked, date=str(monday - WEEK))) if monday > today() else ""
    shown["later"] = set_query_params("", drop_empty(**asked, date=str(monday + WEEK)))
    return {"openings": shown}


def _week(service: Service, chosen: Staff | None, monday: date) -> list[dict[str, Any]]:
    staff = list(all_staff_for(service).filter(pk=chosen.pk) if chosen else all_staff_for(service)[:MAX_STAFF])
    days = [monday + number * DAY for number in range(7)]
    bounds = {day: bounds_of(day) for day in days}
    first, last = moment(bounds[days[0]][0]), moment(bounds[days[-1]][1])
    found = openings(service, staff, first, last) if staff else []
    by_day: dict[date, list[Opening]] = {day: [] for day in days}
    for each in found:
        by_day[each.starts_at.astimezone(site_timezone()).date()].append(each)
    reasons = why_none(service, staff, {day: bounds[day] for day in days if not by_day[day]})
    return [
        {
            "title": site_formats().short_day(day),
            "is_today": day == today(),
            "times": _times(service, by_day[day], chosen),
            "reason": reasons.get(day, ""),
        }
        for day in days
    ]


def _times(service: Service, found: Sequence[Opening], chosen: Staff | None) -> list[dict[str, Any]]:
    """Return each time once, with the address of the page that books it."""
    shown: dict[Any, dict[str, Any]] = {}
    for each in found:
        local = each.starts_at.astimezone(site_timezone())
        values = {"service": service.pk, "staff": chosen.pk if chosen else None, "starts_at": as_typed(each.starts_at)}
        row = shown.setdefault(
            each.starts_at,
            {
                "time": site_formats().time(local),
                "url": set_query_params(reverse("appointments:add"), drop_empty(**values)),
                "seats": 0,
            },
        )
        row["seats"] += each.seats if service.is_class else 0
    return list(shown.values())


class OpeningsView(RecordsPage, TemplateView):
    """Finds a time for a service."""

    permission_required = "add"
    template_name = "booking_admin/openings_page.html"
    page_title = "Find a time"
    header_icon = "calendar-check"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs, **preview(self.request.GET))
