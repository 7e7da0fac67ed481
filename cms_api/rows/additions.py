"""Additions of modules to the public pages of other modules' records, such as reviews to the page of a product.

The page's module names its kind of record in `record_pages`, and its view calls `additions_to`; the other module declares an
`Addition`. Imports therefore still point down: the page knows nothing of the modules above it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe

from cms_api.core import registry
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import is_on
from cms_api.http import page_cache

#: Below the title; where visitors act, in place of the page's own form; and below the record.
PLACES = ("head", "action", "below")


@dataclass(frozen=True)
class Added:
    """The additions of one module to a page: HTML by place, and properties of the record's own schema.org object."""

    blocks: Mapping[str, SafeString]
    linked_data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Additions:
    """Everything that is added to a page, for its template."""

    head: str = ""
    action: str = ""
    below: str = ""
    linked_data: Mapping[str, Any] = field(default_factory=dict)

    def complete(self, meta: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a page's metadata with the properties added to its first linked data object, which is the record's own."""
        if not self.linked_data:
            return meta
        own, *others = meta["linked_data"]
        return {**meta, "linked_data": [_merge(own, self.linked_data), *others]}


def additions_to(record_page: str, record: Any, request: HttpRequest | None) -> Additions:
    """Return the additions of modules that are on to the page of a record; none to previews of records that are not stored.

    A function that adds something tells the page cache what it depends on, like a view, also where it adds nothing yet.
    """
    declared = registry.additions(record_page)
    if not declared or not record.pk:
        return Additions()
    page_cache.depends_on(FLAGS)
    found = [registry.load(addition.present)(record, request) for module, addition in declared if is_on(module.feature)]
    added: list[Added] = [each for each in found if each]
    properties: dict[str, Any] = {}
    for each in added:
        properties = _merge(properties, each.linked_data)
    return Additions(**{place: _join(added, place) for place in PLACES}, linked_data=properties)


def _join(added: list[Added], place: str) -> SafeString:
    return mark_safe("".join(each.blocks.get(place, "") for each in added))  # rendered from templates


def _merge(own: Mapping[str, Any], added: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of both; lists under the same name are joined."""
    merged = {**own, **added}
    for name in own.keys() & added.keys():
        if isinstance(own[name], list) and isinstance(added[name], list):
            merged[name] = [*own[name], *added[name]]
    return merged
