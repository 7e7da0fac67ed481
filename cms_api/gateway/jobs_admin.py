"""Background jobs in the admin: a report on all, and cards on the home for what fails, is late or stands still; admins only."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.views.generic import TemplateView, View
from wagtail.admin import messages
from wagtail.admin.menu import MenuItem
from wagtail.admin.views.generic import WagtailAdminTemplateMixin
from wagtail.admin.viewsets.base import ViewSet

from cms_api.adminkit.cards import Card
from cms_api.adminkit.columns import local_date
from cms_api.core.jobs import JobStatus, resume_jobs

from .backup.types import some
from .status import FAILURE_DAYS, Status

ICON = "time"
#: Jobs that a card names.
SHOWN_NAMES = 4
TONES = {
    JobStatus.FAILING: "critical",
    JobStatus.LATE: "warning",
    JobStatus.OK: "positive",
    JobStatus.PAUSED: "warning",
}


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
        return super().get_context_data(
            status=status, jobs=jobs, failure_days=FAILURE_DAYS, paused_text=_paused_text(status), **kwargs
        )


class ResumeView(View):
    """Resumes the jobs that a restore has paused."""

    def post(self, request: HttpRequest) -> HttpResponse:
        if not request.user.is_superuser:
            raise PermissionDenied
        resumed = resume_jobs(by=str(request.user))
        messages.success(request, "The jobs have been resumed." if resumed else "No jobs were paused.")
        return redirect("background_jobs:index")


class JobsMenuItem(MenuItem):
    def is_shown(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)


class JobsViewSet(ViewSet):
    icon = ICON

    def get_urlpatterns(self) -> list[URLPattern]:
        return [path("", JobsView.as_view(), name="index"), path("resume/", ResumeView.as_view(), name="resume")]


JOBS = JobsViewSet("background_jobs", url_prefix="reports/background-jobs")


def menu_item() -> MenuItem:
    """Return the entry of the reports menu."""
    return JobsMenuItem("Background jobs", reverse("background_jobs:index"), icon_name=ICON, order=1000)


def problems(request: HttpRequest) -> Card:
    """Return the card of jobs that fail or are late."""
    status = Status()
    found = {job.name for job in (*status.failing, *status.late)}
    return _card("Background jobs", status.problems(), len(found))


def pauses(request: HttpRequest) -> Card:
    """Return the card of jobs that a restore has paused, with a button that resumes them."""
    status = Status()
    return Card(
        "Paused after a restore",
        reverse("background_jobs:index"),
        text=_paused_text(status, SHOWN_NAMES),
        icon="warning",
        count=len(status.paused),
        urgent=True,
        button="Resume",
        action=reverse("background_jobs:resume"),
        order=0,
    )


def _paused_text(status: Status, most: int | None = None) -> str:
    """Return why jobs are paused, and which; only so many are named."""
    moments = [job.paused_for_backup_of for job in status.paused if job.paused_for_backup_of]
    if not moments:
        return ""
    names = [job.title for job in status.paused]
    named = some(names, most or len(names))
    return (
        f"This site was restored from a backup of {local_date(max(moments))}. These jobs wait until you have compared what was "
        f"charged, invoiced, sent and stored since then: {named}."
    )


def delays(request: HttpRequest) -> Card:
    """Return the card of queues that stand still."""
    status = Status()
    return _card("Waiting to be sent", status.delays(), len(status.stalled))


def failures(request: HttpRequest) -> Card:
    """Return the card of tasks that have failed."""
    url = reverse("background_jobs:index") + "#failed"
    return Card("Failed tasks", url, text=f"In the last {FAILURE_DAYS} days.", icon=ICON, count=Status().failed_count)


def _card(title: str, found: list[str], count: int) -> Card:
    text = ", ".join(found)
    url = reverse("background_jobs:index")
    return Card(title, url, text=f"{text[:1].upper()}{text[1:]}.", icon=ICON, count=count, urgent=True)
