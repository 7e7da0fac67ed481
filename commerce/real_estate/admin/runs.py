"""Imports of feeds in the admin: what each has done, and the records that it skipped."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn, person
from cms_api.adminkit.viewset import RecordViewSet
from commerce.common.admin.cells import link

from ..models import Feed, FeedRun
from ..selectors.feeds import runs
from ..types.listings import RunKind, RunStatus
from .words import duration, run_tone

LABELS = {
    "read": "Read",
    "created": "Created",
    "updated": "Updated",
    "unchanged": "Unchanged",
    "hidden": "Hidden",
    "removed": "Removed",
    "skipped": "Skipped",
}


def figure(name: str) -> Column:
    return Column(name, label=LABELS[name], accessor=lambda run: f"{getattr(run, name):,}")


class RunViewSet(RecordViewSet):
    model = FeedRun
    icon = "history"
    menu_label = "Imports of feeds"
    menu_order = 30
    name = "property_imports"
    url_prefix = "real-estate/imports"
    pages = ("inspect",)
    inspect_template_name = "real_estate_admin/run.html"
    ordering = ("-started_at", "-id")
    list_display = (
        RecordColumn("feed", label="Feed", accessor="feed"),
        Column("kind", label="Kind", accessor="get_kind_display"),
        StatusColumn("status", label="Status", tone=run_tone, note=lambda run: run.error),
        MomentColumn("started_at", label="Started"),
        Column("duration", label="Duration", accessor=duration),
        *(figure(name) for name in ("read", "created", "updated", "removed", "skipped")),
    )
    filters = {
        "feed": filters.record(Feed.objects.all()),
        "status": filters.choice(RunStatus.choices),
        "kind": filters.choice(RunKind.choices),
        "started_at": filters.date_range("Started"),
    }
    csv = {
        "Feed": "feed.name",
        "Kind": "kind",
        "Status": "status",
        "Started": "started_at",
        "Finished": "finished_at",
        **{label: name for name, label in LABELS.items()},
        "Error": "error",
        "File": "filename",
    }

    def records(self) -> QuerySet[FeedRun]:
        return runs()

    def facts(self, record: FeedRun) -> dict[str, Any]:
        return {
            "Feed": link(record.feed, reverse("property_feeds:inspect", args=[record.feed_id])),
            "Kind": record.get_kind_display(),
            "Status": record.get_status_display(),
            "Error": record.error or None,
            "File": record.filename or None,
            "The file is complete": "Yes: listings that are not in it are removed" if record.is_complete else None,
            "Removals": "Confirmed, however many" if record.allows_removals else None,
            "Started": record.started_at,
            "Continues": record.resumes_at,
            "Finished": record.finished_at,
            "Duration": duration(record),
            "Requested by": person(record.user) or None,
            "Listings that the server counts": f"{record.counted:,}" if record.counted is not None else None,
            **{LABELS[name]: f"{count:,}" for name, count in record.figures.items()},
        }

    def inspect_context(self, record: FeedRun, request: HttpRequest) -> dict[str, Any]:
        named = record.problems["named"]
        return {"problems": named, "others": max(0, record.problems["total"] - len(named))}
