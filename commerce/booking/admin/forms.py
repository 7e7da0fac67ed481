"""The forms of appointments: booked by hand, and rescheduled."""

from typing import Any

from django import forms
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.forms import RecordForm, SiteDateTimeField
from commerce.common.admin.amounts import RecordActionForm

from ..models import Service, Staff
from ..selectors.services import all_staff_for
from ..types.appointments import MAX_NOTES
from .moments import site_zone_help


class BookForm(RecordForm):
    """An appointment that staff book for a customer."""

    refused_at = {"starts_at": "start", "notes": "note"}

    service = forms.ModelChoiceField(queryset=Service.objects.all(), empty_label="Choose a service")
    staff = forms.ModelChoiceField(queryset=Staff.objects.all(), required=False, empty_label="Anyone who is free")
    start = SiteDateTimeField(label="Date and time")
    note = forms.CharField(
        required=False, max_length=MAX_NOTES, label="Notes", widget=AdminAutoHeightTextInput(attrs={"rows": 3})
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["start"].help_text = f"{site_zone_help()} You can book times that customers can't."


class RescheduleForm(RecordActionForm):
    starts_at = SiteDateTimeField(label="New date and time")
    staff = forms.ModelChoiceField(queryset=Staff.objects.none(), empty_label=None)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        staff: Any = self.fields["staff"]
        staff.queryset = all_staff_for(self.record.service)
        staff.initial, self.fields["starts_at"].initial = self.record.staff_id, self.record.starts_at
        self.fields["starts_at"].help_text = f"{site_zone_help()} You can choose times that customers can't."
