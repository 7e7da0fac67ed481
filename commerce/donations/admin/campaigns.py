"""Campaigns in the admin."""

from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel, ObjectList
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.admin.widgets.button import BaseButton, Button
from wagtail.images import get_image_model
from wagtail.images.widgets import AdminImageChooser

from cms_api.adminkit import filters
from cms_api.adminkit.columns import CountColumn, NotedColumn, RecordColumn, StatusColumn
from cms_api.adminkit.fields import LinesField, SlugField
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.core.errors import Invalid
from cms_api.text.search import matching
from commerce.common.admin.cells import day
from commerce.common.types import MAX_SLUG
from commerce.common.types.amounts import AmountField, as_instruction, parse_amount, typed_amount
from commerce.common.types.money import Money

from ..models import Campaign
from ..selectors.campaigns import with_progress
from ..selectors.donations import today
from ..selectors.links import campaign_path
from ..services import delete_campaign, save_campaign
from ..services.campaigns import CAMPAIGN
from ..types.donations import MAX_DESIGNATION, MAX_TITLE
from .parts import format_raised, percent

OPEN, ENDED, HIDDEN = "open", "ended", "hidden"
LABELS = {OPEN: "Open", ENDED: "Ended", HIDDEN: "Hidden"}


def state(campaign: Campaign) -> str:
    if not campaign.is_visible:
        return HIDDEN
    return ENDED if campaign.has_ended(today()) else OPEN


def label(campaign: Campaign) -> str:
    return LABELS[state(campaign)]


def in_state(found: QuerySet[Campaign], name: str, value: str) -> QuerySet[Campaign]:
    if value == HIDDEN:
        return found.filter(is_visible=False)
    shown = found.filter(is_visible=True)
    return shown.filter(ends_on__lt=today()) if value == ENDED else shown.filter(Q(ends_on=None) | Q(ends_on__gte=today()))


class CauseForm(RecordForm):
    """The fields that the forms of campaigns and fundraisers have in common."""

    refused_at: ClassVar = {"goal_cents": "goal", "image": "image_chosen"}

    slug = SlugField(max_length=MAX_SLUG, help_text="The last part of the page's URL. Leave empty to derive it from the name.")
    goal = AmountField(required=False, help_text="Leave empty for none.")
    image_chosen = forms.ModelChoiceField(
        queryset=get_image_model().objects.all(), required=False, widget=AdminImageChooser, label="Picture"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cause: Any = self.instance
        self.initial |= {"goal": cause.goal_cents, "image_chosen": cause.image_id}
        self.fields["goal"].label = f"Goal ({settings.SITE_CURRENCY.upper()})"

    def values(self) -> dict[str, Any]:
        values = super().values()
        image = values.pop("image_chosen")
        return {**values, "goal_cents": values.pop("goal"), "image": image.pk if image else None}

    class Meta(RecordForm.Meta):
        widgets: ClassVar = {"story": AdminAutoHeightTextInput(attrs={"rows": 8})}


class CampaignForm(CauseForm):
    refused_at: ClassVar = {**CauseForm.refused_at, "amounts": "amount_lines", "designations": "designation_lines"}

    amount_lines = LinesField(
        required=False, label="Suggested amounts", help_text="One per line. Leave empty for the usual ones."
    )
    designation_lines = LinesField(
        required=False,
        max_length=MAX_DESIGNATION,
        label="Designations",
        help_text="Purposes that donors choose from, one per line. Leave empty for no choice.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        campaign: Any = self.instance
        amounts = list(map(typed_amount, campaign.amounts))
        self.initial |= {"amount_lines": amounts, "designation_lines": campaign.designations}
        self.fields["amount_lines"].label = f"Suggested amounts ({settings.SITE_CURRENCY.upper()})"

    def clean_amount_lines(self) -> list[int]:
        """Return the amounts in minor units."""
        try:
            return [parse_amount(line).cents for line in self.cleaned_data["amount_lines"]]
        except Invalid as refusal:
            raise forms.ValidationError(as_instruction(refusal)) from None

    def values(self) -> dict[str, Any]:
        values = super().values()
        return {**values, "amounts": values.pop("amount_lines"), "designations": values.pop("designation_lines")}


def donations_url(campaign: Campaign) -> str:
    return set_query_params(reverse("donations:index"), {"campaign": campaign.pk})


def fundraisers_url(campaign: Campaign) -> str:
    return set_query_params(reverse("fundraisers:index"), {"campaign": campaign.pk})


class CampaignViewSet(RecordViewSet):
    model = Campaign
    icon = "pick"
    menu_label = "Campaigns"
    menu_order = 30
    name = "campaigns"
    url_prefix = "donations/campaigns"
    pages = ("add", "copy", "edit", "delete", "history")
    ordering = ("position", "name", "id")
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        StatusColumn(
            "state", label="Status", accessor=lambda each: LABELS[state(each)], primary=lambda each: state(each) == OPEN
        ),
        NotedColumn("raised_cents", label="Raised", accessor=format_raised, note=percent, sort_key="raised_cents"),
        CountColumn("donation_count", label="Donations", url=donations_url, empty="None"),
        CountColumn("fundraiser_count", label="Fundraisers", url=fundraisers_url, empty="None"),
        Column("ends_on", label="Ends", accessor=lambda each: day(each.ends_on), sort_key="ends_on"),
        Column("position", label="Position", sort_key="position"),
    )
    nulls_last = ("ends_on",)
    filters = {"state": filters.choice([*LABELS.items()], label="Status", method=in_state)}
    search = matching
    search_label = "Donation campaigns"
    search_order = 185
    csv = {
        "Name": "name",
        "Status": label,
        "Raised": lambda each: Money(each.raised_cents, settings.SITE_CURRENCY).amount,
        "Goal": lambda each: Money(each.goal_cents, settings.SITE_CURRENCY).amount if each.goal_cents else "",
        "Currency": lambda each: settings.SITE_CURRENCY.upper(),
        "Donations": "donation_count",
        "Fundraisers": "fundraiser_count",
        "Ends": "ends_on",
        "Created": "created_at",
    }
    form = CampaignForm
    panels = (
        ObjectList(
            [
                NamePanel("name"),
                FieldPanel("slug"),
                FieldPanel("summary", help_text="One sentence, shown in lists of campaigns."),
                FieldPanel("story", help_text="Shown on the page of the campaign. An empty line begins a paragraph."),
                FieldPanel("image_chosen"),
                MultiFieldPanel(
                    [
                        FieldRowPanel(
                            [FieldPanel("goal"), FieldPanel("ends_on", help_text="The last day for donations, if there is one.")]
                        )
                    ],
                    heading="Goal",
                    icon="tag",
                ),
                MultiFieldPanel(
                    [
                        FieldPanel("is_visible", help_text="Otherwise the campaign has no public page."),
                        FieldPanel("position"),
                    ],
                    heading="Visibility",
                    icon="view",
                ),
            ],
            heading="Campaign",
        ),
        ObjectList(
            [
                FieldPanel("amount_lines"),
                FieldPanel("designation_lines"),
                FieldPanel("shows_donors", help_text="With their messages. Anonymous donors are not named."),
                FieldPanel("has_fundraisers", help_text="On pages of their own, which count towards this campaign."),
            ],
            heading="Donations",
        ),
    )
    delete_consequence = "Only a campaign without donations and fundraisers can be deleted."
    create, update, delete = by_services(save_campaign, "campaign", delete_campaign)

    def records(self) -> QuerySet[Campaign]:
        return with_progress(Campaign.objects.annotate(fundraiser_count=Count("fundraisers")))

    def copy_record(self, record: Campaign) -> Campaign:
        given = {name: getattr(record, name) for name in CAMPAIGN if name != "name"}
        return Campaign(name=f"{record.name} (copy)"[:MAX_TITLE], image_id=record.image_id, **given)

    def record_buttons(self, record: Campaign, user: Any) -> list[BaseButton]:
        found = [Button("Donations", url=donations_url(record), icon_name="pick", priority=12)]
        if record.is_visible:
            found.append(Button("Public page", url=campaign_path(record), icon_name="view", priority=11))
        return found
