"""Template tags of rows: those of a page, and those around every record of a type."""

from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from wagtail.models import Page

from cms_api.content.models import ContentItem
from cms_api.content.resources.calendar_links import resolve
from cms_api.http import page_cache
from home.selectors import TREE, address, hidden_templates, page_tag, record_template
from home.types import renumber_headings
from home.views.rows import ShownRow, present_rows, preview_row, split_at_record

register = template.Library()


@register.simple_tag(takes_context=True)
def rows_around(context: template.Context, item: ContentItem) -> dict[str, list[ShownRow]]:
    """Return the rows before and after a record, from the template of its type."""
    given: dict[str, list[ShownRow]] | None = context.get("around")
    if given is not None:
        return given
    page_cache.depends_on(TREE)
    found = record_template(item.type_id)
    if found is None:
        return {"before": [], "after": []}
    page_cache.shows(page_tag(found.pk))
    before, after = split_at_record(present_rows(found.rows, page_id=found.pk))
    return {"before": before, "after": after}


@register.simple_block_tag
def filled_with(content: str, item: ContentItem) -> SafeString:
    """Replace the tokens in rows around a record with the record's values."""
    return mark_safe(resolve(str(content), item))  # markup already, and what comes into it is escaped


@register.simple_tag(takes_context=True)
def show_row(context: template.Context, row: ShownRow | None) -> SafeString:
    """Render a row with the template of its kind and its block's context; empty for None."""
    if row is None:
        return SafeString()
    assert context.template is not None
    with context.push(**{**row.context, "row": row}):
        return context.template.engine.get_template(row.template).render(context)


@register.simple_tag
def example_of(bound: Any) -> ShownRow | None:
    """Return the example of a kind of row; None if there is nothing to show."""
    return preview_row(bound)


@register.filter
def link_address(link: Any) -> str:
    """Return the URL of a row's link: that of its page, else its own. Empty if visitors cannot see the page."""
    page = link.get("page")
    if page:
        return address(page) if page.live and page.pk not in hidden_templates() else ""
    return link.get("url") or ""


@register.filter
def page_address(page: Page) -> str:
    return address(page)


@register.filter
def headings_from(html: Any, level: int) -> SafeString:
    """Renumber the headings of rich text to begin at a level without gaps, whatever the editor chose."""
    return mark_safe(renumber_headings(str(html), level))  # rich text, which is markup already
