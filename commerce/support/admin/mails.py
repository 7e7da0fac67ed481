"""Received emails in the admin, also those that opened no ticket."""

from typing import Any

from django.db.models import QuerySet
from django.urls import URLPattern, path, reverse
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets.button import BaseButton, Button

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn
from cms_api.adminkit.viewset import RecordViewSet
from commerce.common.admin.cells import link

from ..models import ReceivedMail
from ..selectors.tickets import admin_url
from ..types.tickets import MailOutcome
from .conversation import MAY_READ_ORIGINALS, OriginalView

TONES = {
    MailOutcome.OPENED: "positive",
    MailOutcome.REPLIED: "positive",
    MailOutcome.QUARANTINED: "warning",
    MailOutcome.BOUNCED: "critical",
}


class AnyOriginalView(OriginalView):
    """An email as it arrived, whatever became of it."""

    model = ReceivedMail

    def mails(self) -> QuerySet[ReceivedMail]:
        return ReceivedMail.objects.all()


class ReceivedMailViewSet(RecordViewSet):
    model = ReceivedMail
    icon = "mail"
    menu_label = "Received email"
    menu_order = 20
    name = "support_mails"
    url_prefix = "support/mails"
    pages = ("inspect",)
    ordering = ("-received_at", "-id")
    list_display = (
        RecordColumn("subject", label="Subject"),
        Column("sender", label="Sender"),
        StatusColumn("outcome", label="Outcome", tone=lambda mail: TONES.get(MailOutcome(mail.outcome), "")),
        Column("ticket", label="Ticket", accessor=lambda mail: mail.ticket.number if mail.ticket else ""),
        MomentColumn("received_at", label="Received"),
    )
    filters = {"outcome": filters.choice(MailOutcome.choices), "received_at": filters.date_range("Received")}

    def records(self) -> QuerySet[ReceivedMail]:
        return ReceivedMail.objects.select_related("ticket")

    def record_buttons(self, record: ReceivedMail, user: Any) -> list[BaseButton]:
        if not record.original or not user.has_perm(MAY_READ_ORIGINALS):
            return []
        url = reverse(self.get_url_name("original"), args=[record.pk])
        return [Button("Download original", url=url, icon_name="download", priority=20)]

    def facts(self, record: ReceivedMail) -> dict[str, Any]:
        return {
            "Sender": record.sender,
            "Subject": record.subject,
            "Outcome": record.get_outcome_display(),
            "Reason": record.reason or None,
            "Ticket": link(record.ticket, admin_url(record.ticket.pk)) if record.ticket else None,
            "Received": record.received_at,
        }

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [path("originals/<id:pk>/", self.construct_view(AnyOriginalView), name="original")]
