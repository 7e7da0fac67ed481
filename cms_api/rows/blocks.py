"""The base of every row, and the fields that rows have in common."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from wagtail import blocks
from wagtail.blocks.struct_block import StructBlockValidationError
from wagtail.images.blocks import ImageChooserBlock

from cms_api.text.placeholders import CALENDAR_TOKEN

from .slots import Slot

#: The features of rich text: of whole passages, and of a few words.
PROSE = ["h3", "h4", "bold", "italic", "ol", "ul", "link", "hr"]
WORDS = ["bold", "italic", "link"]


def picture() -> ImageChooserBlock:
    return ImageChooserBlock(required=False)


def alt_text() -> blocks.CharBlock:
    return blocks.CharBlock(
        required=False, max_length=255, label="Alternative text", help_text="What the picture shows; empty for the library's own."
    )


def heading(*, required: bool = False) -> blocks.CharBlock:
    return blocks.CharBlock(required=required, max_length=120)


class LinkBlock(blocks.StructBlock):
    """A link with a text, to a page of the site or to any address."""

    text = blocks.CharBlock(max_length=60)
    page = blocks.PageChooserBlock(required=False)
    url = blocks.CharBlock(
        required=False,
        max_length=500,
        label="Address",
        help_text="Where no page is chosen: https://…, mailto:… or a path like /blog-post.",
    )

    def clean(self, value: Any) -> Any:
        cleaned = super().clean(value)
        url = cleaned["url"] or ""
        # Around a record, a token stands for an address of its own.
        if not cleaned["page"] and not is_safe_address(url) and not CALENDAR_TOKEN.fullmatch(url):
            raise StructBlockValidationError({"url": ValidationError("Choose a page, or give an address or a path.")})
        return cleaned

    class Meta:
        icon = "link"
        label_format = "{text}"


def is_safe_address(address: str) -> bool:
    return address.startswith(("https://", "http://", "mailto:", "tel:", "/", "#")) and not address.startswith("//")


class RowBlock(blocks.StructBlock):
    """A kind of row, which a module declares as a `Row` and shows by the template `rows/<name>.html`.

    `Meta.preview_value` is an example of it, which editors see before they choose the kind; without one there is no preview.
    """

    #: Its own slots, each named after the field that holds the editor's choice.
    slots: ClassVar[tuple[Slot, ...]] = ()
    #: False for what stands for something else, such as the row of another page.
    has_template: ClassVar[bool] = True

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """The context of the row's template besides `row`; None shows nothing.

        What is read from the database for it is named to the page's cache, by `cms_api.http.page_cache.depends_on`.
        """
        return {}

    def has_heading(self, value: Any) -> bool:
        """Whether the row has a heading of its own, below which the headings of its parts stand."""
        return bool(value.get("heading"))

    def bound_slots(self, value: Any) -> Iterator[tuple[Slot, Any]]:
        """Every slot of a row, and the part of its value that holds the editor's choice for it."""
        for slot in self.slots:
            yield slot, value

    @property
    def is_previewable(self) -> bool:
        return hasattr(self.meta, "preview_value")

    class Meta:
        # The heading of a row that is collapsed, and the page that previews a kind.
        label_format = "{heading}"
        preview_template = "rows/preview.html"


class PartsRowBlock(RowBlock):
    """A row with a list of parts, each with a picture. A part's slot is named by the part's id, so it moves with the part."""

    #: The field that holds the list, and the label of a part.
    parts: ClassVar[str]
    part: ClassVar[str]
    part_slot: ClassVar[Slot]

    def bound_slots(self, value: Any) -> Iterator[tuple[Slot, Any]]:
        yield from super().bound_slots(value)
        for number, bound in enumerate(value[self.parts].bound_blocks, start=1):
            slot = self.part_slot
            key = f"{slot.key}-{bound.id.replace('-', '')[:8]}"
            yield Slot(key, f"{self.part} {number}", slot.width, slot.aspect, slot.alt_key, slot.kind), bound.value
