"""The list of imports, their progress and results, and the URLs of their pages."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets.button import BaseButton, Button, HeaderButton

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn, person
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet

from ..models import ImportRun
from ..selectors import kinds_of, kinds_on, runs_of
from ..services.runs import cancel, resume
from ..types import State
from . import views
from .access import while_importable

#: Refused rows shown on the page of a run.
SHOWN_REFUSALS = 50
CHANGED = "The import has changed in the meantime."


def titles() -> Iterable[tuple[str, str]]:
    return [(name, kind.title) for name, kind in kinds_on().items()]


def progress(run: ImportRun) -> str:
    return f"{run.done} of {run.total} rows" if run.is_under_way else ""


def describe_resumption(run: ImportRun) -> str:
    return f"The import of {run} continues after row {run.done:,}."


class ImportViewSet(RecordViewSet):
    """Imports with their users and results."""

    model = ImportRun
    icon = "upload"
    menu_label = "Imports"
    pages = ("inspect",)
    inspect_view_class = views.RunView
    inspect_template_name = "imports_admin/run.html"
    index_results_template_name = "imports_admin/index_results.html"
    list_display = (
        RecordColumn("filename", label="File", accessor="filename"),
        Column("kind", label="Records", accessor="title"),
        StatusColumn("state", label="State", primary=lambda run: run.state == State.FINISHED, note=progress),
        Column("created", label="New"),
        Column("updated", label="Updated"),
        Column("unchanged", label="Unchanged"),
        Column("refused", label="Refused"),
        Column("user", label="By", accessor=lambda run: person(run.user)),
        MomentColumn("created_at", label="Imported", sort_key=None),
    )
    filters = {
        "kind": filters.choice(titles, label="Records"),
        "state": filters.choice(State.choices, label="Status"),
    }
    transitions = (
        Transition(
            "resume",
            "Continue",
            calling(resume, "run"),
            describe_resumption,
            CHANGED,
            offered=lambda run: run.state == State.FAILED and bool(run.file),
            permission="add",
        ),
        Transition(
            "cancel",
            "Cancel the import",
            calling(cancel, "run"),
            "The import is cancelled. Rows imported so far are kept.",
            CHANGED,
            offered=lambda run: run.is_under_way or run.state == State.UPLOADED,
            permission="add",
        ),
    )

    def records_of(self, user: Any) -> QuerySet[ImportRun]:
        return runs_of(user)

    def list_buttons(self, user: Any) -> list[BaseButton]:
        return [
            HeaderButton(f"Import {kind.title.lower()}", url=reverse("imports:new", args=[name]), icon_name="upload")
            for name, kind in kinds_of(user).items()
        ]

    def record_buttons(self, record: ImportRun, user: Any) -> list[BaseButton]:
        url = reverse("imports:new", args=[record.kind])
        return [Button("Import another file", url=url, icon_name="upload", priority=10)]

    def inspect_context(self, record: ImportRun, request: HttpRequest) -> dict[str, Any]:
        return {
            "run": record,
            "figures": views.figures(record),
            "refusals": record.refusals.all()[:SHOWN_REFUSALS],
            "shown": SHOWN_REFUSALS,
        }

    def get_urlpatterns(self) -> list[URLPattern]:
        patterns = super().get_urlpatterns()
        for pattern in patterns:
            pattern.callback = while_importable(pattern.callback)
        return patterns

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        options = self.get_inspect_view_kwargs(template_name="imports_admin/progress.html")
        return [
            path("new/<slug:kind>/", self.construct_view(views.NewView), name="new"),
            path("new/<slug:kind>/empty-file/", self.construct_view(views.SampleView), name="sample"),
            path("<id:pk>/prepare/", self.construct_view(views.PrepareView), name="prepare"),
            path("<id:pk>/", self.inspect_view, name="inspect"),
            path("<id:pk>/progress/", self.construct_view(views.RunView, **options), name="progress"),
            path("<id:pk>/refused/", self.construct_view(views.RefusedView), name="refused"),
        ]
