"""Projects in the admin."""

from collections.abc import Mapping
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.views.generic import View
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin
from wagtail.permissions import policy_registry

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn, person
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.flags.selectors import is_on
from cms_api.http.downloads import download
from cms_api.text.search import matching
from commerce.common.admin.cells import day, link, paragraphs
from commerce.crm.selectors import contact_page
from commerce.invoicing.selectors.clients import clients

from ..models import Milestone, Project, ProjectFile, ProjectUpdate
from ..selectors import PROJECT_LINK, assignable, is_overdue, of_address, of_status, projects, today
from ..services import (
    activate_project,
    add_file,
    add_update,
    cancel_project,
    complete_project,
    delete_file,
    delete_project,
    delete_update,
    pause_project,
    reopen_project,
    save_project,
    tick_milestone,
    untick_milestone,
)
from ..types import OPEN, OVERDUE, ProjectStatus
from .choosers import client_widget
from .forms import FileForm, ProjectForm, UpdateForm

TONES = {
    ProjectStatus.PLANNED: "info",
    ProjectStatus.ACTIVE: "positive",
    ProjectStatus.ON_HOLD: "warning",
}
#: Updates on one page of a project.
UPDATES_PER_PAGE = 20


def by_status(found: QuerySet[Project], name: str, value: str) -> QuerySet[Project]:
    return of_status(found, value)


def by_address(found: QuerySet[Project], name: str, value: str) -> QuerySet[Project]:
    return of_address(found, value)


def overdue_note(project: Project) -> str:
    return "Overdue" if is_overdue(project) else ""


def milestones_note(project: Project) -> str:
    """Return how many milestones are finished: `2 of 5 milestones`; empty without any."""
    found = project.milestones.all()
    return f"{sum(each.is_completed for each in found)} of {len(found)} milestones" if found else ""


def update_project(project: Project, user: Any, values: Mapping[str, Any]) -> ProjectUpdate:
    return add_update(project=project, note=values["note"], is_public=values["is_public"], user=user)


def attach(project: Project, user: Any, values: Mapping[str, Any]) -> ProjectFile:
    return add_file(project=project, file=values["file"], is_public=values["is_public"], user=user)


# The buttons of the panels on the page of a project.
ADD_UPDATE = Transition("add_update", "Add update", update_project, "Update added.", form=UpdateForm, on_page=True)
ADD_FILE = Transition("add_file", "Upload file", attach, "File uploaded.", form=FileForm, on_page=True)
TICK = Transition(
    "tick_milestone",
    "Mark as done",
    calling(tick_milestone, "milestone"),
    "“{record}” is done.",
    offered=lambda milestone: not milestone.is_completed,
)
UNTICK = Transition(
    "untick_milestone",
    "Mark as not done",
    calling(untick_milestone, "milestone"),
    "“{record}” is not done.",
    offered=lambda milestone: milestone.is_completed,
)
DELETE_UPDATE = Transition(
    "delete_update",
    "Delete",
    calling(delete_update, "update"),
    "Deleted.",
    serious=True,
    confirm=lambda update: (
        f"{update.note}\n\nThe client can't read this update any more. An email that was sent stays sent."
        if update.is_public
        else f"{update.note}\n\nThis internal note is deleted."
    ),
)
DELETE_FILE = Transition(
    "delete_file",
    "Delete",
    calling(delete_file, "file"),
    "{record} deleted.",
    serious=True,
    confirm="The file can't be downloaded any more.",
)


class FileView(PermissionCheckedMixin, View):
    """A file of a project, as a download."""

    any_permission_required = ("view", "change")
    model = Project

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        found = get_object_or_404(ProjectFile, pk=pk)
        return download(request, found.file, found.filename)


class ProjectViewSet(RecordViewSet):
    model = Project
    icon = "tasks"
    menu_label = "Projects"
    menu_order = 10
    name = "projects"
    pages = ("add", "edit", "inspect", "delete", "history")
    create_template_name = edit_template_name = "projects_admin/form.html"
    inspect_template_name = "projects_admin/project.html"
    delete_consequence = "Its milestones, updates and files are deleted too, and the client's link stops working."
    list_display = (
        RecordColumn("name", label="Project", sort_key="name"),
        NotedColumn("client", label="Client", accessor="client_label", note=lambda project: project.email),
        StatusColumn(
            "status", label="Status", tone=lambda project: TONES.get(ProjectStatus(project.status), ""), note=overdue_note
        ),
        NotedColumn("percent", label="Progress", accessor=lambda project: f"{project.percent}%", note=milestones_note),
        Column("due_at", label="Due", accessor=lambda project: day(project.due_at), sort_key="due_at"),
        Column("assigned_to", label="Assigned to", accessor=lambda project: person(project.assigned_to)),
        MomentColumn("created_at", label="Created"),
    )
    nulls_last = ("due_at",)
    filters = {
        "status": filters.choice([(OPEN, "Open"), (OVERDUE, "Overdue"), *ProjectStatus.choices], method=by_status),
        "client": filters.record(clients(), widget=client_widget()),
        "email": filters.text("Client's email", method=by_address),
        "assigned_to": filters.record(lambda request: assignable(), label="Assigned to"),
        "started_at": filters.plain_date_range("Started"),
        "due_at": filters.plain_date_range("Due"),
        "created_at": filters.date_range("Created"),
    }
    search = matching
    search_order = 190
    csv = {
        "Project": "name",
        "Status": "status",
        "Progress": "percent",
        "Client": "client_label",
        "Email": "email",
        "Assigned to": lambda project: person(project.assigned_to),
        "Start date": "started_at",
        "Due date": "due_at",
        "Completed": "completed_at",
        "Description": "description",
        "Created": "created_at",
    }
    form = ProjectForm
    panels = (
        MultiFieldPanel(
            [
                FieldPanel("name"),
                FieldPanel("description"),
                FieldPanel("status"),
                FieldRowPanel([FieldPanel("started_at"), FieldPanel("due_at")]),
                FieldPanel("assigned_to"),
            ],
            heading="Project",
            icon="tasks",
        ),
        MultiFieldPanel(
            [
                FieldPanel("client"),
                FieldRowPanel([FieldPanel("client_name"), FieldPanel("client_email")]),
                FieldPanel("needed"),
            ],
            heading="Client",
            icon="user",
        ),
        MultiFieldPanel([FieldPanel("milestone_rows"), FieldPanel("progress")], heading="Progress", icon="check"),
    )
    transitions = (
        Transition(
            "complete",
            "Complete project",
            calling(complete_project, "project"),
            "{record} completed.",
            offered=lambda project: project.is_open,
        ),
        Transition(
            "start",
            "Start",
            calling(activate_project, "project"),
            "{record} started.",
            offered=lambda project: project.status == ProjectStatus.PLANNED,
        ),
        Transition(
            "resume",
            "Resume",
            calling(activate_project, "project"),
            "{record} resumed.",
            offered=lambda project: project.status == ProjectStatus.ON_HOLD,
        ),
        Transition(
            "pause",
            "Put on hold",
            calling(pause_project, "project"),
            "{record} is on hold.",
            offered=lambda project: project.status in {ProjectStatus.PLANNED, ProjectStatus.ACTIVE},
        ),
        Transition(
            "reopen",
            "Reopen",
            calling(reopen_project, "project"),
            "{record} is active again.",
            offered=lambda project: not project.is_open,
        ),
        Transition(
            "cancel",
            "Cancel project",
            calling(cancel_project, "project"),
            "{record} cancelled.",
            offered=lambda project: project.is_open,
            serious=True,
            confirm="The page of the client says that the project is cancelled. The client is not emailed.",
        ),
    )
    bulk_actions = (
        Bulk(
            "complete",
            "Complete",
            "completed",
            "Clients who are subscribers are enrolled in the sequence of the settings.",
            each=calling(complete_project, "project"),
        ),
        Bulk(
            "pause",
            "Put on hold",
            "put on hold",
            "Completed and cancelled ones are refused.",
            each=calling(pause_project, "project"),
            phrase="Put {} on hold",
        ),
        Bulk(
            "cancel",
            "Cancel",
            "cancelled",
            "Completed ones are refused. Clients are not emailed.",
            each=calling(cancel_project, "project"),
            serious=True,
        ),
    )
    create, update, delete = by_services(save_project, "project", delete_project)

    def records(self) -> QuerySet[Project]:
        return projects().select_related("client", "assigned_to")

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        policy = policy_registry.get_by_type(Project)

        def home(part: Any) -> str:
            return self.url(part.project)

        def part(route: str, transition: Transition, model: Any) -> URLPattern:
            parts = model.objects.select_related("project")
            return self.part_pattern(f"{route}/<id:pk>/", transition, parts=parts.all, home=home, policy=policy)

        return [
            *(self.transition_pattern(transition) for transition in (ADD_UPDATE, ADD_FILE)),
            part("milestones/tick", TICK, Milestone),
            part("milestones/untick", UNTICK, Milestone),
            part("updates/delete", DELETE_UPDATE, ProjectUpdate),
            part("files/delete", DELETE_FILE, ProjectFile),
            path("files/<id:pk>/", FileView.as_view(), name="file"),
        ]

    def facts(self, record: Project) -> dict[str, Any]:
        contact = contact_page(record.email)
        return {
            "Status": " · ".join(filter(None, (record.get_status_display(), overdue_note(record)))),
            "Progress": " · ".join(filter(None, (f"{record.percent}%", milestones_note(record)))),
            "Client": self._client(record),
            "Email": record.email or None,
            "Contact": link("Open in the CRM", contact) if contact else None,
            "Client's page": link("Open the page that the client sees", PROJECT_LINK.path(record)),
            "Needed from the client": paragraphs(record.needed),
            "Start date": day(record.started_at) or None,
            "Due date": day(record.due_at) or None,
            "Assigned to": person(record.assigned_to) or None,
            "Description": paragraphs(record.description),
            "Created": record.created_at,
            "Completed": record.completed_at,
        }

    def _client(self, record: Project) -> str | None:
        if record.client and is_on("invoicing"):
            return link(record.client, reverse("clients:inspect", args=[record.client_id]))
        return record.client_label or None

    def inspect_context(self, record: Project, request: HttpRequest) -> dict[str, Any]:
        page = Paginator(record.updates.select_related("author"), UPDATES_PER_PAGE).get_page(request.GET.get("p"))
        return {
            "milestones": [
                {
                    "title": each.title,
                    "due": day(each.due_at),
                    "is_late": record.is_open and not each.is_completed and bool(each.due_at and each.due_at < today()),
                    "done": each.completed_at,
                    "transitions": [(UNTICK if each.is_completed else TICK).bind(self, each)],
                }
                for each in record.milestones.all()
            ],
            "update_form": UpdateForm(record=record, auto_id="update_%s"),
            "update_url": self.transition_url(ADD_UPDATE, record),
            "page_obj": page,
            "updates": [
                {
                    "update": each,
                    "author": person(each.author),
                    "transitions": [DELETE_UPDATE.bind(self, each)],
                }
                for each in page
            ],
            "file_form": FileForm(record=record, auto_id="file_%s"),
            "file_url": self.transition_url(ADD_FILE, record),
            "files": [
                {
                    "file": each,
                    "url": reverse(self.get_url_name("file"), args=[each.pk]),
                    "author": person(each.author),
                    "transitions": [DELETE_FILE.bind(self, each)],
                }
                for each in record.files.select_related("author")
            ],
        }
