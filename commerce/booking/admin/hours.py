"""Date overrides and time off in the admin."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from wagtail.admin.panels import FieldPanel, FieldRowPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets import AdminDateInput

from cms_api.adminkit import filters
from cms_api.adminkit.columns import RecordColumn
from cms_api.adminkit.forms import RecordForm, SiteDateTimeField
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.flags.selectors import site_formats
from commerce.common.admin.hours import PeriodsField, period_words

from ..models import DateOverride, Staff, TimeOff
from ..services import save_override, save_time_off
from .moments import site_time, site_zone_help


class OverrideForm(RecordForm):
    periods = PeriodsField(help_text="For example 11:00-14:00, 17:00-20:00. Leave empty for a day off.")

    class Meta(RecordForm.Meta):
        widgets = {"date": AdminDateInput}


class OverrideViewSet(RecordViewSet):
    model = DateOverride
    icon = "date"
    menu_label = "Date overrides"
    menu_order = 50
    name = "booking_overrides"
    url_prefix = "booking/overrides"
    ordering = ("-date", "id")
    list_display = (
        RecordColumn("date", label="Date", accessor=lambda each: site_formats().date(each.date), sort_key="date"),
        Column("staff", label="Staff", accessor=lambda each: each.staff.name),
        Column("periods", label="Hours", accessor=lambda each: period_words(each.periods) or "Day off"),
    )
    filters = {"staff": filters.record(Staff.objects.all()), "date": filters.plain_date_range("Date")}
    form = OverrideForm
    panels = (FieldPanel("staff"), FieldPanel("date"), FieldPanel("periods"))
    delete_consequence = "The date then has the hours of its weekday."
    create, update, delete = by_services(save_override, "override")

    def records(self) -> QuerySet[DateOverride]:
        return DateOverride.objects.select_related("staff")


class TimeOffForm(RecordForm):
    staff = forms.ModelChoiceField(queryset=Staff.objects.all(), required=False, empty_label="Everyone")
    starts_at = SiteDateTimeField(label="From")
    ends_at = SiteDateTimeField(label="Until", is_end=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["ends_at"].help_text = site_zone_help()


class TimeOffViewSet(RecordViewSet):
    model = TimeOff
    icon = "date"
    menu_label = "Time off"
    menu_order = 60
    name = "booking_time_off"
    url_prefix = "booking/time-off"
    ordering = ("-starts_at", "-id")
    list_display = (
        RecordColumn("staff", label="Staff", accessor=lambda each: each.staff.name if each.staff else "Everyone"),
        Column("starts_at", label="From", accessor=lambda each: site_time(each.starts_at), sort_key="starts_at"),
        Column("ends_at", label="Until", accessor=lambda each: site_time(each.ends_at), sort_key="ends_at"),
        Column("note", label="Note"),
    )
    filters = {"staff": filters.record(Staff.objects.all()), "starts_at": filters.date_range("From")}
    form = TimeOffForm
    panels = (FieldPanel("staff"), FieldRowPanel([FieldPanel("starts_at"), FieldPanel("ends_at")]), FieldPanel("note"))
    delete_consequence = "Its time can be booked again."
    create, update, delete = by_services(save_time_off, "time_off")

    def records(self) -> QuerySet[TimeOff]:
        return TimeOff.objects.select_related("staff")
