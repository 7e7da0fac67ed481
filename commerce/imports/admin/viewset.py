"""The listing of imports and the addresses of their pages."""

from typing import Any

import django_filters
from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from wagtail.admin.filters import WagtailFilterSet
from wagtail.admin.menu import MenuItem
from wagtail.admin.ui.tables import Column, TitleColumn
from wagtail.admin.views import generic
from wagtail.admin.viewsets.base import ViewSet
from wagtail.admin.widgets.button import HeaderButton

from cms_api.adminkit.columns import local_date

from ..models import ImportRun
from ..selectors import kinds_of, kinds_on, runs_of
from ..types import State
from . import views


class RunFilterSet(WagtailFilterSet):
    kind = django_filters.ChoiceFilter(label="Records", empty_label="All", choices=list, widget=forms.RadioSelect)
    state = django_filters.ChoiceFilter(label="State", empty_label="All", choices=State.choices, widget=forms.RadioSelect)

    class Meta:
        model = ImportRun
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.filters["kind"].extra["choices"] = [(name, kind.title) for name, kind in kinds_on().items()]


class StateColumn(Column):
    cell_template_name = "imports_admin/state_cell.html"


class Index(generic.IndexView):
    model = ImportRun
    page_title = "Imports"
    header_icon = "upload"
    index_url_name = "imports:index"
    index_results_url_name = "imports:index_results"
    template_name = "imports_admin/index.html"
    results_template_name = "imports_admin/index_results.html"
    filterset_class = RunFilterSet
    is_searchable = False
    default_ordering = ("-created_at", "-id")
    paginate_by = 50
    list_display = [
        TitleColumn("filename", label="File", get_url=views.page_of),
        Column("kind", label="Records", accessor="title"),
        StateColumn("state", label="State"),
        Column("created", label="New"),
        Column("matched", label="There already"),
        Column("refused", label="Refused"),
        Column("user", label="By", accessor=lambda run: run.user.get_full_name() or run.user.get_username() if run.user else ""),
        Column("created_at", label="Brought in", accessor=lambda run: local_date(run.created_at)),
    ]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not kinds_on():
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def get_base_queryset(self) -> QuerySet[ImportRun]:
        return runs_of(self.request.user)

    @cached_property
    def columns(self) -> list[Any]:
        return self.list_display

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        return [
            HeaderButton(f"Import {kind.title.lower()}", url=reverse("imports:new", args=[name]), icon_name="upload")
            for name, kind in kinds_of(self.request.user).items()
        ]

    def get_list_more_buttons(self, instance: ImportRun) -> list[Any]:
        return []


class ImportMenuItem(MenuItem):
    def is_shown(self, request: HttpRequest) -> bool:
        return bool(kinds_of(request.user))


class ImportViewSet(ViewSet):
    """What was imported, by whom, and what came of it."""

    icon = "upload"
    menu_label = "Imports"
    menu_item_class = ImportMenuItem

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", Index.as_view(), name="index"),
            path("results/", Index.as_view(results_only=True), name="index_results"),
            path("new/<slug:kind>/", views.New.as_view(), name="new"),
            path("new/<slug:kind>/empty-file/", views.Sample.as_view(), name="sample"),
            path("<int:pk>/prepare/", views.Prepare.as_view(), name="prepare"),
            path("<int:pk>/", views.Run.as_view(), name="run"),
            path("<int:pk>/progress/", views.Moving.as_view(), name="progress"),
            path("<int:pk>/refused/", views.Refused.as_view(), name="refused"),
            path("<int:pk>/cancel/", views.Cancel.as_view(), name="cancel"),
            path("<int:pk>/resume/", views.Resume.as_view(), name="resume"),
        ]
