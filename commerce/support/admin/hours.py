"""The weekly support hours, and the targets of each priority, on one page."""

from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.generic import FormView
from wagtail import blocks
from wagtail.admin import messages

from cms_api.adminkit.pages import RecordsPage
from cms_api.core.errors import Invalid
from cms_api.core.time_zones import zone_label
from cms_api.flags.selectors import site_timezone
from commerce.common.admin.hours import ClockBlock
from commerce.common.types.hours import Weekday
from commerce.common.views import add_refusals

from ..models import Hours, Target
from ..services.setup import save_hours, save_target
from ..types.tickets import MAX_TARGET_MINUTES, Priority

#: Periods of a week in the form, whose number of fields is limited.
MAX_ROWS = 70
KINDS = {"first_response_minutes": "First response", "resolution_minutes": "Resolution"}


class HoursBlock(blocks.StructBlock):
    weekday = blocks.ChoiceBlock(choices=[(str(day.value), day.label) for day in Weekday], label="Day")
    opens = ClockBlock(label="From")
    closes = ClockBlock(label="Until")

    class Meta:
        icon = "time"
        label = "Hours"
        label_format = "{weekday} {opens} {closes}"
        form_classname = "struct-block support-hours"


# A stream of one kind of block: Wagtail's script for a list fails where it is a form field by itself.
HOURS = blocks.StreamBlock([("hours", HoursBlock())], required=False, max_num=MAX_ROWS)


def target_name(priority: str, kind: str) -> str:
    return f"{priority}_{kind}"


class HoursForm(forms.Form):
    hours = blocks.BlockField(HOURS, required=False, label="Weekly hours")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone = zone_label(site_timezone().key)
        self.fields[
            "hours"
        ].help_text = f"On the site's clock ({zone}). A day may have several. Without any, response times run at all hours."
        for priority in Priority:
            for kind, label in KINDS.items():
                self.fields[target_name(priority, kind)] = forms.IntegerField(
                    required=False,
                    min_value=1,
                    max_value=MAX_TARGET_MINUTES,
                    label=f"{priority.label}: {label.lower()} in minutes",
                )

    @property
    def targets(self) -> list[tuple[str, list[Any]]]:
        """Return the inputs of each priority, the most urgent one first."""
        return [(each.label, [self[target_name(each, kind)] for kind in KINDS]) for each in reversed(Priority)]

    def save(self, user: Any) -> None:
        """Store all of it. Raises Invalid."""
        rows = [{**each.value, "weekday": int(each.value["weekday"])} for each in self.cleaned_data["hours"]]
        save_hours(hours=rows)
        for priority in Priority:
            minutes = {kind: self.cleaned_data[target_name(priority, kind)] for kind in KINDS}
            save_target(priority=priority, user=user, **minutes)


class HoursView(RecordsPage, FormView):
    permission_required = "change"
    template_name = "support_admin/hours.html"
    page_title = "Support hours"
    header_icon = "time"
    form_class = HoursForm

    def get_initial(self) -> dict[str, Any]:
        hours = [
            {"weekday": str(row.weekday), "opens": row.opens.isoformat("minutes"), "closes": row.closes.isoformat("minutes")}
            for row in Hours.objects.all()
        ]
        targets = {target_name(each.priority, kind): getattr(each, kind) for each in Target.objects.all() for kind in KINDS}
        return {**targets, "hours": HOURS.to_python([{"type": "hours", "value": each} for each in hours])}

    def form_valid(self, form: HoursForm) -> HttpResponse:
        try:
            with transaction.atomic():
                form.save(self.request.user)
        except Invalid as refusal:
            add_refusals(form, refusal.errors)
            return self.form_invalid(form)
        messages.success(self.request, "Support hours saved.")
        return HttpResponseRedirect(reverse(self.viewset.get_url_name("hours")))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs, kinds=KINDS.values())
        # Wagtail's base template has a form of its own under this name.
        return {**context, "hours_form": context["form"]}
