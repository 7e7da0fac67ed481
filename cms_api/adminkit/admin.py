"""What the admin pages of several modules do alike."""

import csv
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.functional import cached_property
from django.views.generic import View
from wagtail.admin import messages
from wagtail.admin.utils import get_valid_next_url_from_request
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin
from wagtail.admin.views.mixins import Echo
from wagtail.admin.widgets.button import Button

from cms_api.core.errors import Invalid
from cms_api.text.spreadsheets import safe_cell


class RefusingMixin:
    """Shows a service's refusal in the form, whose `refuse` puts the sentences where they belong."""

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            with transaction.atomic():
                return super().form_valid(form)  # type: ignore[misc]
        except Invalid as refusal:
            form.refuse(refusal)
            self.produced_error_message = self.get_error_message()  # type: ignore[attr-defined]
            return self.form_invalid(form)  # type: ignore[attr-defined]


class CsvListing:
    """An index view whose listing, as it is filtered, is downloaded as CSV; written while it is sent, and never run by a
    spreadsheet.
    """

    FORMATS = ("csv",)
    # Says that there is an export; `csv_row` says what is in it.
    list_export = ("id",)
    #: Rows that are read at once.
    chunk_size = 500

    def csv_header(self) -> Sequence[str]:
        raise NotImplementedError

    def csv_row(self, record: Any) -> Sequence[Any]:
        raise NotImplementedError

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        return [Button("Download CSV", url=self.get_export_url("csv"), icon_name="download", priority=90)]  # type: ignore[attr-defined]

    def stream_csv(self, queryset: QuerySet[Any]) -> Iterator[bytes]:
        writer = csv.writer(Echo())
        yield writer.writerow(map(safe_cell, self.csv_header()))
        for record in queryset.iterator(chunk_size=self.chunk_size):
            yield writer.writerow(map(safe_cell, self.csv_row(record)))


class RecordAction(PermissionCheckedMixin, View):
    """A button that does something with a record, and leads back to where it was."""

    permission_required = "change"
    model: Any = None

    def get_queryset(self) -> QuerySet[Any]:
        found: QuerySet[Any] = self.model._default_manager.all()
        return found

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        record = get_object_or_404(self.get_queryset(), pk=pk)
        try:
            self.act(request, record)
        except Invalid as refusal:
            messages.error(request, refusal.message)
        return redirect(get_valid_next_url_from_request(request) or self.home(record))

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        return redirect(self.home(get_object_or_404(self.get_queryset(), pk=pk)))

    def act(self, request: HttpRequest, record: Any) -> None:
        """Calls the service, and says with a message what came of it."""
        raise NotImplementedError

    def home(self, record: Any) -> str:
        """The page that the button stands on."""
        raise NotImplementedError
