"""The forms of records with rows."""

from django.core.exceptions import ValidationError
from wagtail.admin.forms import WagtailAdminModelForm, WagtailAdminPageForm
from wagtail.blocks import StreamBlockValidationError, StreamValue

from cms_api.flags.selectors import rows_off


class RowsForm(WagtailAdminModelForm):
    """Refuses new rows of disabled modules; the editor does not offer them, and existing ones stay."""

    def clean_rows(self) -> StreamValue:
        rows: StreamValue = self.cleaned_data["rows"]
        off = rows_off()
        existing = {(child.block_type, child.id) for child in self.instance.rows}
        added = [
            number
            for number, child in enumerate(rows)
            if child.block_type in off and (child.block_type, child.id) not in existing
        ]
        if added:
            refusal = ValidationError("Rows of this kind cannot be added.", code="disabled_row")
            raise StreamBlockValidationError(block_errors=dict.fromkeys(added, refusal))
        return rows


class SitePageForm(RowsForm, WagtailAdminPageForm):
    """The form of a page."""
