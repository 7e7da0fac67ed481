"""The base class of all rows, and fields that rows share."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from wagtail import blocks
from wagtail.blocks.struct_block import StructBlockValidationError
from wagtail.images.blocks import ImageChooserBlock

from cms_api.text.placeholders import CALENDAR_TOKEN

from .slots import Slot

#: Rich text features: for whole passages, and for short texts.
PROSE = ["h3", "h4", "bold", "italic", "ol", "ul", "link", "hr"]
WORDS = ["bold", "italic", "link"]


def picture() -> ImageChooserBlock:
    return ImageChooserBlock(required=False)


def alt_text() -> blocks.CharBlock:
    return blocks.CharBlock(
        required=False,
        max_length=255,
        label="Alternative text",
        help_text="Defaults to the library's text.",
    )


def heading(*, required: bool = False) -> blocks.CharBlock:
    return blocks.CharBlock(required=required, max_length=120)


class RecordBlock(blocks.ChoiceBlock):
    """A choice of a record by its slug or its id, as text. The choices are only looked up for the editor."""

    def normalize_choice(self, value: Any) -> Any:
        return value


class LinkBlock(blocks.StructBlock):
    """A link with a text, to a page of the site or any URL."""

    text = blocks.CharBlock(max_length=60)
    page = blocks.PageChooserBlock(required=False)
    url = blocks.CharBlock(
        required=False,
        max_length=500,
        label="Address",
        help_text="Used if no page is chosen: https://…, mailto:… or a path like /blog-post.",
    )

    def clean(self, value: Any) -> Any:
        cleaned = super().clean(value)
        url = cleaned["url"] or ""
        if self.is_deferred_validation and not url:
            # Drafts may lack what they need to be published.
            return cleaned
        # In rows around a record, a token stands for a URL of the record.
        if not cleaned["page"] and not is_safe_address(url) and not CALENDAR_TOKEN.fullmatch(url):
            raise StructBlockValidationError({"url": ValidationError("Choose a page, or enter an address or a path.")})
        return cleaned

    class Meta:
        icon = "link"
        label_format = "{text}"


def is_safe_address(address: str) -> bool:
    return address.startswith(("https://", "http://", "mailto:", "tel:", "/", "#")) and not address.startswith("//")


class RowBlock(blocks.StructBlock):
    """A kind of row, which a module declares as a `Row` and renders with the template `rows/<name>.html`.

    `Meta.preview_value` is an example for the preview in the block picker; without one there is no preview.
    """

    #: Image slots of the row itself; each is named after the field with the editor's choice.
    slots: ClassVar[tuple[Slot, ...]] = ()
    #: False for placeholders, such as a shared row.
    has_template: ClassVar[bool] = True

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return the context of the row's template besides `row`; None hides the row.

        Pass the versions of whatever is read from the database to `cms_api.http.page_cache.depends_on`.
        """
        return {}

    def starting_values(self) -> Iterable[Mapping[str, Any]]:
        """Return the values of the rows of this kind that a new site's home page starts with."""
        return ()

    def has_heading(self, value: Any) -> bool:
        """Return whether the row has its own heading, to which the headings of its parts are subordinate."""
        return bool(value.get("heading"))

    def bound_slots(self, value: Any) -> Iterator[tuple[Slot, Any]]:
        """Yield every slot of a row with the part of the value that contains the editor's choice."""
        for slot in self.slots:
            yield slot, value

    @property
    def is_previewable(self) -> bool:
        return hasattr(self.meta, "preview_value")

    class Meta:
        # The heading of a collapsed row, and the page that previews a kind.
        label_format = "{heading}"
        preview_template = "rows/preview.html"


class PartsRowBlock(RowBlock):
    """A row with a list of parts, each with an image. A part's slot is keyed by the part's id, so it moves with the part."""

    #: The name of the list field, and the label of a part.
    parts: ClassVar[str]
    part: ClassVar[str]
    part_slot: ClassVar[Slot]

    def bound_slots(self, value: Any) -> Iterator[tuple[Slot, Any]]:
        yield from super().bound_slots(value)
        for number, bound in enumerate(value[self.parts].bound_blocks, start=1):
            slot = self.part_slot
            key = f"{slot.key}-{bound.id.replace('-', '')[:8]}"
            yield Slot(key, f"{self.part} {number}", slot.width, slot.aspect, slot.alt_key, slot.kind), bound.value
