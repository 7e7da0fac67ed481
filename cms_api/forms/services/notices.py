"""The notification email about a submission."""

from django.conf import settings

from cms_api.core.module import Block
from cms_api.mail.services import queue
from cms_api.mail.types import is_address, particulars

from ..models import Submission
from ..types import label_values, sender_email

TEMPLATE = "form_submitted"


def notify_recipients(submission: Submission) -> None:
    """Queue an email to each of the form's recipients, or to the business; replies go to the person who submitted the form."""
    form = submission.form
    wanted = form.recipients or [settings.BUSINESS_EMAIL]
    recipients = [address for address in wanted if is_address(address)]
    if not recipients:
        return
    sender = sender_email(form.schema, submission.data)
    shown = [(label, value) for label, value in label_values(form.schema, submission.data) if value]
    queue(
        template=TEMPLATE,
        to=recipients,
        context={
            "form": " ".join(form.name.split()),
            "answers": particulars(shown),
            "submission": _link(submission) if submission.pk else "",
        },
        reply_to=sender if is_address(sender) else "",
    )


def _link(submission: Submission) -> Block:
    url = f"{settings.BASE_URL}/admin/forms/submissions/inspect/{submission.pk}/"
    return Block(f"View the submission: {url}", f'<a href="{url}">View the submission</a>')
