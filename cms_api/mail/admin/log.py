"""The email log: a filtered list, the content of one email, and resending failed ones."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.text import Truncator
from django.views import View
from wagtail.admin import messages
from wagtail.admin.ui.tables import Column
from wagtail.admin.views.generic import PermissionCheckedMixin
from wagtail.permissions import policy_registry

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet

from ..models import OutgoingMail
from ..selectors import is_resendable, mails_on, title
from ..services.log import resend, resend_failed
from ..types import MailState

#: Maximum characters of errors in the list.
SUMMARY_CHARACTERS = 120


def kinds() -> list[tuple[str, str]]:
    """Return the kinds of mail that features which are on send. Mails that others have sent stay in the log, as history."""
    return [(name, title(name)) for name in mails_on()]


class ResendFailed(PermissionCheckedMixin, View):
    """Makes every failed email due; the sender picks them up at once."""

    permission_policy = policy_registry.get_by_type(OutgoingMail)
    permission_required = "change"
    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponse:
        count = resend_failed(user=request.user)
        messages.success(request, f"{count} email{'s' if count != 1 else ''} will be sent again shortly.")
        return redirect(reverse("mail_log:index"))


class LogViewSet(RecordViewSet):
    model = OutgoingMail
    icon = "mail"
    menu_label = "Sent mail"
    pages = ("inspect",)
    search_fields = ["recipient", "recipient_name"]
    ordering = ("-id",)
    index_results_template_name = "mail_admin/log_results.html"
    inspect_template_name = "mail_admin/mail.html"
    list_display = (
        RecordColumn("subject", label="Subject", accessor="subject"),
        Column("to", label="Recipient", sort_key="recipient"),
        Column("template", label="Kind", accessor=lambda mail: title(mail.template)),
        StatusColumn(
            "state",
            label="State",
            primary=lambda mail: mail.state == MailState.SENT,
            note=lambda mail: Truncator(mail.error).chars(SUMMARY_CHARACTERS),
        ),
        MomentColumn("created_at", label="Created", sort_key="id"),
    )
    filters = {
        "state": filters.choice(MailState.choices, label="Status"),
        "template": filters.choice(kinds, label="Kind"),
    }
    transitions = (
        Transition(
            "resend",
            "Send again",
            calling(resend, "mail"),
            "The email will be sent again shortly. Reload the page to see the result.",
            "Only emails that failed or are held back can be sent again.",
            offered=is_resendable,
        ),
    )

    def records(self) -> QuerySet[OutgoingMail]:
        """Return the emails without their content, which may be long and is shown only on an email's own page."""
        return OutgoingMail.objects.defer("text", "html", "secret_content", "headers")

    def get_name(self, record: OutgoingMail) -> str:
        return record.subject

    def facts(self, record: OutgoingMail) -> dict[str, Any]:
        attachments = (f"{each.name} ({each.type})" for each in record.attachments.defer("content"))
        return {
            "Kind": title(record.template),
            "To": record.to,
            "From": record.sender,
            "Replies to": record.reply_to or None,
            "State": f"{record.get_state_display()} {record.error}".strip(),
            "Attempts": str(record.attempts),
            "Created": record.created_at,
            "Next attempt": record.next_attempt_at,
            "Finished": record.finished_at,
            "Message-ID": record.message_id,
            **record.headers,
            "Attachments": ", ".join(attachments) or None,
        }

    def list_context(self, records: QuerySet[OutgoingMail], request: HttpRequest) -> dict[str, Any]:
        may_resend = policy_registry.get_by_type(OutgoingMail).user_has_permission(request.user, "change")
        return {"failed": OutgoingMail.objects.filter(state=MailState.FAILED, is_limited=False).count() if may_resend else 0}

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [
            path("resend/", ResendFailed.as_view(), name="resend_failed"),
            # The URL that timelines link to: of several patterns with one name, the last is reversed.
            path("<id:pk>/", self.inspect_view, name="inspect"),
        ]
