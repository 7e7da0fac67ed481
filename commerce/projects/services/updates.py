"""Adds news and internal notes to projects."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, required_message
from cms_api.core.not_found import NotFound
from cms_api.fields.base import FieldPath, read_text

from ..models import Project, ProjectUpdate
from ..types import MAX_TEXT
from . import notices
from .locking import lock_project, touch


@transaction.atomic
def add_update(*, project: Project, note: str, is_public: bool = True, user: Any = None) -> ProjectUpdate:
    """Add an update to a project, and email it to the client if it is public. Raises Invalid (`note`) and NotFound."""
    text = read_text(note, FieldPath("note", "note"), MAX_TEXT)
    if text is None:
        raise Invalid({"note": required_message("note")})
    locked = lock_project(project.pk)
    now = timezone.now()
    update = ProjectUpdate.objects.create(project=locked, note=text, is_public=is_public, author=user, created_at=now)
    touch(locked)
    log(instance=locked, action="projects.add_update" if is_public else "projects.add_note", user=user)
    notices.send_update(locked, update.pk)
    return update


@transaction.atomic
def delete_update(*, update: ProjectUpdate, user: Any = None) -> None:
    """Delete an update; an email that was sent stays sent. Raises NotFound."""
    locked = lock_project(update.project_id)
    if not ProjectUpdate.objects.filter(pk=update.pk).delete()[0]:
        raise NotFound
    touch(locked)
    log(instance=locked, action="projects.delete_update" if update.is_public else "projects.delete_note", user=user)
