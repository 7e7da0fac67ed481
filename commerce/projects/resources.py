"""Projects over the API, in emails and on the client's page."""

from typing import Any

from django.utils.html import linebreaks
from rest_framework import serializers

from cms_api.core.module import Block
from cms_api.flags.selectors import site_formats
from cms_api.http.serializers import FlagInput, InputSerializer, RecordResource, Resource, TextInput
from cms_api.http.wire import instant, record
from commerce.common.types import split_name

from .models import Milestone, Project, ProjectUpdate
from .selectors import PROJECT_LINK, is_overdue
from .types import MAX_TEXT, ProjectStatus


class MilestoneResource(Resource):
    """A step of a project."""

    id = serializers.IntegerField()
    title = serializers.CharField()
    due_at = serializers.DateField(allow_null=True)
    completed = serializers.BooleanField()
    completed_at = serializers.DateTimeField(allow_null=True)
    position = serializers.IntegerField(min_value=0)


class ProjectUpdateResource(Resource):
    """A progress update of a project."""

    id = serializers.IntegerField()
    note = serializers.CharField()
    is_public = serializers.BooleanField(help_text="Whether the client can see it.")
    created_at = serializers.DateTimeField()

    example = {
        "id": 90,
        "note": "The last coat is on; it dries until Friday.",
        "is_public": True,
        "created_at": "2026-03-01T18:26:00+00:00",
    }


class ProjectResource(RecordResource):
    """A job for a client."""

    name = serializers.CharField()
    description = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(ProjectStatus.values)
    client_id = serializers.IntegerField(allow_null=True, help_text="The id of the client in invoicing.")
    client_email = serializers.EmailField(allow_null=True, help_text="Defaults to the client's address.")
    client_name = serializers.CharField(allow_null=True, help_text="Defaults to the client's name.")
    started_at = serializers.DateField(allow_null=True)
    due_at = serializers.DateField(allow_null=True)
    completed_at = serializers.DateTimeField(allow_null=True)
    progress = serializers.IntegerField(min_value=0, max_value=100, help_text="As entered; used if there are no milestones.")
    progress_percent = serializers.IntegerField(
        min_value=0, max_value=100, help_text="Computed from the milestones, or as entered; 100 once the project is completed."
    )
    milestones = MilestoneResource(many=True)

    example = {
        "id": 23,
        "name": "Mural for the lobby",
        "description": "Nine metres of wall, from the sketch to the varnish.",
        "status": "completed",
        "client_id": 41,
        "client_email": "dana.reyes@example.com",
        "client_name": "Dana Reyes",
        "started_at": "2026-01-12",
        "due_at": "2026-03-06",
        "completed_at": "2026-03-01T18:30:00+00:00",
        "progress": 0,
        "progress_percent": 100,
        "milestones": [
            {
                "id": 51,
                "title": "Sketch approved",
                "due_at": "2026-01-23",
                "completed": True,
                "completed_at": "2026-01-22T16:00:00+00:00",
                "position": 1,
            },
            {
                "id": 52,
                "title": "Varnished",
                "due_at": "2026-03-06",
                "completed": True,
                "completed_at": "2026-03-01T18:25:00+00:00",
                "position": 2,
            },
        ],
        "created_at": "2026-01-09T10:15:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


class ProjectDetailResource(ProjectResource):
    """A job for a client with its progress updates."""

    updates = ProjectUpdateResource(many=True, help_text="Latest first.")

    example = {
        **ProjectResource.example,
        "updates": [ProjectUpdateResource.example],
    }


class UpdateInput(InputSerializer):
    """An update of a project."""

    note = TextInput(max_length=MAX_TEXT)
    is_public = FlagInput(default=True, help_text="Public updates are emailed to the client; others are internal notes.")

    example = {"note": "The last coat is on; it dries until Friday.", "is_public": True}


class CompletedInput(InputSerializer):
    """Whether something is completed."""

    completed = FlagInput(default=True, help_text="False undoes it.")

    example = {"completed": True}


def project(row: Project) -> dict[str, Any]:
    """Return a project as lists show it; reads its client and its milestones."""
    return {
        **record(row),
        "name": row.name,
        "description": row.description or None,
        "status": row.status,
        "client_id": row.client_id,
        "client_email": row.email or None,
        "client_name": row.client_name or (row.client.name if row.client else None),
        "started_at": row.started_at and row.started_at.isoformat(),
        "due_at": row.due_at and row.due_at.isoformat(),
        "completed_at": instant(row.completed_at),
        "progress": row.progress,
        "progress_percent": row.percent,
        "milestones": [_milestone(each) for each in row.milestones.all()],
    }


def project_detail(row: Project) -> dict[str, Any]:
    """Return a project with its updates, also internal ones."""
    return {**project(row), "updates": [update(each) for each in row.updates.all()]}


def update(row: ProjectUpdate) -> dict[str, Any]:
    return {"id": row.pk, "note": row.note, "is_public": row.is_public, "created_at": instant(row.created_at)}


def _milestone(row: Milestone) -> dict[str, Any]:
    return {
        "id": row.pk,
        "title": row.title,
        "due_at": row.due_at and row.due_at.isoformat(),
        "completed": row.is_completed,
        "completed_at": instant(row.completed_at),
        "position": row.position,
    }


def text_block(text: str) -> Block:
    """Return what a person typed, as paragraphs of an email."""
    return Block(text, linebreaks(text, autoescape=True))


def mail_parts(row: Project) -> dict[str, Any]:
    """Return the parts that all emails about a project have: nothing internal is among them."""
    return {
        "name": split_name(row.person)[0] or "there",
        "project": row.name,
        "progress": f"{row.percent}%",
        "url": PROJECT_LINK.url(row),
    }


def standing(row: Project) -> str:
    """Return how a project stands, as its client reads it: `Active, due March 6, 2026`."""
    formats = site_formats()
    if is_overdue(row):
        return f"{row.get_status_display()}, overdue"
    if row.is_open and row.due_at:
        return f"{row.get_status_display()}, due {formats.date(row.due_at)}"
    return str(row.get_status_display())
