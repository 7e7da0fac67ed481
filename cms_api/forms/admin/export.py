"""Submissions as a CSV file, written while it is sent; nothing in it is run by a spreadsheet."""

import csv
from collections.abc import Iterator

import orjson
from django.db.models import QuerySet
from django.utils.functional import cached_property
from wagtail.admin.views.mixins import Echo
from wagtail.admin.widgets.button import Button

from cms_api.core.spreadsheets import safe_cell
from cms_api.core.wire import instant

from ..models import Form, Submission
from ..types import in_words

#: Rows that are read at once.
BATCH = 500


class ExportMixin:
    """Wagtail's export of a listing, as it is filtered. Of one form, each field is a column; else the values are JSON in one."""

    FORMATS = ("csv",)
    # Says that there is an export; the columns depend on what is listed.
    list_export = ["id"]
    export_filename = "submissions"

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        return [Button("Download CSV", url=self.get_export_url("csv"), icon_name="download", priority=90)]  # type: ignore[attr-defined]

    @cached_property
    def chosen_form(self) -> Form | None:
        number = self.request.GET.get("form", "")  # type: ignore[attr-defined]
        return Form.objects.filter(pk=number).first() if number.isascii() and number.isdecimal() and len(number) < 19 else None

    def get_filename(self) -> str:
        return f"{self.chosen_form.slug}-submissions" if self.chosen_form else self.export_filename

    def stream_csv(self, queryset: QuerySet[Submission]) -> Iterator[bytes]:
        writer = csv.writer(Echo())
        form = self.chosen_form
        keys = [field.key for field in form.schema] if form else []
        labels = [field.label for field in form.schema] if form else ["Data"]
        yield writer.writerow(map(safe_cell, ["Id", "Form", "Date", "Source", "In quarantine", "Because", *labels]))
        for found in queryset.iterator(chunk_size=BATCH):
            values = [in_words(found.data.get(key)) for key in keys] if form else [orjson.dumps(found.data).decode()]
            about = [found.pk, found.form.name, instant(found.created_at), found.get_source_display(), in_words(found.is_spam)]
            yield writer.writerow(map(safe_cell, [*about, found.spam_reason, *values]))
