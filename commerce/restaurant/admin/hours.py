"""Opening hours and delivery zones in the admin."""

from typing import Any

from django import forms
from django.conf import settings
from wagtail.admin.panels import FieldPanel, FieldRowPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets import AdminAutoHeightTextInput, AdminDateInput

from cms_api.adminkit.columns import RecordColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.flags.selectors import site_formats
from commerce.common.admin.hours import PeriodsField, period_words
from commerce.common.selectors import format_money
from commerce.common.types.amounts import AmountField
from commerce.common.types.money import Money

from ..models import DeliveryZone, OpeningPeriod, SpecialDay
from ..services import delete_opening, delete_special_day, delete_zone, save_opening, save_special_day, save_zone


class OpeningForm(RecordForm):
    class Meta(RecordForm.Meta):
        widgets = {"opens": forms.TimeInput(attrs={"type": "time"}), "closes": forms.TimeInput(attrs={"type": "time"})}


class OpeningViewSet(RecordViewSet):
    model = OpeningPeriod
    icon = "time"
    menu_label = "Opening hours"
    menu_order = 40
    name = "opening_hours"
    url_prefix = "restaurant/hours"
    ordering = ("weekday", "opens", "id")
    list_display = (
        RecordColumn("weekday", label="Day", accessor="get_weekday_display", sort_key="weekday"),
        Column("opens", label="Opens", accessor=lambda each: site_formats().time(each.opens)),
        Column("closes", label="Closes", accessor=lambda each: site_formats().time(each.closes)),
    )
    form = OpeningForm
    panels = (FieldPanel("weekday"), FieldRowPanel([FieldPanel("opens"), FieldPanel("closes")]))
    delete_consequence = "Orders for that time stay."
    create, update, delete = by_services(save_opening, "opening", delete_opening)


class SpecialDayForm(RecordForm):
    periods = PeriodsField(help_text="For example 11:00-14:00, 17:00-22:00. Leave empty if closed.")

    class Meta(RecordForm.Meta):
        widgets = {"date": AdminDateInput}


class SpecialDayViewSet(RecordViewSet):
    model = SpecialDay
    icon = "date"
    menu_label = "Special days"
    menu_order = 50
    name = "special_days"
    url_prefix = "restaurant/special-days"
    ordering = ("-date",)
    list_display = (
        RecordColumn("date", label="Date", accessor=lambda day: site_formats().date(day.date), sort_key="date"),
        Column("periods", label="Hours", accessor=lambda day: period_words(day.periods) or "Closed"),
        Column("note", label="Note"),
    )
    form = SpecialDayForm
    panels = (FieldPanel("date"), FieldPanel("is_closed"), FieldPanel("periods"), FieldPanel("note"))
    delete_consequence = "The day then has the hours of its weekday."
    create, update, delete = by_services(save_special_day, "day", delete_special_day)


POSTAL_CODES_HELP = (
    "Postal codes with commas between them. Whole parts stand for all codes that begin with them: NW1 for NW1 6XE, 94103 for "
    "94103-1234. An asterisk ends a beginning: 101* for all that begin with 101, NW1* for NW1 and not NW10."
)


class ZoneForm(RecordForm):
    refused_at = {"fee_cents": "fee", "minimum_cents": "minimum", "free_from_cents": "free_from"}

    fee = AmountField(required=False, help_text="Leave empty for free delivery.")
    minimum = AmountField(required=False, label="Minimum order", help_text="The least value of the items.")
    free_from = AmountField(required=False, label="Free from", help_text="Leave empty if delivery is never free.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone = self.instance
        self.fields["postal_codes"].help_text = POSTAL_CODES_HELP
        self.initial |= {"fee": zone.fee_cents, "minimum": zone.minimum_cents, "free_from": zone.free_from_cents}

    def values(self) -> dict[str, Any]:
        values = super().values()
        amounts = {"fee_cents": values.pop("fee") or 0, "minimum_cents": values.pop("minimum") or 0}
        return {**values, **amounts, "free_from_cents": values.pop("free_from")}

    class Meta(RecordForm.Meta):
        widgets = {"postal_codes": AdminAutoHeightTextInput(attrs={"rows": 3})}


def zone_fee(zone: DeliveryZone) -> str:
    return format_money(Money(zone.fee_cents, settings.SITE_CURRENCY)) if zone.fee_cents else "Free"


class ZoneViewSet(RecordViewSet):
    model = DeliveryZone
    icon = "site"
    menu_label = "Delivery zones"
    menu_order = 60
    name = "delivery_zones"
    url_prefix = "restaurant/zones"
    ordering = ("position", "name", "id")
    search_fields = ["name", "postal_codes"]
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("postal_codes", label="Postal codes"),
        Column("fee", label="Fee", accessor=zone_fee),
        Column("position", label="Position", sort_key="position"),
    )
    form = ZoneForm
    panels = (
        FieldPanel("name"),
        FieldPanel("postal_codes"),
        FieldRowPanel([FieldPanel("fee"), FieldPanel("minimum"), FieldPanel("free_from")]),
        FieldPanel("extra_minutes"),
        FieldPanel("position"),
    )
    delete_consequence = "Orders keep its name and fee."
    create, update, delete = by_services(save_zone, "zone", delete_zone)
