"""Response times of the last weeks: as a chart, and as a table by week, category or assignee."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from django import forms
from django.http import Http404
from django.utils import timezone
from django.views.generic import TemplateView

from cms_api.adminkit.charts import Chart, Series
from cms_api.adminkit.pages import RecordsPage
from cms_api.flags.selectors import site_formats, site_timezone

from ..selectors.clocks import Times, response_times
from .words import NOBODY, duration

WEEK = timedelta(days=7)
PERIODS = (("4", "Last 4 weeks"), ("12", "Last 12 weeks"), ("26", "Last 26 weeks"), ("52", "Last 52 weeks"))
GROUPS = (("week", "Week"), ("category", "Category"), ("assignee", "Assignee"))
#: The names of groups without one.
UNNAMED = {"category": "No category", "assignee": NOBODY}
#: From this many seconds on, the chart counts hours.
HOURS_FROM_SECONDS = 10 * 3600


class ReportForm(forms.Form):
    weeks = forms.ChoiceField(choices=PERIODS, required=False, label="Period")
    by = forms.ChoiceField(choices=GROUPS, required=False, label="Group by")


class ResponseTimesView(RecordsPage, TemplateView):
    permission_required = "view"
    template_name = "support_admin/response_times.html"
    page_title = "Response times"
    header_icon = "time"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        query = {"weeks": "12", "by": "week", **{name: value for name, value in self.request.GET.items() if value}}
        form = ReportForm(query, auto_id="report_%s")
        if not form.is_valid():
            raise Http404("These parameters are invalid.")
        by, today = form.cleaned_data["by"], timezone.localdate(timezone=site_timezone())
        monday = today - timedelta(days=today.weekday())
        mondays = [monday - WEEK * back for back in reversed(range(int(form.cleaned_data["weeks"])))]
        found = response_times(mondays[0], today, by=by)
        return super().get_context_data(
            **kwargs,
            report_form=form,
            heading=dict(GROUPS)[by],
            chart=chart_of(found, mondays) if by == "week" else None,
            rows=[row(each, by) for each in (reversed(found) if by == "week" else found)],
        )


def chart_of(found: Sequence[Times], mondays: Sequence[date]) -> Chart:
    """Return the medians of each week, in minutes or hours."""
    by_week = {each.label: each for each in found}
    weeks = [by_week.get(day.isoformat()) for day in mondays]
    responses = [(each.first_response_median if each else None) or 0 for each in weeks]
    resolutions = [(each.resolution_median if each else None) or 0 for each in weeks]
    unit, seconds = ("hours", 3600) if max([*responses, *resolutions], default=0) > HOURS_FROM_SECONDS else ("minutes", 60)
    return Chart(
        "response-times",
        "Response times (median)",
        mondays,
        [
            Series(f"{unit} to the first response", [round(each / seconds) for each in responses]),
            Series(f"{unit} to the resolution", [round(each / seconds) for each in resolutions]),
        ],
        has_totals=False,
        has_table=False,
    )


def row(each: Times, by: str) -> tuple[str, int, list[str]]:
    """Return a line of the table: the group, its number of tickets, and the times in words."""
    label = f"Week of {site_formats().short_date(date.fromisoformat(each.label))}" if by == "week" else each.label
    times = (each.first_response_median, each.first_response_90, each.resolution_median, each.resolution_90)
    return label or UNNAMED[by], each.tickets, [duration(time) for time in times]
