"""Submissions as a CSV file. Of one form, each field is a column; else the values are JSON in one."""

from collections.abc import Sequence
from typing import Any

import orjson
from django.utils.functional import cached_property

from cms_api.adminkit.admin import CsvListing
from cms_api.http.wire import instant

from ..models import Form, Submission
from ..types import in_words


class SubmissionListing(CsvListing):
    export_filename = "submissions"

    @cached_property
    def chosen_form(self) -> Form | None:
        number = self.request.GET.get("form", "")  # type: ignore[attr-defined]
        return Form.objects.filter(pk=number).first() if number.isascii() and number.isdecimal() and len(number) < 19 else None

    def get_filename(self) -> str:
        return f"{self.chosen_form.slug}-submissions" if self.chosen_form else self.export_filename

    def csv_header(self) -> Sequence[str]:
        labels = [field.label for field in self.chosen_form.schema] if self.chosen_form else ["Data"]
        return ["Id", "Form", "Date", "Source", "In quarantine", "Because", *labels]

    def csv_row(self, record: Submission) -> Sequence[Any]:
        if self.chosen_form:
            values = [in_words(record.data.get(field.key)) for field in self.chosen_form.schema]
        else:
            values = [orjson.dumps(record.data).decode()]
        about = [record.pk, record.form.name, instant(record.created_at), record.get_source_display(), in_words(record.is_spam)]
        return [*about, record.spam_reason, *values]
