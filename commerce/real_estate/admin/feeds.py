"""Feeds in the admin: their settings, imports on demand, uploads of files, and what the imports did."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.panels import FieldPanel, FieldRowPanel, HelpPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params

from cms_api.adminkit import filters
from cms_api.adminkit.columns import CountColumn, MomentColumn, RecordColumn, StatusColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.transitions import Transition
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.flags.selectors import site_country
from cms_api.text.addresses import country_code
from commerce.common.admin.addresses import country_choices
from commerce.common.admin.amounts import RecordActionForm

from ..models import Feed, FeedRun
from ..selectors.feeds import failing_feeds, feeds_to_confirm, feeds_with_state, open_run, runs
from ..services import delete_feed, queue_run, save_feed, stop_run, upload_file
from ..types.listings import MAX_TOKEN, FeedKind, RunStatus
from .words import RUN_TONES, duration, tag

#: Imports on the page of a feed, and problems of each.
SHOWN_RUNS, SHOWN_PROBLEMS = 20, 10
#: Values of the filter by state.
ENABLED, DISABLED, FAILING, CONFIRM = "enabled", "disabled", "failing", "confirm"
TOKEN_STORED = "A token is stored. Enter another one to replace it."
STORED = {"token": TOKEN_STORED, "client_secret": "A client secret is stored. Enter another one to replace it."}


class FeedForm(RecordForm):
    """The token is written, and never shown."""

    only_new = ("kind",)
    refused_at = {"token": "new_token", "client_secret": "new_client_secret"}

    new_token = forms.CharField(
        required=False,
        label="Token",
        max_length=MAX_TOKEN,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="The bearer token that the provider has given you. It is not shown again.",
    )
    new_client_secret = forms.CharField(
        required=False,
        label="Client secret",
        max_length=MAX_TOKEN,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="The secret of the client ID. It is not shown again.",
    )
    clear_client_secret = forms.BooleanField(required=False, label="Delete the stored client secret")
    clear_token = forms.BooleanField(required=False, label="Delete the stored token")
    currency = forms.CharField(max_length=3, help_text="A code of three letters. Feeds name none.")
    country = forms.ChoiceField(help_text="Of listings that name none.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        feed: Any = self.instance
        fields: Any = self.fields
        fields["country"].choices = country_choices(feed.country)
        self.initial |= {
            "currency": (feed.currency or settings.SITE_CURRENCY).upper(),
            "country": country_code(feed.country) or feed.country or site_country(),
        }
        for name, text in STORED.items():
            if getattr(feed, name):
                fields[f"new_{name}"].help_text = text
            else:
                del fields[f"clear_{name}"]

    def values(self) -> dict[str, Any]:
        values = super().values()
        return {**values, **{name: values.pop(f"new_{name}") for name in STORED}}


class UploadForm(RecordActionForm):
    file = forms.FileField(
        label="JSON or CSV file",
        help_text="With the names of the RESO Data Dictionary: ListingKey, StandardStatus, ListPrice, City and so on.",
    )
    is_complete = forms.BooleanField(
        required=False,
        label="The file is complete",
        help_text="Listings of this feed that are not in it are removed in the end.",
    )
    allow_removals = forms.BooleanField(
        required=False,
        label="Also remove more than a fifth of the listings",
        help_text="Otherwise an import that would remove that many stops, and removes none.",
    )


def run_now(feed: Feed, user: Any, values: Mapping[str, Any]) -> bool:
    return queue_run(feed=feed, user=user)


def confirm_removals(feed: Feed, user: Any, values: Mapping[str, Any]) -> bool:
    return queue_run(feed=feed, allow_removals=True, user=user)


def stop(feed: Feed, user: Any, values: Mapping[str, Any]) -> bool:
    run = open_run(feed)
    return run is not None and stop_run(run=run, user=user)


def upload(feed: Feed, user: Any, values: Mapping[str, Any]) -> FeedRun:
    file = values["file"]
    options = {"is_complete": values["is_complete"], "allow_removals": values["allow_removals"]}
    return upload_file(feed=feed, file=file, name=file.name, **options, user=user)


def is_reso(feed: Feed) -> bool:
    return feed.kind == FeedKind.RESO


def may_run(feed: Any) -> bool:
    return feed.enabled and feed.open_status != RunStatus.RUNNING and (is_reso(feed) or feed.open_status is not None)


def asks_to_confirm(feed: Any) -> bool:
    return bool(feed.brake) and feed.enabled and is_reso(feed) and feed.open_status is None


def by_state(found: QuerySet[Feed], name: str, value: str) -> QuerySet[Feed]:
    if value in (FAILING, CONFIRM):
        wanted = failing_feeds() if value == FAILING else feeds_to_confirm()
        return found.filter(pk__in=wanted.order_by().values("pk"))
    return found.filter(enabled=value == ENABLED)


def state(feed: Any) -> str:
    """Return the state of a feed's latest import."""
    if not feed.enabled:
        return "Disabled"
    if feed.brake and feed.open_status is None:
        return "Stopped"
    return RunStatus(feed.last_status).label if feed.last_status else "No import yet"


def state_tone(feed: Any) -> str:
    if not feed.enabled or not feed.last_status:
        return ""
    return "critical" if state(feed) == "Stopped" else RUN_TONES.get(RunStatus(feed.last_status), "")


def state_note(feed: Any) -> str:
    if feed.brake and feed.open_status is None:
        return "Many listings would be removed"
    return feed.last_error or ""


def listings_url(feed: Feed) -> str:
    return set_query_params(reverse("property_listings:index"), {"feed": feed.pk})


def run_url(run: FeedRun) -> str:
    return reverse("property_imports:inspect", args=[run.pk])


class FeedViewSet(RecordViewSet):
    model = Feed
    icon = "rotate"
    menu_label = "Feeds"
    menu_order = 20
    name = "property_feeds"
    url_prefix = "real-estate/feeds"
    pages = ("add", "edit", "inspect", "delete", "history")
    inspect_template_name = "real_estate_admin/feed.html"
    ordering = ("name", "id")
    search_fields = ["name", "url"]
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("kind", label="Kind", accessor="get_kind_display"),
        StatusColumn("state", label="Latest import", accessor=state, tone=state_tone, note=state_note),
        CountColumn("property_count", label="Listings", url=listings_url),
        MomentColumn("last_started_at", label="Started", empty="Never"),
        MomentColumn("next_run_at", label="Next import", accessor=lambda each: each.next_run_at if is_scheduled(each) else None),
    )
    nulls_last = ("last_started_at", "next_run_at")
    filters = {
        "state": filters.choice(
            [
                (FAILING, "Latest import failed"),
                (CONFIRM, "Stopped before removing listings"),
                (ENABLED, "Enabled"),
                (DISABLED, "Disabled"),
            ],
            label="State",
            method=by_state,
        ),
        "kind": filters.choice(FeedKind.choices),
    }
    form = FeedForm
    panels = (
        FieldPanel("name"),
        FieldPanel("kind", help_text="It cannot be changed later."),
        MultiFieldPanel(
            [
                HelpPanel("<p>For feeds of the RESO Web API. Feeds of uploaded files need none of it.</p>"),
                FieldPanel("url", help_text="The address of the Property resource, with https."),
                FieldPanel("new_token"),
                FieldPanel("clear_token"),
                FieldPanel("token_url"),
                FieldRowPanel([FieldPanel("client_id"), FieldPanel("scope")]),
                FieldPanel("new_client_secret"),
                FieldPanel("clear_client_secret"),
                FieldRowPanel(
                    [
                        FieldPanel("interval_minutes", help_text="At least 5."),
                        FieldPanel("page_size", help_text="As many as the provider allows: 1,000 at most places."),
                    ]
                ),
            ],
            heading="Source",
            icon="link",
        ),
        MultiFieldPanel(
            [
                FieldRowPanel([FieldPanel("currency"), FieldPanel("country")]),
                FieldPanel("shows_coming_soon", help_text="Many providers do not allow it."),
            ],
            heading="Listings",
            icon="home",
        ),
        MultiFieldPanel(
            [
                FieldPanel("copies_photos", help_text="Into the media library. Visitors then load nothing from the provider."),
                FieldPanel("photo_license"),
            ],
            heading="Photos",
            icon="image",
        ),
        FieldPanel("enabled", help_text="A disabled feed is not imported. Its listings stay."),
    )
    transitions = (
        Transition(
            "run",
            "Run now",
            run_now,
            "The import is queued. It starts within a minute.",
            "This feed is being imported already.",
            offered=may_run,
        ),
        Transition(
            "upload",
            "Import a file",
            upload,
            "The file is queued. Its import starts within a minute.",
            "This feed is read from its address.",
            offered=lambda feed: feed.enabled and not is_reso(feed) and feed.open_status is None,
            form=UploadForm,
            on_page=True,
            confirm="Known listings are updated by their ListingKey, others are created.",
            leads_to=run_url,
        ),
        Transition(
            "confirm_removals",
            "Confirm removals",
            confirm_removals,
            "The keys are compared again. Listings that the feed no longer has are removed.",
            "There is nothing to confirm any more.",
            offered=asks_to_confirm,
            serious=True,
            confirm=lambda feed: (
                f"{feed.brake} Check at the provider that these listings are gone: with your confirmation the keys are compared "
                "again, and every listing that the feed no longer has is removed, with its photos."
            ),
        ),
        Transition(
            "stop",
            "Stop import",
            stop,
            "The import is stopped. Listings that it has stored stay.",
            "No import is running.",
            offered=lambda feed: feed.open_status is not None,
            serious=True,
        ),
    )
    create, update, delete = by_services(save_feed, "feed", delete_feed)

    def records(self) -> QuerySet[Feed]:
        return feeds_with_state()

    def get_delete_consequence(self, record: Any) -> str:
        count = record.property_count
        if not count:
            return "It has no listings."
        listings = "Its listing is" if count == 1 else f"Its {count:,} listings are"
        return f"{listings} deleted too, with the photos that were copied. Inquiries are kept."

    def facts(self, record: Any) -> dict[str, Any]:
        reso = is_reso(record)
        return {
            "Kind": record.get_kind_display(),
            "State": " · ".join(filter(None, (state(record), state_note(record)))),
            "URL": record.url or None,
            "Token": ("Stored" if record.token else "None") if reso else None,
            "Token URL": record.token_url or None,
            "Client ID": record.client_id or None,
            "Client secret": ("Stored" if record.client_secret else "None") if record.token_url else None,
            "Interval": f"{record.interval_minutes:,} minutes" if reso else None,
            "Listings per request": f"{record.page_size:,}" if reso else None,
            "Currency": record.currency.upper(),
            "Country": record.country,
            "Photos": "Copied into the media library" if record.copies_photos else "Linked at their source",
            "License of the photos": record.photo_license or None,
            "Coming soon": "Shown" if record.shows_coming_soon else "Hidden",
            "Listings": f"{record.property_count:,}",
            "Changes read up to": record.watermark,
            "Removals compared": record.keys_checked_at,
            "Next import": record.next_run_at if is_scheduled(record) else None,
        }

    def inspect_context(self, record: Any, request: HttpRequest) -> dict[str, Any]:
        latest = list(runs(record)[:SHOWN_RUNS])
        return {
            "runs": [
                {"run": run, "url": run_url(run), "classname": tag(run.status), "duration": duration(run)} for run in latest
            ],
            "problems": _latest_problems(latest),
            "all_runs_url": set_query_params(reverse("property_imports:index"), {"feed": record.pk}),
            "listings_url": listings_url(record),
            "needs_file": bool(record.brake) and not is_reso(record) and record.open_status is None,
        }


def is_scheduled(feed: Feed) -> bool:
    return feed.enabled and is_reso(feed)


def _latest_problems(latest: list[FeedRun]) -> list[dict[str, Any]]:
    """Return the first problems of the latest imports that skipped records."""
    with_problems = [run for run in latest if run.problems["named"]][:3]
    return [
        {
            "run": run,
            "url": run_url(run),
            "named": run.problems["named"][:SHOWN_PROBLEMS],
            "others": max(0, run.problems["total"] - SHOWN_PROBLEMS),
        }
        for run in with_problems
    ]
