"""Builders of projects, by their services, with the changes that a test needs."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from commerce.projects.models import Milestone, Project, ProjectFile
from commerce.projects.services import add_file, save_project, tick_milestone
from commerce.projects.services.statuses import activate_project, cancel_project, complete_project, pause_project

DANA = {"client_email": "dana@example.com", "client_name": "Dana Reyes"}


def make_project(name: str = "Mural for the lobby", *milestones: str, **values: Any) -> Project:
    """A planned project of Dana's, with milestones of these titles."""
    rows = {"milestones": [{"title": title} for title in milestones]} if milestones else {}
    return save_project(values={"name": name, **DANA, **rows, **values})


def make_in(status: str, *milestones: str, **values: Any) -> Project:
    """A project in a status, by the services that lead there."""
    project = make_project(status, *milestones, **values)
    moves = {
        "active": activate_project,
        "on_hold": pause_project,
        "completed": complete_project,
        "cancelled": cancel_project,
    }
    if status in moves:
        moves[status](project=project)
    return reloaded(project)


def reloaded(project: Project) -> Project:
    return Project.objects.get(pk=project.pk)


def milestone(project: Project, title: str) -> Milestone:
    return Milestone.objects.get(project=project, title=title)


def tick(project: Project, *titles: str) -> None:
    for title in titles:
        tick_milestone(milestone=milestone(project, title))


def upload(name: str = "plan.pdf", content: bytes = b"%PDF-1.7 plan") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def make_file(project: Project, name: str = "plan.pdf", **options: Any) -> ProjectFile:
    return add_file(project=project, file=upload(name), **options)
