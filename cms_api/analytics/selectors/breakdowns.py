"""The filters that can be combined, and the dimensions that have values under each."""

from ..types.counting import Dimension
from .reports import Filter

#: No filter at all.
EVERYTHING = Filter()
#: The dimensions that a report can be narrowed by, besides a page.
NARROWING = (Dimension.SOURCE, Dimension.REFERRER, Dimension.DEVICE, Dimension.COUNTRY)
#: Those that are also summed up by page.
BY_PAGE = {Dimension.PAGE, Dimension.GOAL, Dimension.HOUR, *NARROWING}


def can_narrow(dimension: str, narrowed: Filter) -> bool:
    """Return whether the roll-ups have the values of a dimension under a filter: each is about a page and one dimension."""
    if narrowed.dimension:
        return dimension in {Dimension.PAGE, narrowed.dimension}
    return not narrowed.path or dimension in BY_PAGE
