"""Locks projects: whatever changes a project or what belongs to it takes this lock first."""

from django.utils import timezone

from cms_api.core.errors import NotFound

from ..models import Project


def lock_project(pk: int) -> Project:
    """Return a project, locked. Raises NotFound."""
    found = Project.objects.select_for_update(no_key=True).filter(pk=pk).first()
    if found is None:
        raise NotFound
    return found


def touch(project: Project) -> None:
    """Note that something that belongs to a locked project has changed."""
    project.updated_at = timezone.now()
    project.save(update_fields=["updated_at"])
