"""Fundraisers in the admin: their pages, and the approval of those that supporters have started."""

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets.button import BaseButton, Button

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn, TransitionsColumn
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.text.search import matching
from commerce.common.types.money import Money

from ..models import Campaign, Donation, Fundraiser
from ..selectors.campaigns import with_progress
from ..selectors.links import FUNDRAISER_LINK, fundraiser_path
from ..services import delete_fundraiser, end_fundraiser, hide_fundraiser, publish_fundraiser, save_fundraiser
from ..types.donations import FundraiserStatus
from .campaigns import CauseForm
from .parts import SHOWN_DONATIONS, campaign_link, format_raised, percent, rows

TONES = {FundraiserStatus.PENDING: "warning", FundraiserStatus.PUBLISHED: "positive"}
ONLINE = "Its page is public, and the organizer gets an email with its address."
OVER = "Its page stays, and takes no more donations."
AWAY = "Its page is no longer public."


class FundraiserForm(CauseForm):
    only_new = ("campaign",)

    campaign = forms.ModelChoiceField(Campaign.objects.all(), empty_label="Choose a campaign")


def is_public(fundraiser: Fundraiser) -> bool:
    return fundraiser.is_public and fundraiser.campaign.is_visible


class FundraiserViewSet(RecordViewSet):
    model = Fundraiser
    icon = "group"
    menu_label = "Fundraisers"
    menu_order = 40
    name = "fundraisers"
    url_prefix = "donations/fundraisers"
    pages = ("add", "edit", "inspect", "delete", "history")
    inspect_template_name = "donations_admin/fundraiser.html"
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        StatusColumn("status", label="Status", tone=lambda each: TONES.get(FundraiserStatus(each.status), "")),
        Column("campaign", label="Campaign", sort_key="campaign__name"),
        NotedColumn("organizer", label="Organizer", note=lambda each: each.email, sort_key="organizer"),
        NotedColumn("raised_cents", label="Raised", accessor=format_raised, note=percent, sort_key="raised_cents"),
        MomentColumn("created_at", label="Created"),
        TransitionsColumn(
            "actions", label="Actions", accessor=lambda each: "", shown=lambda each: each.status == FundraiserStatus.PENDING
        ),
    )
    filters = {
        "status": filters.choice(FundraiserStatus.choices),
        "campaign": filters.record(Campaign.objects.all()),
        "created_at": filters.date_range("Created"),
    }
    search = matching
    search_order = 186
    csv = {
        "Name": "name",
        "Status": "status",
        "Campaign": lambda each: each.campaign.name,
        "Organizer": "organizer",
        "Email": "email",
        "Raised": lambda each: Money(each.raised_cents, settings.SITE_CURRENCY).amount,
        "Goal": lambda each: Money(each.goal_cents, settings.SITE_CURRENCY).amount if each.goal_cents else "",
        "Currency": lambda each: settings.SITE_CURRENCY.upper(),
        "Donations": "donation_count",
        "Created": "created_at",
    }
    form = FundraiserForm
    panels = (
        MultiFieldPanel(
            [
                FieldPanel("campaign"),
                NamePanel("name"),
                FieldPanel("slug"),
                FieldPanel("story"),
                FieldPanel("image_chosen"),
                FieldPanel("goal"),
            ],
            heading="Page",
            icon="doc-full",
        ),
        MultiFieldPanel(
            [
                FieldRowPanel(
                    [
                        FieldPanel("organizer", help_text="The name on the page."),
                        FieldPanel("email", help_text="Not public. Gets the link to change the page."),
                    ]
                )
            ],
            heading="Organizer",
            icon="user",
        ),
    )
    delete_consequence = "Only a fundraiser without donations can be deleted."
    transitions = (
        Transition(
            "publish",
            "Publish",
            calling(publish_fundraiser, "fundraiser"),
            "{record} is public. The organizer has been emailed.",
            "{record} was already public.",
            offered=lambda each: each.status != FundraiserStatus.PUBLISHED,
            confirm=ONLINE,
        ),
        Transition(
            "end",
            "End",
            calling(end_fundraiser, "fundraiser"),
            "{record} takes no more donations.",
            offered=lambda each: each.status == FundraiserStatus.PUBLISHED,
            confirm=OVER,
        ),
        Transition(
            "hide",
            "Hide",
            calling(hide_fundraiser, "fundraiser"),
            "{record} is hidden.",
            offered=lambda each: each.status != FundraiserStatus.HIDDEN,
            serious=True,
            confirm=AWAY,
        ),
    )
    bulk_actions = (
        Bulk(
            "publish",
            "Publish",
            "published",
            "Their pages are public, and the organizers get an email.",
            each=calling(publish_fundraiser, "fundraiser"),
        ),
        Bulk("end", "End", "ended", "Their pages stay, and take no more donations.", each=calling(end_fundraiser, "fundraiser")),
        Bulk(
            "hide",
            "Hide",
            "hidden",
            "Their pages are no longer public.",
            each=calling(hide_fundraiser, "fundraiser"),
            serious=True,
        ),
    )

    def records(self) -> QuerySet[Fundraiser]:
        return with_progress(Fundraiser.objects.select_related("campaign"))

    def create(self, values: dict[str, Any], user: Any) -> Fundraiser:
        given = dict(values)
        return save_fundraiser(campaign=given.pop("campaign"), values=given, user=user)

    def update(self, record: Fundraiser, values: dict[str, Any], user: Any) -> Fundraiser:
        return save_fundraiser(fundraiser=record, values=values, user=user)

    def delete(self, record: Fundraiser, user: Any) -> None:
        delete_fundraiser(fundraiser=record, user=user)

    def facts(self, record: Fundraiser) -> dict[str, Any]:
        return {
            "Status": record.get_status_display(),
            "Campaign": campaign_link(record.campaign),
            "Organizer": record.organizer,
            "Email": record.email,
            "Raised": " · ".join(filter(None, (format_raised(record), percent(record)))),
            "Donations": str(record.donation_count),
            "Created": record.created_at,
        }

    def inspect_context(self, record: Fundraiser, request: HttpRequest) -> dict[str, Any]:
        latest = Donation.objects.filter(fundraiser=record).order_by("-created_at", "-pk")[: SHOWN_DONATIONS + 1]
        found = rows(latest)
        return {
            "donations": found[:SHOWN_DONATIONS],
            "has_more": len(found) > SHOWN_DONATIONS,
            "public_url": fundraiser_path(record) if is_public(record) else "",
            "edit_url": FUNDRAISER_LINK.path(record),
        }

    def record_buttons(self, record: Fundraiser, user: Any) -> list[BaseButton]:
        if not is_public(record):
            return []
        return [Button("Public page", url=fundraiser_path(record), icon_name="view", priority=12)]
