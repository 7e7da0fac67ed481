"""Item writes go by types, terms and targets as they are until the write is visible, not by what was read before it.

Whoever features a picture shares its row first; whoever deletes one has it alone. Then comes the type's row, which writers of
items share and whoever changes a type or its terms has alone; then items and what they relate to, then versions: everybody
takes them in this order. On SQLite a transaction has it all alone anyway.
"""

from cms_api.core import versions
from cms_api.core.errors import NotFound
from cms_api.core.locks import hold

from ..models import ContentType
from ..selectors import type_by_id


def hold_type(type_id: int) -> ContentType:
    """The type, which stays as it is until the caller's transaction ends. Raises NotFound where it is gone."""
    hold(ContentType, [type_id])
    versions.forget()
    try:
        return type_by_id(type_id)
    except KeyError:
        raise NotFound from None
