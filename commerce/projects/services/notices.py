"""Emails to clients, which only contain what these may see, and entries in the timelines of contacts."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from cms_api.mail.services import queue
from cms_api.mail.types import is_address
from commerce.crm.services import record_customer
from commerce.crm.types import ActivityKind, NewActivity

from ..models import Milestone, Project
from ..resources import mail_parts, text_block
from ..selectors import admin_url, public_updates

SOURCE = "projects"


def record(project: Project, summary: str) -> None:
    """Create or fill in the client's contact while the CRM is on, and record an activity in its timeline."""
    activity = NewActivity(ActivityKind.PROJECT, summary, link=admin_url(project.pk))
    record_customer(email=project.email, name=project.person, source=SOURCE, activity=activity)


def send_update(project: Project, update_id: int) -> bool:
    """Email an update to the client, if it is public; return whether it was."""
    update = public_updates(project).filter(pk=update_id).first()
    return update is not None and _send("project_update", project, {"note": text_block(update.note)})


def send_milestone(project: Project, milestone: Milestone) -> bool:
    """Tell the client that a milestone is finished; return whether there is somebody to tell."""
    return _send("project_milestone", project, {"milestone": milestone.title})


def _send(template: str, project: Project, more: Mapping[str, Any]) -> bool:
    if not is_address(project.email):
        return False
    reply_to = settings.BUSINESS_EMAIL if is_address(settings.BUSINESS_EMAIL) else ""
    queue(template=template, to=[project.email], context={**mail_parts(project), **more}, reply_to=reply_to)
    return True
