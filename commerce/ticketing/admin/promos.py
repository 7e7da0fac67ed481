"""Promo codes of tickets in the admin."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from wagtail.admin.panels import FieldPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column

from commerce.common.admin.discounts import DiscountCodeForm, DiscountCodeViewSet

from ..models import PromoCode
from ..selectors.events import events_with_sales
from ..services.promos import save_promo_code


class PromoCodeForm(DiscountCodeForm):
    event = forms.ModelChoiceField(
        events_with_sales(), required=False, empty_label="All events", help_text="The only event that it is for."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["event"] = self.instance.event_id


class PromoCodeViewSet(DiscountCodeViewSet):
    model = PromoCode
    menu_label = "Promo codes"
    menu_order = 50
    name = "promo_codes"
    url_prefix = "tickets/promo-codes"
    form = PromoCodeForm
    list_display = (
        *DiscountCodeViewSet.list_display[:2],
        Column("event", label="Event", accessor=lambda code: code.event or "All events"),
        *DiscountCodeViewSet.list_display[2:],
    )
    csv = {**DiscountCodeViewSet.csv, "Event": lambda code: code.event or ""}
    panels = (
        *DiscountCodeViewSet.panels,
        MultiFieldPanel([FieldPanel("event")], heading="Event", icon="calendar-alt"),
    )

    def records(self) -> QuerySet[PromoCode]:
        return PromoCode.objects.select_related("event").defer("event__data", "event__cached_json")

    def create(self, values: dict[str, Any], user: User) -> PromoCode:
        return save_promo_code(values=values, user=user)

    def update(self, record: PromoCode, values: dict[str, Any], user: User) -> PromoCode:
        return save_promo_code(code=record, values=values, user=user)
