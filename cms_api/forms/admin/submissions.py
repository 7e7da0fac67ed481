"""Submissions in the admin: filter by form, date and text, view, release, mark as spam, delete."""

from collections.abc import Callable, Iterable
from typing import Any

import django_filters
import orjson
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.text import Truncator
from django.views.generic import View
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn
from cms_api.adminkit.ids import is_id
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.core import registry
from cms_api.flags.selectors import is_on
from cms_api.http.downloads import download

from ..models import Attachment, Form, Submission
from ..selectors import found_by_words
from ..services.submissions import delete_submission, mark_as_spam, release
from ..types import Source, in_words, label_values

SUMMARY_CHARACTERS = 80


def summary(submission: Submission) -> str:
    """Return the first two answers, which usually name the sender."""
    given = (submission.data.get(field.key) for field in submission.form.schema)
    shown = [in_words(value) for value in given if value and not isinstance(value, bool)]
    return Truncator(", ".join(shown[:2]) or "Nothing filled in").chars(SUMMARY_CHARACTERS)


def state(submission: Submission) -> str:
    return "In quarantine" if submission.is_spam else "Received"


def by_state(submissions: QuerySet[Submission], name: str, value: str) -> QuerySet[Submission]:
    return submissions.filter(is_spam=value == "true")


def chosen_form(request: HttpRequest) -> Form | None:
    number = request.GET.get("form", "")
    return Form.objects.filter(pk=int(number)).first() if is_id(number) else None


def submissions_url(form: Form) -> str:
    return set_query_params(reverse("form_submissions:index"), {"form": form.pk})


def as_json(submission: Submission) -> str:
    return orjson.dumps(submission.data).decode()


def answer(key: str) -> Callable[[Submission], str]:
    return lambda found: in_words(found.data.get(key))


def contact_url(submission: Submission) -> str:
    """Return the page of the submission's contact; empty without a contact or while its module is off."""
    if submission.contact_id is None:
        return ""
    pages = (page for module, page in registry.contact_urls() if is_on(module.feature))
    return next((registry.load(page)(submission.contact_id) for page in pages), "")


class AttachmentView(PermissionCheckedMixin, View):
    """A file of a submission: always a download, never shown inline, as its content is not trusted."""

    any_permission_required = ("view", "change", "delete")
    model = Submission

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        attachment = get_object_or_404(Attachment, pk=pk)
        return download(request, attachment.file, attachment.filename)


class SubmissionViewSet(RecordViewSet):
    model = Submission
    icon = "mail"
    menu_label = "Submissions"
    menu_order = 20
    name = "form_submissions"
    url_prefix = "forms/submissions"
    pages = ("inspect", "delete", "history")
    delete_consequence = "Its files are deleted too."
    inspect_template_name = "forms_admin/submission.html"
    search = found_by_words
    search_order = 150
    list_display = (
        RecordColumn("summary", label="Submission", accessor=summary),
        Column("form", label="Form", accessor="form.name"),
        StatusColumn("is_spam", label="State", accessor=state, primary=lambda found: not found.is_spam),
        Column("source", label="Source", accessor="get_source_display"),
        MomentColumn("created_at", label="Date"),
    )
    filters = {
        "form": django_filters.ModelChoiceFilter(queryset=Form.objects.all(), empty_label="All"),
        "is_spam": filters.choice([("false", "Received"), ("true", "In quarantine")], label="Status", method=by_state),
        "source": filters.choice(Source.choices),
        "created_at": filters.date_range("Date"),
    }
    csv = {
        "Id": "pk",
        "Form": "form.name",
        "Date": "created_at",
        "Source": "get_source_display",
        "In quarantine": lambda found: in_words(found.is_spam),
        "Reason": "spam_reason",
    }
    transitions = (
        Transition(
            "release",
            "Release",
            calling(release, "submission"),
            "Released. Its recipients and integrations are being notified.",
            "This submission is not in quarantine. Its recipients were already notified.",
            offered=lambda submission: submission.is_spam,
        ),
        Transition(
            "mark_as_spam",
            "Mark as spam",
            calling(mark_as_spam, "submission"),
            "Moved to quarantine.",
            offered=lambda submission: not submission.is_spam,
        ),
    )

    def records(self) -> QuerySet[Submission]:
        return Submission.objects.select_related("form")

    def delete(self, record: Submission, user: Any) -> None:
        delete_submission(submission=record, user=user)

    def csv_columns(self, request: HttpRequest) -> Iterable[tuple[str, Any]]:
        """Return a column for each field when exporting a single form, else one with the values as JSON."""
        form = chosen_form(request)
        values = [(field.label, answer(field.key)) for field in form.schema] if form else [("Data", as_json)]
        return [*self.csv.items(), *values]

    def csv_name(self, request: HttpRequest) -> str:
        form = chosen_form(request)
        return f"{form.slug}-submissions" if form else super().csv_name(request)

    def facts(self, record: Submission) -> dict[str, Any]:
        contact = contact_url(record)
        return {
            "Form": format_html('<a href="{}">{}</a>', submissions_url(record.form), record.form.name),
            "Received": record.created_at,
            "Source": record.get_source_display(),
            "Contact": format_html('<a href="{}">Open in the CRM</a>', contact) if contact else None,
            "State": state(record),
        }

    def inspect_context(self, record: Submission, request: HttpRequest) -> dict[str, Any]:
        form = record.form
        files = {attachment.key: attachment for attachment in record.attachments.all()}
        keys = {field.label: field.key for field in form.schema if field.type == "file"}
        answers = [(label, value, files.get(keys.get(label, ""))) for label, value in label_values(form.schema, record.data)]
        return {"form": form, "answers": answers}

    def get_name(self, record: Submission) -> str:
        return summary(record)

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [path("files/<id:pk>/", AttachmentView.as_view(), name="attachment")]
