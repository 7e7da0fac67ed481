"""Rows that belong to no other module: text and images written by editors."""

from typing import Any

from django.forms import Media
from django.urls import reverse
from django.utils.functional import cached_property
from wagtail import blocks
from wagtail.admin.staticfiles import versioned_static
from wagtail.admin.telepath import register
from wagtail.blocks.list_block import ListBlockAdapter
from wagtail.snippets.blocks import SnippetChooserBlock

from cms_api.rows import PROSE, WORDS, LinkBlock, PartsRowBlock, RowBlock, Slot, alt_text, heading, picture

#: The text in previews.
EXAMPLE = "<p>A few sentences about the topic and why it matters to your visitors.</p>"
EXAMPLE_LINK = {"text": "Learn more", "page": None, "url": "/"}


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
        description = "A large heading with a short text, up to two buttons and a full-width image."
        preview_value = {
            "heading": "Your main message",
            "text": EXAMPLE,
            "links": [EXAMPLE_LINK, {**EXAMPLE_LINK, "text": "Visit us"}],
        }


class TextBlock(RowBlock):
    heading = heading()
    text = blocks.RichTextBlock(features=PROSE)

    class Meta:
        icon = "pilcrow"
        label = "Text"
        description = "A heading and text, side by side where there is room."
        preview_value = {"heading": "How we work", "text": EXAMPLE + "<h3>In detail</h3>" + EXAMPLE}


class MediaTextBlock(RowBlock):
    slots = (Slot("image", "Picture", 1120, "4:3", "image_alt", "half"),)

    heading = heading(required=True)
    text = blocks.RichTextBlock(features=PROSE)
    links = blocks.ListBlock(LinkBlock(), max_num=2, default=[])
    image = picture()
    image_alt = alt_text()
    side = blocks.ChoiceBlock(choices=[("right", "Right"), ("left", "Left")], default="right", label="Image position")

    class Meta:
        icon = "image"
        label = "Media and text"
        description = "Text beside an image, on either side."
        preview_value = {"heading": "Show what you do", "text": EXAMPLE, "links": [EXAMPLE_LINK], "side": "right"}


class PictureBlock(blocks.StructBlock):
    picture = picture()
    alt = alt_text()
    caption = blocks.CharBlock(required=False, max_length=200)

    class Meta:
        icon = "image"
        label_format = "{caption} {picture}"


class PicturesBlock(blocks.ListBlock):
    """A list of parts with a picture, which has a button that adds several pictures at once."""


class PicturesBlockAdapter(ListBlockAdapter):
    js_constructor = "home.PicturesBlock"

    def js_args(self, block: PicturesBlock) -> list[Any]:
        *args, meta = super().js_args(block)
        return [*args, {**meta, "chooserUrl": reverse("wagtailimages_chooser:choose")}]

    @cached_property
    def media(self) -> Media:
        return super().media + Media(js=[versioned_static("home_admin/pictures-block.js")])


register(PicturesBlockAdapter(), PicturesBlock)


class GalleryBlock(PartsRowBlock):
    parts, part = "pictures", "Picture"
    part_slot = Slot("picture", "Picture", 1200, "4:3", "alt", "tile")

    heading = heading()
    pictures = PicturesBlock(
        PictureBlock(label="Picture"),
        min_num=1,
        max_num=24,
    )

    class Meta:
        icon = "grid"
        label = "Gallery"
        description = "Images in a grid, with captions."
        preview_value = {"heading": "A look around", "pictures": [{"caption": f"Picture {number}"} for number in (1, 2, 3)]}


class CardBlock(blocks.StructBlock):
    title = blocks.CharBlock(max_length=80)
    text = blocks.TextBlock(required=False, max_length=300)
    page = blocks.PageChooserBlock(required=False)
    url = blocks.CharBlock(required=False, max_length=500, label="Address", help_text="Used if no page is chosen.")
    picture = picture()
    alt = alt_text()

    class Meta:
        icon = "doc-empty"
        label_format = "{title}"


class CardsBlock(PartsRowBlock):
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
        description = "Images with a title, a short text and an optional link."
        preview_value = {
            "heading": "Our services",
            "cards": [{"title": name, "text": "One sentence."} for name in ("One", "Two", "Three")],
        }


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
        description = "A quotation in large type, with a portrait."
        preview_value = {"quote": "I came for an hour and stayed for a year.", "name": "Dana Reyes", "role": "Visitor"}


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
        description = "Questions that expand to show their answers."
        preview_value = {
            "heading": "Good to know",
            "questions": [{"question": "Do I have to book?", "answer": EXAMPLE}, {"question": "Is it free?", "answer": EXAMPLE}],
        }


class CallToActionBlock(RowBlock):
    slots = (Slot("background", "Background", 1920, "21:9", "", "hero"),)

    heading = heading(required=True)
    text = blocks.TextBlock(required=False, max_length=300)
    links = blocks.ListBlock(LinkBlock(), min_num=1, max_num=2)
    background = picture()

    class Meta:
        icon = "pick"
        label = "Call to action"
        description = "A coloured band with one button, beside an image."
        preview_value = {"heading": "Come along", "text": "Your first visit is free.", "links": [EXAMPLE_LINK]}


class MapBlock(RowBlock):
    slots = (Slot("image", "Map or photo", 1120, "16:9", "image_alt", "half"),)

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
        description = "An address, directions, and a link to a map. Nothing is loaded from other sites."
        preview_value = {"heading": "Where we are", "address": "Weir Lane 4\nHarrowford", "directions": EXAMPLE}


class SharedBlock(RowBlock):
    """Embeds a row that several pages share."""

    has_template = False

    row = SnippetChooserBlock("home.SharedRow", label="Shared row")

    class Meta:
        icon = "copy"
        label = "Shared row"
        label_format = "{row}"


class RecordBlock(RowBlock):
    """Marks the position of the record among the rows of its template."""

    has_template = False

    class Meta:
        icon = "placeholder"
        label = "The record"
        help_text = "The fields of the current record."
