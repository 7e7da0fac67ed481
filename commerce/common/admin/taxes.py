"""Tax rules in the admin."""

from decimal import Decimal
from typing import Any

from django import forms
from wagtail.admin.panels import FieldPanel, FieldRowPanel, HelpPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.columns import RecordColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.flags.selectors import site_country, site_formats
from cms_api.text.addresses import countries, country_name

from ..models import TaxRule
from ..selectors import taxed_countries
from ..services import save_tax_rule
from ..types import MAX_NAME
from ..types.amounts import PercentField
from ..types.tax import MAX_RATE_DECIMALS, TaxClass

WHOLE_COUNTRY = "Whole country"
HELP = (
    "<p>A sale is taxed by the rule of its tax class for the place it goes to: that of the region, and else that of the whole "
    "country. Without a rule, no tax is charged. Changes apply to later sales only.</p>"
)


class TaxRuleForm(RecordForm):
    country = forms.ChoiceField(choices=lambda: list(countries().items()))
    region = forms.CharField(
        required=False,
        max_length=MAX_NAME,
        label="State or region",
        help_text="As in addresses, for example CA for California. Leave empty for the whole country.",
    )
    percent = PercentField(label="Rate in percent", decimals=MAX_RATE_DECIMALS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["country"] = self.instance.country or site_country()
        self.initial["percent"] = self.instance.percent if self.instance.pk else None
        self.fields["percent"].help_text = f"For example 19 or {site_formats().number(Decimal('8.875'))}."


def rate(rule: TaxRule) -> str:
    return f"{site_formats().number(rule.percent.normalize())}%"


class TaxRuleViewSet(RecordViewSet):
    model = TaxRule
    icon = "doc-full"
    menu_label = "Tax rates"
    name = "tax_rules"
    url_prefix = "taxes"
    ordering = ("country", "region", "tax_class", "id")
    delete_consequence = "Later sales to this place are not taxed by it. Past sales keep their taxes."
    list_display = (
        RecordColumn("country", label="Country", accessor=lambda rule: country_name(rule.country), sort_key="country"),
        Column("region", label="Region", accessor=lambda rule: rule.region or WHOLE_COUNTRY),
        Column("tax_class", label="Tax class", accessor="get_tax_class_display", sort_key="tax_class"),
        Column("label", label="Label", sort_key="label"),
        Column("percent", label="Rate", accessor=rate, sort_key="percent"),
    )
    filters = {
        "country": filters.choice(lambda: [(code, country_name(code)) for code in taxed_countries()]),
        "tax_class": filters.choice(TaxClass.choices, label="Tax class"),
    }
    csv = {
        "Country": "country",
        "Region": "region",
        "Tax class": "tax_class",
        "Label": "label",
        "Percent": lambda rule: f"{rule.percent.normalize():f}",
    }
    form = TaxRuleForm
    panels = (
        MultiFieldPanel([HelpPanel(HELP), FieldPanel("country"), FieldPanel("region")], heading="Place", icon="globe"),
        MultiFieldPanel(
            [FieldPanel("tax_class"), FieldRowPanel([FieldPanel("label"), FieldPanel("percent")])], heading="Tax", icon="doc-full"
        ),
    )
    create, update, delete = by_services(save_tax_rule, "rule")
