"""The forms of records with rows."""

from typing import Any

from django.core.exceptions import ValidationError
from django.forms import Media
from wagtail.admin.forms import WagtailAdminModelForm, WagtailAdminPageForm
from wagtail.admin.staticfiles import versioned_static
from wagtail.blocks import StreamBlockValidationError, StreamValue
from wagtail.coreutils import cautious_slugify

from cms_api.content.selectors import visible_types
from cms_api.content.services.addresses import address_taken_message, find_address_owner
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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            if field.required and name not in self._meta.defer_required_on_fields:
                # Not even a draft can lack it: autosave.js waits until it has a value.
                field.widget.attrs["data-draft-needs"] = ""

    def clean_slug(self) -> str:
        """Return a free slug in place of a taken one that only follows the title: two pages may have the same title.

        The slug of a page that is or was public is part of its address, and never changes by itself.
        """
        slug: str = self.cleaned_data["slug"]
        title = self.cleaned_data.get("title") or ""
        if self.instance.first_published_at or slug != cautious_slugify(title):
            if slug != self.initial.get("slug") and (owner := self._owner(slug)):
                raise ValidationError(address_taken_message(slug, owner), code="taken_address")
            return slug
        number, free = 1, slug
        while free and not self._is_free(free):
            number += 1
            free = f"{slug[:240]}-{number}"
        return free

    def _is_free(self, slug: str) -> bool:
        """Return whether no other page below the same one has the slug."""
        if self.parent_page is None:
            return True
        others = self.parent_page.get_children().not_page(self.instance)
        return not others.filter(slug=slug).exists() and not self._owner(slug)

    def _owner(self, slug: str) -> str:
        """Return the module or content type with the address that a page at the top would have."""
        is_top = self.parent_page is not None and self.parent_page.depth == 2
        return find_address_owner(slug, besides_pages=True) if is_top else ""

    @property
    def media(self) -> Media:
        return super().media + Media(js=[versioned_static("home_admin/autosave.js")])


class RecordTemplateForm(SitePageForm):
    """The form of a record template: a new one begins with the record, and a content type has one template only.

    Types whose feature is off are not offered, but that of an existing template stays.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        templates = type(self.instance)._default_manager.exclude(pk=self.instance.pk)
        record_type: Any = self.fields["record_type"]
        shown = {self.instance.record_type_id, *(found.pk for found in visible_types().values())}
        record_type.queryset = record_type.queryset.filter(pk__in=shown - {None}).exclude(pk__in=templates.values("record_type"))
        if not self.instance.pk:
            self.initial["rows"] = self.fields["rows"].block.to_python([{"type": "record", "value": {}}])
