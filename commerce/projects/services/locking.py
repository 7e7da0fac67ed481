"""Locks projects: whatever changes a project or what belongs to it takes this lock first."""

from django.utils import timezone

from cms_api.core.locks import lock_row

from ..models import Project


def lock_project(pk: int) -> Project:
    """Return a project, locked. Raises NotFound."""
    return lock_row(Project.objects.filter(pk=pk))


def touch(project: Project) -> None:
    """Note that something that belongs to a locked project has changed."""
    project.updated_at = timezone.now()
    project.save(update_fields=["updated_at"])
