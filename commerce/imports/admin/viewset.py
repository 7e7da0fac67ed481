"""The list of imports and the URLs of their pages."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import Permission
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.urls import URLPattern, path, reverse
from wagtail.admin.menu import MenuItem
from wagtail.admin.ui.tables import Column, TitleColumn
from wagtail.admin.widgets.button import BaseButton, HeaderButton

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn
from cms_api.adminkit.listing import ListView
from cms_api.adminkit.viewset import RecordViewSet

from ..models import ImportRun
from ..selectors import kinds_of, kinds_on, runs_of
from ..types import State
from . import views


def titles() -> Iterable[tuple[str, str]]:
    return [(name, kind.title) for name, kind in kinds_on().items()]


def started_by(run: ImportRun) -> str:
    return run.user.get_full_name() or run.user.get_username() if run.user else ""


class StateColumn(Column):
    cell_template_name = "imports_admin/state_cell.html"


class ImportListView(ListView):
    """The imports of the kinds the user may import; 404 if there are no kinds."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not kinds_on():
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def get_base_queryset(self) -> QuerySet[ImportRun]:
        return runs_of(self.request.user)


class ImportMenuItem(MenuItem):
    def is_shown(self, request: HttpRequest) -> bool:
        return bool(kinds_of(request.user))


class ImportViewSet(RecordViewSet):
    """Imports with their users and results."""

    model = ImportRun
    icon = "upload"
    menu_label = "Imports"
    menu_item_class = ImportMenuItem
    pages = ()
    index_view_class = ImportListView
    index_results_template_name = "imports_admin/index_results.html"
    list_display = (
        TitleColumn("filename", label="File", get_url=views.page_of),
        Column("kind", label="Records", accessor="title"),
        StateColumn("state", label="Status"),
        Column("created", label="New"),
        Column("matched", label="Existing"),
        Column("refused", label="Refused"),
        Column("user", label="By", accessor=started_by),
        MomentColumn("created_at", label="Imported", sort_key=None),
    )
    filters = {
        "kind": filters.choice(titles, label="Records"),
        "state": filters.choice(State.choices, label="Status"),
    }

    def list_buttons(self, user: Any) -> list[BaseButton]:
        return [
            HeaderButton(f"Import {kind.title.lower()}", url=reverse("imports:new", args=[name]), icon_name="upload")
            for name, kind in kinds_of(user).items()
        ]

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [
            path("new/<slug:kind>/", views.New.as_view(), name="new"),
            path("new/<slug:kind>/empty-file/", views.Sample.as_view(), name="sample"),
            path("<int:pk>/prepare/", views.Prepare.as_view(), name="prepare"),
            path("<int:pk>/", views.Run.as_view(), name="run"),
            path("<int:pk>/progress/", views.Moving.as_view(), name="progress"),
            path("<int:pk>/refused/", views.Refused.as_view(), name="refused"),
            path("<int:pk>/cancel/", views.Cancel.as_view(), name="cancel"),
            path("<int:pk>/resume/", views.Resume.as_view(), name="resume"),
        ]

    def get_permissions_to_register(self) -> QuerySet[Permission]:
        """None: imports use the permissions of the imported records."""
        return Permission.objects.none()
