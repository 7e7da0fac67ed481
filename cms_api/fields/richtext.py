"""Rich text: accepts HTML or a Tiptap document and stores sanitized HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cms_api.fields.base import FieldPath, FieldType, JsonSchema, read_text, register, storable
from cms_api.text.dropped import find_dropped
from cms_api.text.html import clean_html, strip_tags, tiptap_markup

if TYPE_CHECKING:
    from cms_api.fields.definition import Context, Field

HTML_LIMIT = 1_000_000
#: See `docs/rich-text.md`.
KEPT = (
    "HTML, or a Tiptap document. Paragraphs, headings with their `id`, lists with `start` and `value`, quotes, code, tables, "
    "images, figures, links (`http`, `https`, `mailto`, `tel`, and addresses of the site), bold, italic, underlined, struck, "
    "deleted, inserted, marked and small text, abbreviations, `dir` and `lang` are kept. All else is dropped, "
    "and named in `meta.ignored`."
)


@register("richtext_tiptap")
class RichText(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> str | None:
        if isinstance(value, dict):
            if value.get("type") != "doc":
                raise where.refusal("must be HTML or a Tiptap document.")
            value = storable(tiptap_markup(value), where)
        elif not isinstance(value, str):
            raise where.refusal("must be HTML or a Tiptap document.")
        html = read_text(value, where, HTML_LIMIT)
        if html is None:
            return None
        cleaned = read_text(clean_html(html), where, HTML_LIMIT)
        return None if cleaned is None or _is_blank(cleaned) else cleaned

    def find_ignored(self, sent: Any) -> list[str]:
        return find_dropped(sent) if isinstance(sent, str) else []

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        html = {"type": "string", "contentMediaType": "text/html", "maxLength": HTML_LIMIT}
        if not writing:
            return html
        document = {
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"const": "doc"}, "content": {"type": "array"}},
        }
        return {"description": KEPT, "anyOf": [html, document]}

    def search_text(self, field: Field, stored: Any) -> str:
        return strip_tags(stored) if isinstance(stored, str) else ""


def _is_blank(html: str) -> bool:
    """Return whether the HTML shows nothing. An editor left empty sends `<p></p>`."""
    return "<img" not in html and "<hr" not in html and not strip_tags(html)
