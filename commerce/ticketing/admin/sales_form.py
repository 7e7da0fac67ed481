"""The form of ticket sales: ticket types and shared seats as rows, and the questions."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from wagtail import blocks
from wagtail.blocks.struct_block import BlockGroup

from cms_api.adminkit.blocks import SiteDateTimeBlock
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.ids import is_id
from cms_api.forms.types.builder import KINDS, from_stream, schema_block
from commerce.common.types.amounts import AmountBlock
from commerce.common.types.tax import TaxClass

from ..models import Quota, TicketType
from ..resources.mails import start_words
from ..selectors.events import dates_on_offer, event_by_id, events_to_sell, events_with_sales, is_repeating
from ..services.sales import MAX_QUOTAS, MAX_TYPES, REFUSED, TYPE_COLUMNS
from ..types.sales import (
    MAX_ACCESS_CODE,
    MAX_CLOSES_MINUTES,
    MAX_DESCRIPTION,
    MAX_NAME,
    MAX_PER_ORDER,
    MAX_SEATS,
    Pricing,
    SoldUntil,
)
from .dates import MAX_DATES

QUESTIONS = schema_block(kind for kind in KINDS if kind not in REFUSED)
QUOTA = blocks.StructBlock(
    [
        ("name", blocks.CharBlock(max_length=MAX_NAME, help_text="For example Hall. Ticket types refer to it by this name.")),
        ("size", blocks.IntegerBlock(min_value=0, max_value=MAX_SEATS, label="Seats")),
    ],
    label_format="{name} ({size})",
    icon="group",
    label="Shared seats",
)
QUOTAS = blocks.StreamBlock([("quota", QUOTA)], required=False, max_num=MAX_QUOTAS)
NO_LIMIT = "At each date. Leave empty for no limit."


def type_block(starts: Sequence[str]) -> blocks.StructBlock:
    """Return the row of a ticket type; `starts` are the dates of an event with several."""
    dates = [(start, start_words(start)) for start in starts]
    currency = settings.SITE_CURRENCY.upper()
    only = [
        ("start", blocks.ChoiceBlock(choices=dates, required=False, label="Only for", help_text="Leave empty for every date."))
    ]
    children: list[tuple[str, blocks.Block]] = [
        ("name", blocks.CharBlock(max_length=MAX_NAME)),
        ("description", blocks.TextBlock(required=False, max_length=MAX_DESCRIPTION, rows=2)),
        ("pricing", blocks.ChoiceBlock(choices=Pricing.choices, default=Pricing.FIXED.value)),
        (
            "price_cents",
            AmountBlock(required=False, label=f"Price ({currency})", help_text="The least that buyers pay, if they name it."),
        ),
        (
            "suggested_cents",
            AmountBlock(required=False, label=f"Suggested price ({currency})", help_text="If buyers name the price."),
        ),
        ("size", blocks.IntegerBlock(required=False, min_value=0, max_value=MAX_SEATS, label="Seats", help_text=NO_LIMIT)),
        (
            "quota",
            blocks.CharBlock(
                required=False, max_length=MAX_NAME, label="Shared seats", help_text="The name of one of the shared quotas."
            ),
        ),
        *(only if dates else []),
        ("is_offered", blocks.BooleanBlock(required=False, default=True, label="Offered")),
        ("tax_class", blocks.ChoiceBlock(choices=TaxClass.choices, default=TaxClass.STANDARD.value)),
        ("sales_start", SiteDateTimeBlock(required=False, label="Sales start")),
        ("sales_end", SiteDateTimeBlock(required=False, label="Sales end", is_end=True)),
        (
            "sold_until",
            blocks.ChoiceBlock(
                choices=SoldUntil.choices,
                required=False,
                label="Sold until",
                help_text="For each date, unless the sales end before. Long dates last for more than a day.",
            ),
        ),
        (
            "closes_minutes",
            blocks.IntegerBlock(
                min_value=0,
                max_value=MAX_CLOSES_MINUTES,
                default=0,
                label="Minutes before",
                help_text="Sales close so many minutes before a date begins. Before it ends, if tickets are sold until then.",
            ),
        ),
        ("min_per_order", blocks.IntegerBlock(min_value=1, max_value=MAX_PER_ORDER, default=1, label="At least, per order")),
        ("max_per_order", blocks.IntegerBlock(min_value=1, max_value=MAX_PER_ORDER, default=10, label="At most, per order")),
        (
            "access_code",
            blocks.CharBlock(
                required=False,
                max_length=MAX_ACCESS_CODE,
                label="Access code",
                help_text="Hides the ticket until a buyer enters this code.",
            ),
        ),
        ("has_waiting_list", blocks.BooleanBlock(required=False, default=True, label="Waiting list once it is sold out")),
    ]
    shown = ["name", "description", "pricing", "price_cents", "suggested_cents", "size", "quota", "is_offered"]
    rest = [name for name, _ in children if name not in {*shown, "start"}]
    return blocks.StructBlock(
        children,
        label="Ticket",
        label_format="{name}",
        icon="tag",
        form_layout=BlockGroup(children=[*shown, *(["start"] if dates else [])], settings=rest),
    )


def types_block(starts: Sequence[str], *, is_new: bool) -> blocks.StreamBlock:
    """Return the rows of ticket types; those of new sales are open."""
    block = blocks.StreamBlock([("type", type_block(starts))], max_num=MAX_TYPES, required=True, collapsed=not is_new)
    block.set_name("types")
    return block


def starts_of(event: Any) -> list[str]:
    """Return the dates that a ticket type of an event may be limited to; none if it has a single date."""
    if event is None or not is_repeating(event):
        return []
    return [date.start for date in dates_on_offer(event, MAX_DATES)]


class SalesForm(RecordForm):
    """`types` and `quotas` are rows; an edited row keeps the id of what it shows."""

    refused_at = {"questions": "questions_editor"}
    only_new = ("event",)

    event = forms.ModelChoiceField(
        queryset=events_with_sales(),
        empty_label="Choose an event",
        help_text="Coming events that don't sell tickets yet. Save one with several dates to limit ticket types to one of them.",
    )
    types = blocks.BlockField(types_block([], is_new=True), label="Ticket types")
    quotas = blocks.BlockField(
        QUOTAS, required=False, label="Shared quotas", help_text="Seats at each date that several ticket types share."
    )
    questions_editor = blocks.BlockField(
        QUESTIONS, required=False, label="Questions", help_text="Asked for each attendee when somebody buys tickets."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sales: Any = self.instance
        if "event" in self.fields:
            chooser: Any = self.fields["event"]
            chooser.queryset = events_to_sell()
        event = self._event()
        types = list(TicketType.objects.filter(event=event).select_related("quota")) if sales.pk else []
        starts = sorted({*starts_of(event), *(each.start for each in types if each.start)})
        self.fields["types"] = blocks.BlockField(types_block(starts, is_new=not sales.pk), label="Ticket types")
        shown = [_type(each) for each in types] if sales.pk else [{"type": "type", "value": {}}]
        self.initial |= {
            "types": self.fields["types"].block.to_python(shown),
            "quotas": QUOTAS.to_python([_quota(each) for each in Quota.objects.filter(event=event)] if sales.pk else []),
            "questions_editor": QUESTIONS.from_definitions(sales.questions),
        }

    def _event(self) -> Any:
        """Return the event, of a new record the one that is chosen or begins the form."""
        if self.instance.pk:
            return event_by_id(self.instance.pk)
        chosen = str(self.data.get("event") or self.initial.get("event") or "")
        return event_by_id(int(chosen)) if is_id(chosen) else None

    def values(self) -> dict[str, Any]:
        """Return the arguments of `save_sales`, with the event of a new record."""
        values = super().values()
        types = [{**child.value, **_identity(child)} for child in values.pop("types")]
        for each in types:
            each["price_cents"] = each["price_cents"] or 0
            each["start"] = each.get("start") or ""
        quotas = [{**child.value, **_identity(child)} for child in values.pop("quotas")]
        return {**values, "questions": from_stream(values.pop("questions_editor")), "types": types, "quotas": quotas}


def _identity(child: Any) -> dict[str, int]:
    """Return the id of the record that a row shows. A new row has the id that the editor has made, which is no number."""
    return {"id": int(child.id)} if is_id(str(child.id or "")) else {}


def _type(each: TicketType) -> dict[str, Any]:
    value = {name: getattr(each, name) for name in TYPE_COLUMNS}
    return {"type": "type", "id": str(each.pk), "value": {**value, "quota": each.quota.name if each.quota else ""}}


def _quota(each: Quota) -> dict[str, Any]:
    return {"type": "quota", "id": str(each.pk), "value": {"name": each.name, "size": each.size}}
