"""Services in the admin."""

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Count, QuerySet
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
from cms_api.adminkit.columns import CountColumn, RecordColumn, SwitchColumn
from cms_api.adminkit.fields import SlugField
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.forms.types.builder import KINDS, from_stream, schema_block
from cms_api.text.search import matching
from commerce.common.types import MAX_SLUG
from commerce.common.types.amounts import AmountField
from commerce.common.types.money import Money

from ..models import Service
from ..resources.pages import price_text
from ..services import delete_service, save_service
from ..services.offers import ATTRIBUTES
from ..types.questions import REFUSED
from ..types.services import MAX_NAME

QUESTIONS = schema_block(kind for kind in KINDS if kind not in REFUSED)
BUFFERS = "The time between two appointments is the first one's minutes after plus the second one's minutes before."


class ServiceForm(RecordForm):
    refused_at = {
        "price_cents": "price",
        "deposit_cents": "deposit",
        "questions": "questions_editor",
        "image": "image_chosen",
    }

    slug = SlugField(max_length=MAX_SLUG, help_text="The last part of the service's URL. Leave empty to derive it from the name.")
    price = AmountField(required=False, help_text="Leave empty if it is free.")
    deposit = AmountField(required=False, help_text="Paid online when booking. Leave empty for none.")
    image_chosen = forms.ModelChoiceField(
        queryset=get_image_model().objects.all(), required=False, widget=AdminImageChooser, label="Picture"
    )
    questions_editor = blocks.BlockField(
        QUESTIONS, required=False, label="Questions", help_text="Asked when customers book, besides their name, email and phone."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        service: Any = self.instance
        self.initial |= {
            "price": service.price_cents or None,
            "deposit": service.deposit_cents or None,
            "image_chosen": service.image_id,
            "questions_editor": QUESTIONS.from_definitions(service.questions),
        }
        for name in ("price", "deposit"):
            self.fields[name].label = f"{name.capitalize()} ({settings.SITE_CURRENCY.upper()})"

    def values(self) -> dict[str, Any]:
        values = super().values()
        image = values.pop("image_chosen")
        return {
            **values,
            "price_cents": values.pop("price") or 0,
            "deposit_cents": values.pop("deposit") or 0,
            "image": image.pk if image else None,
            "questions": from_stream(values.pop("questions_editor")),
        }

    class Meta(RecordForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 3})}


BASICS = (
    NamePanel("name"),
    FieldPanel("slug"),
    FieldPanel("description"),
    FieldPanel("image_chosen"),
    MultiFieldPanel([FieldRowPanel([FieldPanel("price"), FieldPanel("deposit")])], heading="Price", icon="tag"),
    MultiFieldPanel(
        [
            FieldPanel("location", help_text="For example a room or an address."),
            FieldPanel("video_url", help_text="Sent to customers once the appointment is confirmed."),
        ],
        heading="Place",
        icon="site",
    ),
    MultiFieldPanel([FieldPanel("is_visible"), FieldPanel("position")], heading="Visibility", icon="view"),
)
SCHEDULING = (
    FieldRowPanel(
        [
            FieldPanel("duration_minutes"),
            FieldPanel("capacity", help_text="More than 1 for a class that customers share."),
        ]
    ),
    MultiFieldPanel(
        [FieldRowPanel([FieldPanel("buffer_before_minutes"), FieldPanel("buffer_after_minutes", help_text=BUFFERS)])],
        heading="Time before and after",
        icon="time",
    ),
    MultiFieldPanel(
        [
            FieldRowPanel(
                [
                    FieldPanel("step_minutes", help_text="Between the times on offer. Defaults to the duration."),
                    FieldPanel("notice_minutes", help_text="Customers can't book any later."),
                ]
            ),
            FieldRowPanel(
                [
                    FieldPanel("days_ahead", help_text="How far ahead customers can book."),
                    FieldPanel("cancel_notice_hours", help_text="Later, customers have to contact you."),
                ]
            ),
            FieldPanel("requires_approval", help_text="You confirm each booking. Its time is reserved until then."),
        ],
        heading="Rules for customers",
        icon="user",
    ),
)


def staff_url(service: Service) -> str:
    return set_query_params(reverse("booking_staff:index"), {"services": service.pk})


class ServiceViewSet(RecordViewSet):
    model = Service
    icon = "list-ul"
    menu_label = "Services"
    menu_order = 30
    name = "booking_services"
    url_prefix = "booking/services"
    pages = ("add", "copy", "edit", "delete", "history")
    ordering = ("position", "name", "id")
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column(
            "duration_minutes",
            label="Duration",
            accessor=lambda service: f"{service.duration_minutes} min",
            sort_key="duration_minutes",
        ),
        Column("price_cents", label="Price", accessor=price_text, sort_key="price_cents"),
        Column("capacity", label="Seats", sort_key="capacity"),
        CountColumn("staff_count", label="Staff", url=staff_url, empty="Nobody"),
        SwitchColumn("is_visible", label="Online booking", on="Online", off="Hidden"),
        Column("position", label="Position", sort_key="position"),
    )
    filters = {"is_visible": filters.choice([("True", "Online"), ("False", "Hidden")], label="Online booking")}
    search = matching
    search_label = "Booking services"
    search_order = 179
    csv = {
        "Name": "name",
        "Duration in minutes": "duration_minutes",
        "Price": lambda service: Money(service.price_cents, settings.SITE_CURRENCY).amount,
        "Deposit": lambda service: Money(service.deposit_cents, settings.SITE_CURRENCY).amount,
        "Seats": "capacity",
        "Staff": "staff_count",
    }
    form = ServiceForm
    panels = (
        ObjectList(BASICS, heading="Service"),
        ObjectList(SCHEDULING, heading="Scheduling"),
        ObjectList([FieldPanel("questions_editor")], heading="Questions"),
    )
    delete_consequence = "Only a service that has never been booked can be deleted."
    create, update, delete = by_services(save_service, "service", delete_service)

    def records(self) -> QuerySet[Service]:
        return Service.objects.annotate(staff_count=Count("staff"))

    def copy_record(self, record: Service) -> Service:
        given = {name: getattr(record, name) for name in ATTRIBUTES if name != "name"}
        return Service(name=f"{record.name} (copy)"[:MAX_NAME], image_id=record.image_id, **given)

    def record_buttons(self, record: Service, user: Any) -> list[BaseButton]:
        url = set_query_params(reverse("appointments:openings"), {"service": record.pk})
        return [Button("Find a time", url=url, icon_name="calendar-check", priority=12)]
