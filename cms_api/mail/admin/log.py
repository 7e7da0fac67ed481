"""The log of mails: a listing with filters, a mail as it was written, and sending failed ones again."""

from typing import Any

import django_filters
from django import forms
from django.contrib.auth.models import Permission
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.views import View
from wagtail.admin import messages
from wagtail.admin.filters import WagtailFilterSet
from wagtail.admin.ui.tables import Column, DateColumn
from wagtail.admin.views import generic
from wagtail.admin.views.generic import PermissionCheckedMixin
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.permissions import policy_registry

from cms_api.core import registry

from ..models import OutgoingMail
from ..selectors import title
from ..services.log import resend, resend_failed
from ..types import MailState


class LogFilterSet(WagtailFilterSet):
    state = django_filters.ChoiceFilter(label="State", choices=MailState.choices, empty_label="All", widget=forms.RadioSelect)
    template = django_filters.ChoiceFilter(label="Kind", empty_label="All", choices=list)

    class Meta:
        model = OutgoingMail
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.filters["template"].extra["choices"] = [(name, title(name)) for name in registry.mails()]


class StateColumn(Column):
    cell_template_name = "mail_admin/state_cell.html"


class Index(generic.IndexView):
    """Without the text of the mails, which may be long."""

    def get_base_queryset(self) -> QuerySet[OutgoingMail]:
        mails: QuerySet[OutgoingMail] = super().get_base_queryset()
        return mails.defer("text", "html", "headers")

    def get_context_data(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        failed = OutgoingMail.objects.filter(state=MailState.FAILED).count() if self.user_has_permission("change") else 0
        return super().get_context_data(*args, **kwargs) | {"failed": failed}


class Inspect(generic.InspectView):
    object: OutgoingMail
    template_name = "mail_admin/mail.html"
    page_title = "Mail"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(
            **kwargs,
            kind=title(self.object.template),
            attachments=self.object.attachments.defer("content"),
            may_resend=self.object.state == MailState.FAILED and self.user_has_permission("change"),
        )

    @cached_property
    def header_more_buttons(self) -> list[Any]:
        return []


class Resend(PermissionCheckedMixin, View):
    """Makes a failed mail due, or all of them; the sender takes it up at once."""

    permission_policy = policy_registry.get_by_type(OutgoingMail)
    permission_required = "change"
    http_method_names = ["post"]

    def post(self, request: HttpRequest, pk: int | None = None) -> HttpResponse:
        if pk is None:
            count = resend_failed(user=request.user)
            messages.success(request, f"{count} mail{'s are' if count != 1 else ' is'} due again.")
            return redirect(reverse("mail_log:index"))
        mail = get_object_or_404(OutgoingMail, pk=pk)
        if resend(mail=mail, user=request.user):
            messages.success(request, "The mail is due again. Reload the page to see what came of it.")
        else:
            messages.warning(request, "Only a mail that has failed is sent again.")
        return redirect(reverse("mail_log:inspect", args=[mail.pk]))


class LogViewSet(ModelViewSet):
    model = OutgoingMail
    icon = "mail"
    menu_label = "Sent mail"
    template_prefix = "mail_admin/"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = True
    search_fields = ["recipient", "recipient_name"]
    filterset_class = LogFilterSet
    ordering = "-id"
    list_per_page = 50
    list_display = [
        "subject",
        Column("to", label="Recipient", sort_key="recipient"),
        Column("template", label="Kind", accessor=lambda mail: title(mail.template)),
        StateColumn("state", label="State"),
        DateColumn("created_at", label="Written", sort_key="id"),
    ]
    index_view_class = Index
    inspect_view_class = Inspect
    inspect_view_fields = ["subject"]

    def get_form_class(self, for_update: bool = False) -> Any:
        """Nobody changes a mail."""
        return forms.Form

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        absent = ("edit_url_name", "add_url_name", "delete_url_name", "history_url_name", "usage_url_name")
        return super().get_common_view_kwargs(**kwargs) | dict.fromkeys(absent)

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("<int:pk>/", self.inspect_view, name="inspect"),
            path("<int:pk>/resend/", Resend.as_view(), name="resend"),
            path("resend/", Resend.as_view(), name="resend_failed"),
        ]

    def get_permissions_to_register(self) -> QuerySet[Permission]:
        return Permission.objects.filter(content_type__app_label="mail")

    def register_admin_url_finder(self) -> None:
        """There is no page on which a mail could be edited."""
