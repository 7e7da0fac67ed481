"""The column with the rows of a page."""

from collections.abc import Callable
from typing import Any

from django.forms import Media
from django.utils.functional import cached_property
from wagtail.admin.staticfiles import versioned_static
from wagtail.admin.telepath import register
from wagtail.blocks import StreamBlock
from wagtail.blocks.stream_block import StreamBlockAdapter
from wagtail.fields import StreamField

from cms_api.flags.selectors import rows_off
from cms_api.rows import RowBlock

Rows = list[tuple[str, RowBlock]]


class RowsBlock(StreamBlock):
    """A stream of rows; existing rows of a disabled module stay, but none can be added."""

    def switched_off(self) -> list[str]:
        """Return the names of rows whose module's feature is off."""
        return [name for name in rows_off() if name in self.child_blocks]


class RowsBlockAdapter(StreamBlockAdapter):
    js_constructor = "home.RowsBlock"

    def js_args(self, block: RowsBlock) -> list[Any]:
        name, groups, states, meta = super().js_args(block)
        # The browser would show an error on a new page, before anything is written. The server asks for what is missing when
        # the page is published.
        counts = {each: {**limits, "min_num": None} for each, limits in meta["blockCounts"].items()}
        return [name, groups, states, {**meta, "minNum": None, "blockCounts": counts, "switchedOff": block.switched_off()}]

    @cached_property
    def media(self) -> Media:
        return super().media + Media(js=[versioned_static("home_admin/rows-block.js")])


register(RowsBlockAdapter(), RowsBlock)


class RowsField(StreamField):
    """A stream of the rows that modules declare, which migrations know only as a JSON column.

    `rows` is called when the rows are first needed, after every module is loaded. A new row or label needs no migration; a
    migration that changes stored values gets the raw list, including values without a block today.
    """

    def __init__(self, rows: Callable[[], Rows] | None = None, **kwargs: Any) -> None:
        self.rows = rows
        super().__init__([], **kwargs)

    @cached_property
    def stream_block(self) -> RowsBlock:
        block = RowsBlock(self.rows() if self.rows else [])
        block.set_meta_options(self.block_opts)
        return block

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        name, _, _, kwargs = super(StreamField, self).deconstruct()
        return name, "django.db.models.JSONField", [], kwargs
