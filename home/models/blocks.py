"""The rows allowed on pages: those that every module declares, home's own first."""

from functools import cache

from cms_api.core import registry
from cms_api.core.module import ROW_PLACES
from cms_api.rows import RowBlock

from ..module import MODULE
from .fields import Rows


def plain_rows() -> Rows:
    """Return the rows allowed on any page and in a shared row."""
    return _rows("anywhere")


def page_rows() -> Rows:
    return _rows("pages")


def record_rows() -> Rows:
    """Return the rows allowed in a record template: all of them."""
    return _rows("templates")


def _rows(where: str) -> Rows:
    """Return the rows allowed in a place, those with a wider range first."""
    places = ROW_PLACES[: ROW_PLACES.index(where) + 1]
    declared = [(module, row) for module, row in registry.rows().values() if row.where in places]
    declared.sort(key=lambda each: (places.index(each[1].where), each[0].name != MODULE.name))
    return [(row.name, _block(row.block)) for _, row in declared]


@cache
def _block(dotted: str) -> RowBlock:
    """Return the single block of a kind, which every column shares."""
    block: RowBlock = registry.load(dotted)()
    return block
