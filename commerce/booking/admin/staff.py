"""Staff in the admin: their hours, their calendars, and what can be booked with them."""

from collections.abc import Iterable
from datetime import time
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import linebreaksbr
from django.urls import reverse
from wagtail import blocks
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel, ObjectList
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.admin.widgets.button import BaseButton, Button
from wagtail.images import get_image_model
from wagtail.images.widgets import AdminImageChooser

from cms_api.adminkit import filters
from cms_api.adminkit.columns import NotedColumn, RecordColumn, StatusColumn, SwitchColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.core.time_zones import zone_choices, zone_label
from cms_api.flags.selectors import site_formats, site_timezone
from commerce.common.admin.hours import ClockBlock
from commerce.common.types.hours import Weekday

from ..models import Service, Staff, WorkingHours
from ..selectors.services import feed_path
from ..services import delete_staff, renew_feed, save_staff
from ..types.services import MAX_HOURS
from .moments import site_time
from .openings import preview

#: Periods in the form, whose number of fields is limited.
MAX_ROWS = min(MAX_HOURS, 100)
#: The hours that the form of a new member of staff begins with.
USUAL = [{"weekday": day, "opens": time(9), "closes": time(17), "service_id": None} for day in range(5)]


def service_choices() -> list[tuple[str, str]]:
    return [(str(pk), name) for pk, name in Service.objects.values_list("pk", "name")]


class HoursBlock(blocks.StructBlock):
    weekday = blocks.ChoiceBlock(choices=[(str(day.value), day.label) for day in Weekday], label="Day")
    opens = ClockBlock(label="From")
    closes = ClockBlock(label="Until")
    service_id = blocks.ChoiceBlock(choices=service_choices, required=False, label="For")

    class Meta:
        icon = "time"
        label = "Hours"
        label_format = "{weekday} {opens} {closes}"
        form_classname = "struct-block booking-hours"


# A stream of one kind of block: Wagtail's script for a list fails where it is a form field by itself.
HOURS = blocks.StreamBlock([("hours", HoursBlock())], required=False, max_num=MAX_ROWS)


class StaffForm(RecordForm):
    refused_at = {"image": "image_chosen", "hours": "hours_editor"}

    timezone = forms.ChoiceField(label="Time zone", help_text="The hours are those of the clock there.")
    services = forms.ModelMultipleChoiceField(queryset=Service.objects.all(), required=False, widget=forms.CheckboxSelectMultiple)
    image_chosen = forms.ModelChoiceField(
        queryset=get_image_model().objects.all(), required=False, widget=AdminImageChooser, label="Picture"
    )
    hours_editor = blocks.BlockField(
        HOURS,
        required=False,
        label="Weekly hours",
        help_text="Hours for one service replace the others for it. Hours that end before they begin end on the next day.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        staff: Any = self.instance
        hours = staff.hours.values("weekday", "opens", "closes", "service_id") if staff.pk else USUAL
        zone = staff.timezone or site_timezone().key
        self.initial |= {
            "timezone": zone,
            "services": staff.services.all() if staff.pk else [],
            "image_chosen": staff.image_id,
            "hours_editor": HOURS.to_python([{"type": "hours", "value": hours_value(each)} for each in hours]),
        }
        field: Any = self.fields["timezone"]
        field.choices = zone_choices(zone)

    def values(self) -> dict[str, Any]:
        values = super().values()
        image = values.pop("image_chosen")
        hours = [hours_row(each.value) for each in values.pop("hours_editor")]
        return {**values, "image": image.pk if image else None, "hours": hours}

    class Meta(RecordForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 3})}


def service_names(staff: Staff) -> str:
    return ", ".join(map(str, staff.services.all()))


def hours_value(row: dict[str, Any]) -> dict[str, Any]:
    clocks = {name: row[name].isoformat("minutes") for name in ("opens", "closes")}
    return {**clocks, "weekday": str(row["weekday"]), "service_id": str(row["service_id"] or "")}


def hours_row(value: Any) -> dict[str, Any]:
    service = value["service_id"]
    return {**value, "weekday": int(value["weekday"]), "service_id": int(service) if service else None}


def weekly_hours(rows: Iterable[WorkingHours]) -> str | None:
    """Return weekly hours as lines."""
    clock = site_formats().time
    lines = [
        f"{row.get_weekday_display()}, {clock(row.opens)} to {clock(row.closes)}{f' ({row.service.name})' if row.service else ''}"
        for row in rows
    ]
    return linebreaksbr("\n".join(lines), autoescape=True) if lines else None


def calendar_state(staff: Staff) -> str:
    """Return in a word how the last reading of the outside calendar went."""
    if not staff.calendar_url:
        return "None"
    if staff.calendar_error:
        return "Partly read" if staff.calendar_read_at and staff.calendar_read_at == staff.calendar_checked_at else "Failing"
    return "Connected" if staff.calendar_read_at else "Not read yet"


CALENDAR_TONES = {"Failing": "critical", "Partly read": "warning", "Connected": "positive", "Not read yet": "info"}


def calendar_note(staff: Staff) -> str:
    if not staff.calendar_url:
        return ""
    read = f"Last read {site_time(staff.calendar_read_at)}." if staff.calendar_read_at else ""
    return " ".join(filter(None, (staff.calendar_error, read)))


class StaffViewSet(RecordViewSet):
    model = Staff
    icon = "group"
    menu_label = "Staff"
    menu_order = 40
    name = "booking_staff"
    url_prefix = "booking/staff"
    pages = ("add", "edit", "inspect", "delete", "history")
    add_label = "Add staff"
    inspect_template_name = "booking_admin/staff.html"
    create_template_name = edit_template_name = "booking_admin/form.html"
    ordering = ("position", "name", "id")
    search_fields = ["name", "title", "email"]
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        NotedColumn("title", label="Title", note=lambda staff: staff.email),
        Column("services", label="Services", accessor=lambda staff: service_names(staff)),
        Column("timezone", label="Time zone", accessor=lambda staff: zone_label(staff.timezone)),
        StatusColumn(
            "calendar",
            label="Outside calendar",
            accessor=calendar_state,
            tone=lambda staff: CALENDAR_TONES.get(calendar_state(staff), ""),
        ),
        SwitchColumn("is_visible", label="Online booking", on="Online", off="Hidden"),
    )
    filters = {
        "services": filters.record(Service.objects.all(), label="Service"),
        "is_visible": filters.choice([("True", "Online"), ("False", "Hidden")], label="Online booking"),
    }
    csv = {
        "Name": "name",
        "Title": "title",
        "Email": "email",
        "Time zone": "timezone",
        "Services": lambda staff: service_names(staff),
    }
    form = StaffForm
    panels = (
        ObjectList(
            [
                FieldPanel("name"),
                FieldRowPanel([FieldPanel("title"), FieldPanel("email", help_text="Gets an email about each booking.")]),
                FieldPanel("description"),
                FieldPanel("image_chosen"),
                FieldPanel("services"),
                MultiFieldPanel([FieldPanel("is_visible"), FieldPanel("position")], heading="Visibility", icon="view"),
            ],
            heading="Person",
        ),
        ObjectList(
            [FieldPanel("timezone"), FieldPanel("hours_editor"), FieldPanel("works_on_holidays")],
            heading="Hours",
        ),
        ObjectList(
            [
                FieldPanel(
                    "calendar_url",
                    help_text="The iCal address of another calendar. Its events are busy times.",
                )
            ],
            heading="Outside calendar",
        ),
    )
    delete_consequence = "Only staff without appointments can be deleted."
    transitions = (
        Transition(
            "renew_feed",
            "Renew address",
            calling(renew_feed, "staff"),
            "{record} has a new calendar address.",
            confirm="The present calendar address stops working. Calendars that use it need the new one.",
            serious=True,
        ),
    )
    create, update, delete = by_services(save_staff, "staff", delete_staff)

    def records(self) -> QuerySet[Staff]:
        return Staff.objects.prefetch_related("services", Prefetch("hours", WorkingHours.objects.select_related("service")))

    def record_buttons(self, record: Staff, user: Any) -> list[BaseButton]:
        calendar = set_query_params(reverse("appointments:calendar"), {"staff": record.pk, "view": "week"})
        return [Button("Calendar", url=calendar, icon_name="calendar-alt", priority=12)]

    def facts(self, record: Staff) -> dict[str, Any]:
        return {
            "Title": record.title or None,
            "Email": record.email or None,
            "Services": service_names(record) or "None",
            "Time zone": zone_label(record.timezone),
            "Weekly hours": weekly_hours(record.hours.all()) or "None",
            "Public holidays": "Works" if record.works_on_holidays else "As in the settings",
            "Online booking": "Online" if record.is_visible else "Hidden",
            "Outside calendar": calendar_state(record),
            "Last reading": calendar_note(record) or None,
        }

    def inspect_context(self, record: Staff, request: HttpRequest) -> dict[str, Any]:
        shown = preview(request.GET, staff=record)
        return {"feed_url": f"{settings.BASE_URL}{feed_path(record)}", **shown}
