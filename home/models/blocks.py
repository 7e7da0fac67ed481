"""The rows that pages are built of, and the places for pictures in each."""

from collections.abc import Iterator
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.forms import CheckboxSelectMultiple
from wagtail import blocks
from wagtail.blocks.struct_block import StructBlockValidationError
from wagtail.images.blocks import ImageChooserBlock
from wagtail.snippets.blocks import SnippetChooserBlock

from cms_api.content.selectors import visible_types
from cms_api.content.types import CALENDAR_TOKEN
from cms_api.forms.selectors import enabled_forms
from commerce.marketing.selectors import public_lists

from ..types import Slot
from .examples import EXAMPLES

PROSE = ["h3", "h4", "bold", "italic", "ol", "ul", "link", "hr"]
WORDS = ["bold", "italic", "link"]

#: A place for a picture, and the part of a row's value that holds the editor's choice for it.
Place = tuple[Slot, Any]


def picture() -> ImageChooserBlock:
    return ImageChooserBlock(required=False)


def alt_text() -> blocks.CharBlock:
    return blocks.CharBlock(
        required=False, max_length=255, label="Alternative text", help_text="What the picture shows; empty for the library's own."
    )


def heading(*, required: bool = False) -> blocks.CharBlock:
    return blocks.CharBlock(required=required, max_length=120)


class LinkBlock(blocks.StructBlock):
    """Words that lead to a page of the site or to any address."""

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
    """A row of a page. `slots` are its own places for pictures; each is named after the field that holds the editor's choice."""

    slots: ClassVar[tuple[Slot, ...]] = ()

    def places(self, value: Any) -> Iterator[Place]:
        for slot in self.slots:
            yield slot, value

    @property
    def is_previewable(self) -> bool:
        return self.name in EXAMPLES

    def get_preview_value(self) -> Any:
        return self.normalize(EXAMPLES[self.name])

    class Meta:
        # What stands in the head of a row that is folded, and the page on which people look at a kind before they choose it.
        label_format = "{heading}"
        preview_template = "rows/preview.html"


class ListedRowBlock(RowBlock):
    """A row with a list of parts, each with a picture; a part's place is named by the part's own id, wherever it stands."""

    #: The field that holds the list, and what a part is called.
    parts: ClassVar[str]
    part: ClassVar[str]
    part_slot: ClassVar[Slot]

    def places(self, value: Any) -> Iterator[Place]:
        yield from super().places(value)
        for number, bound in enumerate(value[self.parts].bound_blocks, start=1):
            slot = self.part_slot
            key = f"{slot.key}-{bound.id.replace('-', '')[:8]}"
            yield Slot(key, f"{self.part} {number}", slot.width, slot.aspect, slot.alt_key, slot.kind), bound.value


class HeroBlock(RowBlock):
    slots = (Slot("image", "Picture", 1920, "16:9", "image_alt", "hero"),)

    heading = heading(required=True)
    text = blocks.RichTextBlock(required=False, features=WORDS)
    links = blocks.ListBlock(LinkBlock(), max_num=2, default=[])
    image = picture()
    image_alt = alt_text()

    class Meta:
        icon = "desktop"
        label = "Hero"
        description = "A large beginning: a heading, a few words, up to two buttons and a picture up to the edge of the window."


class TextBlock(RowBlock):
    heading = heading()
    text = blocks.RichTextBlock(features=PROSE)

    class Meta:
        icon = "pilcrow"
        label = "Text"
        description = "Running text, beside its heading where there is room."


class MediaTextBlock(RowBlock):
    slots = (Slot("image", "Picture", 1120, "4:3", "image_alt", "half"),)

    heading = heading(required=True)
    text = blocks.RichTextBlock(features=PROSE)
    links = blocks.ListBlock(LinkBlock(), max_num=2, default=[])
    image = picture()
    image_alt = alt_text()
    side = blocks.ChoiceBlock(choices=[("right", "Right"), ("left", "Left")], default="right", label="Picture on the")

    class Meta:
        icon = "image"
        label = "Media and text"
        description = "Words beside a picture, on whichever side suits the page."


class PictureBlock(blocks.StructBlock):
    picture = picture()
    alt = alt_text()
    caption = blocks.CharBlock(required=False, max_length=200)

    class Meta:
        icon = "image"
        label_format = "{caption} {picture}"


class GalleryBlock(ListedRowBlock):
    parts, part = "pictures", "Picture"
    part_slot = Slot("picture", "Picture", 1200, "4:3", "alt", "tile")

    heading = heading()
    pictures = blocks.ListBlock(
        PictureBlock(label="Picture"),
        min_num=1,
        max_num=24,
    )

    class Meta:
        icon = "grid"
        label = "Gallery"
        description = "Pictures in a grid, with captions."


class CardBlock(blocks.StructBlock):
    title = blocks.CharBlock(max_length=80)
    text = blocks.TextBlock(required=False, max_length=300)
    page = blocks.PageChooserBlock(required=False)
    url = blocks.CharBlock(required=False, max_length=500, label="Address", help_text="Where no page is chosen.")
    picture = picture()
    alt = alt_text()

    class Meta:
        icon = "doc-empty"
        label_format = "{title}"


class CardsBlock(ListedRowBlock):
    parts, part = "cards", "Card"
    part_slot = Slot("picture", "Picture", 960, "8:5", "alt", "card")

    heading = heading()
    cards = blocks.ListBlock(
        CardBlock(label="Card"),
        min_num=1,
        max_num=12,
    )

    class Meta:
        icon = "grip"
        label = "Cards"
        description = "Pictures with a title and a few words, each of which may lead somewhere."


class QuoteBlock(RowBlock):
    slots = (Slot("portrait", "Portrait", 480, "1:1", "", "portrait"),)

    quote = blocks.TextBlock(max_length=600)
    name = blocks.CharBlock(required=False, max_length=100)
    role = blocks.CharBlock(required=False, max_length=100)
    portrait = picture()

    class Meta:
        icon = "openquote"
        label = "Quote"
        label_format = "{quote}"
        description = "What somebody said, in large letters, with a portrait."


class QuestionBlock(blocks.StructBlock):
    question = blocks.CharBlock(max_length=200)
    answer = blocks.RichTextBlock(features=PROSE)

    class Meta:
        icon = "help"
        label_format = "{question}"


class FaqBlock(RowBlock):
    heading = heading()
    questions = blocks.ListBlock(
        QuestionBlock(label="Question"),
        min_num=1,
        max_num=40,
    )

    class Meta:
        icon = "help"
        label = "Questions and answers"
        description = "Questions that open to show their answers."


def listed_types() -> list[tuple[str, str]]:
    """The content types whose items have pages."""
    return [(slug, found.name_plural) for slug, found in visible_types().items() if found.has_detail]


class ItemListBlock(RowBlock):
    heading = heading()
    type = blocks.ChoiceBlock(choices=listed_types, label="Content type")
    count = blocks.IntegerBlock(min_value=1, max_value=24, default=3)
    link = blocks.BooleanBlock(required=False, default=True, label="Link to the whole list")

    class Meta:
        icon = "list-ul"
        label = "Item list"
        label_format = "{heading} {type}"
        description = "The newest items of a content type; it keeps itself up to date."


class CallToActionBlock(RowBlock):
    slots = (Slot("background", "Background", 1920, "21:9", "", "hero"),)

    heading = heading(required=True)
    text = blocks.TextBlock(required=False, max_length=300)
    links = blocks.ListBlock(LinkBlock(), min_num=1, max_num=2)
    background = picture()

    class Meta:
        icon = "pick"
        label = "Call to action"
        description = "A coloured band with one thing to do, and a picture beside it."


class MapBlock(RowBlock):
    slots = (Slot("image", "Map or picture of the place", 1120, "16:9", "image_alt", "half"),)

    heading = heading()
    address = blocks.TextBlock(max_length=300)
    latitude = blocks.FloatBlock(required=False, min_value=-90, max_value=90)
    longitude = blocks.FloatBlock(required=False, min_value=-180, max_value=180)
    directions = blocks.RichTextBlock(required=False, features=PROSE, label="How to get there")
    image = picture()
    image_alt = alt_text()

    class Meta:
        icon = "globe"
        label = "Map"
        description = "An address, how to get there, and a link to a map. Nothing is loaded from elsewhere."


def listed_forms() -> list[tuple[str, str]]:
    """The forms that visitors may use."""
    return [(slug, form.name) for slug, form in enabled_forms().items()]


class FormBlock(RowBlock):
    heading = heading()
    text = blocks.RichTextBlock(required=False, features=WORDS)
    form = blocks.ChoiceBlock(choices=listed_forms)

    class Meta:
        icon = "form"
        label = "Form"
        description = "A form that visitors fill in; forms are made under Forms."


def listed_mailing_lists() -> list[tuple[str, str]]:
    """The lists that visitors may choose."""
    return [(each.slug, each.name) for each in public_lists()]


class NewsletterBlock(RowBlock):
    heading = heading(required=True)
    text = blocks.RichTextBlock(required=False, features=WORDS)
    lists = blocks.MultipleChoiceBlock(
        required=False,
        choices=listed_mailing_lists,
        widget=CheckboxSelectMultiple,
        help_text="What visitors are asked about; everything they may choose where none is ticked.",
    )
    button = blocks.CharBlock(required=False, max_length=60, label="Words on the button", help_text="“Subscribe” where empty.")

    class Meta:
        icon = "mail"
        label = "Newsletter sign-up"
        description = "Invites visitors to subscribe, and leads to the page for it; there while marketing is on."


class SharedBlock(RowBlock):
    row = SnippetChooserBlock("home.SharedRow", label="Shared row")

    class Meta:
        icon = "copy"
        label = "Shared row"
        label_format = "{row}"


class RecordBlock(RowBlock):
    """Where the record itself stands among the rows of its template."""

    class Meta:
        icon = "placeholder"
        label = "The record"
        help_text = "The fields of the record that is shown."


#: Rows that may stand on any page, and in a shared row.
PLAIN_ROWS: list[tuple[str, RowBlock]] = [
    ("hero", HeroBlock()),
    ("text", TextBlock()),
    ("media_text", MediaTextBlock()),
    ("gallery", GalleryBlock()),
    ("cards", CardsBlock()),
    ("quote", QuoteBlock()),
    ("faq", FaqBlock()),
    ("item_list", ItemListBlock()),
    ("call_to_action", CallToActionBlock()),
    ("map", MapBlock()),
    ("form", FormBlock()),
    ("newsletter", NewsletterBlock()),
]
PAGE_ROWS = [*PLAIN_ROWS, ("shared", SharedBlock())]
RECORD_ROWS = [*PAGE_ROWS, ("record", RecordBlock())]
