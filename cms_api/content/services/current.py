"""Locks that make item writes use the current types, terms and targets, not those that were read earlier.

Everything takes locks in this order: the row of a picture (shared to feature it, exclusive to delete it), the row of the type
(shared to write items, exclusive to change the type or its terms), items and the items they relate to, then versions.
On SQLite a transaction locks the whole database anyway.
"""

from cms_api.core import versions
from cms_api.core.locks import block_deletion
from cms_api.core.not_found import NotFound

from ..models import ContentType
from ..selectors import type_by_id


def lock_type(type_id: int) -> ContentType:
    """Return the type, locked for share until the caller's transaction ends. Raises NotFound if it was deleted."""
    block_deletion(ContentType, [type_id])
    versions.forget()
    try:
        return type_by_id(type_id)
    except KeyError:
        raise NotFound from None
