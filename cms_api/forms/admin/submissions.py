"""Submissions in the admin: found by form, date and words, read, released, marked as spam, deleted."""

from typing import Any

import django_filters
from django import forms
from django.http import FileResponse, Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.text import Truncator
from django.views.generic import View
from wagtail.actions.delete import DeleteAction
from wagtail.actions.registry import action_registry
from wagtail.admin import messages
from wagtail.admin.filters import DateRangePickerWidget, WagtailFilterSet
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.ui.tables import Column, StatusTagColumn, TitleColumn
from wagtail.admin.views import generic
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets.button import Button

from cms_api.adminkit.admin import RecordAction
from cms_api.adminkit.columns import local_date
from cms_api.core import registry
from cms_api.flags.selectors import is_on

from ..models import Attachment, Form, Submission
from ..selectors import found_by_words
from ..services.submissions import delete_submission, mark_as_spam, release
from ..types import Source, in_words, labelled
from .export import SubmissionListing

SUMMARY = 80


class DeleteSubmission(DeleteAction):
    def _delete(self) -> Any:
        delete_submission(submission=self.instance, user=self.user)


action_registry.register(Submission, DeleteSubmission)


def summary(submission: Submission) -> str:
    """What was written first: mostly who sent it."""
    given = (submission.data.get(field.key) for field in submission.form.schema)
    shown = [in_words(value) for value in given if value and not isinstance(value, bool)]
    return Truncator(", ".join(shown[:2]) or "Nothing filled in").chars(SUMMARY)


class SubmissionFilterSet(WagtailFilterSet):
    form = django_filters.ModelChoiceFilter(queryset=Form.objects.all(), empty_label="All")
    is_spam = django_filters.ChoiceFilter(
        choices=[("false", "Received"), ("true", "In quarantine")],
        label="State",
        method="by_state",
        widget=forms.RadioSelect,
        empty_label="All",
    )
    source = django_filters.ChoiceFilter(choices=Source.choices, widget=forms.RadioSelect, empty_label="All")
    created_at = django_filters.DateFromToRangeFilter(label="Date", widget=DateRangePickerWidget)

    def by_state(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.filter(is_spam=value == "true")

    class Meta:
        model = Submission
        fields = ("form", "is_spam", "source", "created_at")


class SubmissionIndexView(SubmissionListing, generic.IndexView):
    filterset_class = SubmissionFilterSet
    is_searchable = True
    default_ordering = ("-created_at", "-id")
    list_display = [
        "summary",
        Column("form", label="Form", accessor="form.name"),
        StatusTagColumn(
            "is_spam",
            label="State",
            accessor=lambda found: "Quarantine" if found.is_spam else "Received",
            primary=lambda found: not found.is_spam,
        ),
        Column("source", label="Source", accessor="get_source_display"),
        Column("created_at", label="Date", accessor=lambda found: local_date(found.created_at), sort_key="created_at"),
    ]

    @cached_property
    def columns(self) -> list[Any]:
        title = self._get_title_column_class(TitleColumn)
        first = title("summary", label="Submission", accessor=summary, get_url=self.get_inspect_url)
        return [first, *self.list_display[1:]]

    def get_base_queryset(self) -> Any:
        return Submission.objects.select_related("form")

    def search_queryset(self, queryset: Any) -> Any:
        return found_by_words(queryset, self.search_query) if self.search_query else queryset

    def get_list_more_buttons(self, instance: Submission) -> list[MenuItem]:
        found = [MenuItem("Inspect", url=self.get_inspect_url(instance), icon_name="info-circle", priority=10)]
        if delete_url := self.get_delete_url(instance):
            found.append(MenuItem("Delete", url=delete_url, icon_name="bin", priority=30))
        return found


def inspect_url(submission: Submission) -> str:
    return reverse("form_submissions:inspect", args=[submission.pk])


def contact_url(submission: Submission) -> str:
    """The page of the contact that was found or made of it; empty where there is none, or its module is off."""
    if submission.contact_id is None:
        return ""
    pages = (page for module, page in registry.contact_urls() if is_on(module.feature))
    return next((registry.load(page)(submission.contact_id) for page in pages), "")


class SubmissionInspectView(generic.InspectView):
    """What was sent in, with its files, and what may be done with it."""

    template_name = "forms_admin/submission.html"
    page_title = "Submission"
    object: Submission

    def get_object(self, queryset: Any = None) -> Submission:
        return get_object_or_404(Submission.objects.select_related("form"), pk=self.kwargs["pk"])

    def get_page_subtitle(self) -> str:
        return summary(self.object)

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        found = [
            Button("History", url=reverse("form_submissions:history", args=[self.object.pk]), icon_name="history", priority=10)
        ]
        if delete_url := self.get_delete_url():
            found.append(Button("Delete", url=delete_url, icon_name="bin", priority=20))
        return found

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        form = self.object.form
        files = {attachment.key: attachment for attachment in self.object.attachments.all()}
        labels = {field.label: field.key for field in form.schema if field.type == "file"}
        answers = [(label, value, files.get(labels.get(label, ""))) for label, value in labelled(form.schema, self.object.data)]
        return super().get_context_data(
            **kwargs,
            form=form,
            answers=answers,
            contact_url=contact_url(self.object),
            received_on=local_date(self.object.created_at),
            may_change=self.user_has_permission("change"),
        )


class SubmissionAction(RecordAction):
    """A button of the inspect view; a submission that is not kept is gone after its release."""

    model = Submission

    def get_queryset(self) -> Any:
        return Submission.objects.select_related("form")

    def home(self, record: Submission) -> str:
        kept = Submission.objects.filter(pk=record.pk).exists()
        return inspect_url(record) if kept else reverse("form_submissions:index")


class ReleaseView(SubmissionAction):
    def act(self, request: HttpRequest, record: Submission) -> None:
        if release(submission=record, user=request.user):
            messages.success(request, "Released. Its recipients and integrations are told of it now.")
        else:
            messages.success(request, "It is no longer in quarantine. Its recipients had been told of it before.")


class MarkAsSpamView(SubmissionAction):
    def act(self, request: HttpRequest, record: Submission) -> None:
        if mark_as_spam(submission=record, user=request.user):
            messages.success(request, "It is in quarantine now.")


class AttachmentView(PermissionCheckedMixin, View):
    """A file that came with a submission: to be saved, never shown, as nobody knows what it is."""

    any_permission_required = ("view", "change", "delete")
    model = Submission

    def get(self, request: HttpRequest, pk: int) -> FileResponse:
        attachment = get_object_or_404(Attachment, pk=pk)
        try:
            content = attachment.file.open("rb")
        except FileNotFoundError:
            raise Http404 from None
        response = FileResponse(
            content, as_attachment=True, filename=attachment.filename, content_type="application/octet-stream"
        )
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
        response.headers["Cache-Control"] = "private, no-store"
        return response


class SubmissionViewSet(ModelViewSet):
    model = Submission
    icon = "mail"
    menu_label = "Submissions"
    menu_order = 20
    name = "form_submissions"
    url_prefix = "forms/submissions"
    url_namespace = "form_submissions"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = True
    list_per_page = 50
    search_fields = ["words"]
    index_view_class = SubmissionIndexView
    inspect_view_class = SubmissionInspectView
    # Nobody writes one by hand; Wagtail wants to know all the same.
    form_fields = ["data"]

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        none = {"add_url_name": None, "edit_url_name": None, "usage_url_name": None}
        return super().get_common_view_kwargs(**kwargs) | none

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("inspect/<int:pk>/", self.inspect_view, name="inspect"),
            path("release/<int:pk>/", ReleaseView.as_view(), name="release"),
            path("spam/<int:pk>/", MarkAsSpamView.as_view(), name="mark_as_spam"),
            path("delete/<int:pk>/", self.delete_view, name="delete"),
            path("history/<int:pk>/", self.history_view, name="history"),
            path("history-results/<int:pk>/", self.history_results_view, name="history_results"),
            path("files/<int:pk>/", AttachmentView.as_view(), name="attachment"),
        ]
