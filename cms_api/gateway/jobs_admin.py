"""Background jobs in the admin: a report on all, and cards on the home for what fails, is late or stands still; admins only."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.views.generic import TemplateView
from wagtail.admin.menu import MenuItem
from wagtail.admin.views.generic import WagtailAdminTemplateMixin
from wagtail.admin.viewsets.base import ViewSet

from cms_api.adminkit.cards import Card
from cms_api.core.jobs import JobStatus

from .status import Status

ICON = "time"
TONES = {JobStatus.FAILING: "critical", JobStatus.LATE: "warning", JobStatus.OK: "positive"}


class JobsView(WagtailAdminTemplateMixin, TemplateView):
    template_name = "gateway/jobs/report.html"
    page_title = "Background jobs"
    header_icon = ICON

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_superuser:
            raise PermissionDenied
        return super().dispatch(request, *args, **kwargs)

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [*self.breadcrumbs_items, {"url": "", "label": self.page_title}]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        status = Status()
        jobs = [(job, TONES.get(job.status, "")) for job in status.jobs]
        return super().get_context_data(status=status, jobs=jobs, **kwargs)


class JobsMenuItem(MenuItem):
    def is_shown(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)


class JobsViewSet(ViewSet):
    icon = ICON

    def get_urlpatterns(self) -> list[URLPattern]:
        return [path("", JobsView.as_view(), name="index")]


JOBS = JobsViewSet("background_jobs", url_prefix="reports/background-jobs")


def menu_item() -> MenuItem:
    """Return the entry of the reports menu."""
    return JobsMenuItem("Background jobs", reverse("background_jobs:index"), icon_name=ICON, order=1000)


def problems(request: HttpRequest) -> Card | None:
    """Return the card of jobs that fail or are late."""
    if not request.user.is_superuser:
        return None
    status = Status()
    found = {job.name for job in (*status.failing, *status.late)}
    return _card("Background jobs", status.problems(), len(found))


def delays(request: HttpRequest) -> Card | None:
    """Return the card of queues that stand still."""
    if not request.user.is_superuser:
        return None
    status = Status()
    return _card("Waiting to be sent", status.delays(), len(status.stalled))


def _card(title: str, found: list[str], count: int) -> Card:
    text = ", ".join(found)
    url = reverse("background_jobs:index")
    return Card(title, url, text=f"{text[:1].upper()}{text[1:]}.", icon=ICON, count=count, urgent=True)
