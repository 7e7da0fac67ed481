"""The content endpoints: types, vocabularies and items."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rest_framework import serializers

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice
from cms_api.core.not_found import found_or_404
from cms_api.fields.ignored import ignored_keys
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.found import remember, remember_counts
from cms_api.http.listing import Listing, Rows, answer_list, answer_one, answer_whole, list_by_filter, select
from cms_api.http.query import Choice, Family, Flag, Instant, Query, Search, Sort, Text, Whole, selected_fields
from cms_api.http.searching import search_by_filter
from cms_api.http.serializers import IdInput, InputSerializer, InstantInput, TextInput
from cms_api.http.wire import Answer, Record

from . import selectors
from .models import ContentItem, ContentType
from .resources import records, sparse
from .resources.documents import ContentItemResource, ContentTypeResource, VocabularyResource
from .selectors import ItemFilter
from .services import items as services
from .services.projections import cache_json
from .types import MAX_SLUG, Status

ITEM_QUERY = Query(
    filters=(
        Text("type", "Slug of a content type."),
        Choice("status", "Which items.", default=Status.PUBLISHED.value, choices=(*Status.values, "all")),
        Search("search", "Words, or beginnings of words; all of them must occur in the title, excerpt or text fields."),
        Flag("include_owned", "Include items owned by another item, such as occurrences.", default=False),
        Whole("owner_id", "Only items owned by this item; requires include_owned=1."),
        Text("slug", "Exact slug.", max_length=MAX_SLUG),
        Family("term", "Slug of a term: `term.category=news`.", members=selectors.taxonomy_keys),
        Choice("when", "By the type's date field; an item is past once its last date has ended.", choices=("upcoming", "past")),
        Instant("from", "Items that end at or after this instant or date."),
        Instant("to", "Items that begin by this instant, or by the end of this date.", end_of_day=True),
    ),
    sort=Sort(
        {"published_at": "listed_at", "created_at": "created_at", "updated_at": "updated_at", "title": "title"},
        default="-published_at",
    ),
)
_TYPE_OF_SLUG = Query((Text("type", "Slug of the content type; required with a slug."),))


class ItemInput(InputSerializer):
    """An item as clients send it. `data` holds field values by key; PATCH accepts any subset of the attributes."""

    type = TextInput(help_text="Slug of the content type; cannot be changed.")
    data = serializers.DictField(  # type: ignore[assignment]
        help_text="Field values by key; unknown keys are dropped and named in `meta.ignored`."
    )
    slug = TextInput(required=False, allow_null=True, max_length=MAX_SLUG, help_text="Unique within the type.")
    excerpt = TextInput(required=False, allow_null=True, max_length=5000)
    status = serializers.ChoiceField(Status.choices, required=False)
    published_at = InstantInput(required=False, allow_null=True)
    meta_title = TextInput(required=False, allow_null=True, max_length=255)
    meta_description = TextInput(required=False, allow_null=True, max_length=500)
    featured_media_id = IdInput(required=False, allow_null=True, help_text="Id of an image; null removes it.")

    example = {
        "type": "blog-post",
        "status": "published",
        "data": {"title": "Spring opening", "body": "<p>We open on Monday.</p>"},
    }


class ContentTypes(Endpoint):
    @operation("List content types with their field schemas", answer=ContentTypeResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        counts = selectors.item_counts()
        types = selectors.visible_types().values()
        return answer_whole(request, [records.type_record(found, item_count=counts.get(found.pk, 0)) for found in types])


class OneContentType(Endpoint):
    @operation("Read a content type", answer=ContentTypeResource)
    def get(self, request: ApiRequest, slug: str) -> Answer:
        found = found_or_404(selectors.find_type(slug))
        return answer_one(request, records.type_record(found, item_count=selectors.item_counts().get(found.pk, 0)))


class Terms(Endpoint):
    @operation("Read the terms of a content type by taxonomy field", answer=VocabularyResource)
    def get(self, request: ApiRequest, slug: str) -> Answer:
        found = found_or_404(selectors.find_type(slug))
        terms = selectors.vocabulary(found.pk)
        record = {field.key: [records.term_record(term) for term in terms.get(field.key, ())] for field in found.taxonomies}
        names = selected_fields(request.parameters, lambda: frozenset(record) | {"id"})
        return wire.one(select([record], names)[0])


class ContentItems(Endpoint):
    @operation("List content items", query=ITEM_QUERY, answer=ContentItemResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        # A process keeps one `asked` for equal query strings, so that it serves as a key.
        wanted = remember(selectors.TYPES, request.asked, lambda: _item_filter(request.query), also=(FLAGS,))
        paging = request.asked.paging
        wanted = wanted.current(paging.per_page * (paging.page if paging.cursor is None else 1))
        query = request.http.META.get("QUERY_STRING", "")
        state = wanted.fingerprint(), request.http.path, query, str(wanted.at), str(_may_write(request))
        tag = wire.entity_tag(*state, *records.validators())
        request.unless_current(tag)
        answer = answer_list(request, _listing(request, wanted))
        answer.tag = tag
        return answer

    @operation("Create a content item", body=ItemInput, answer=ContentItemResource, status=201)
    def post(self, request: ApiRequest) -> Answer:
        values = request.input()
        item_type = selectors.find_type(values.pop("type"))
        if item_type is None:
            raise Invalid({"type": invalid_choice("type", selectors.visible_types())})
        item = services.create_item(item_type=item_type, values=values)
        request.ignored += ignored_keys(item_type.schema, values["data"], "data")
        return wire.one(_finish(item), status=201)


class OneContentItem(Endpoint):
    @operation("Read a content item by id, or by slug with `type`", query=_TYPE_OF_SLUG, answer=ContentItemResource)
    def get(self, request: ApiRequest, item: str) -> Answer:
        columns, show = _choose_columns(request)
        found = found_or_404(selectors.find_row(item, request.query["type"], columns))
        return wire.one(show([found])[0])

    @operation("Update a content item", query=_TYPE_OF_SLUG, body=ItemInput, answer=ContentItemResource)
    def patch(self, request: ApiRequest, item: str) -> Answer:
        found = _item_or_404(request, item)
        values = request.input()
        if values.pop("type", found.type.slug) != found.type.slug:
            raise Invalid({"type": "The type cannot be changed."})
        if found.owner_id is not None:
            raise Invalid({"owner_id": "An item that another item owns cannot be changed by itself."})
        updated = services.update_item(item=found, values=values)
        request.ignored += ignored_keys(found.type.schema, values.get("data", {}), "data")
        return wire.one(_finish(updated))

    @operation("Delete a content item and the items it owns", query=_TYPE_OF_SLUG, kind="deleted")
    def delete(self, request: ApiRequest, item: str) -> Answer:
        found = _item_or_404(request, item)
        if found.owner_id is not None:
            raise Invalid({"owner_id": "An item that another item owns cannot be deleted by itself."})
        services.delete_item(item=found)
        return wire.confirm_deletion(found.pk)


def _item_or_404(request: ApiRequest, reference: str) -> ContentItem:
    return found_or_404(selectors.find_item(reference, request.query["type"]))


def _listing(request: ApiRequest, wanted: ItemFilter) -> Listing:
    columns, show = _choose_columns(request)
    if wanted.search:
        found = search_by_filter(wanted.without_words(), show, wanted.search, model=ContentItem, columns=columns)
        listing = remember_counts(found, selectors.TYPES, wanted, also=wanted.search_versions)
    else:
        listing = list_by_filter(wanted, show, columns=columns, path=wanted.path)
        listing.parts, listing.are_sorted = wanted.parts, wanted.are_sorted
    listing.is_sparse = request.asked.fields is not None
    return listing


def _choose_columns(request: ApiRequest) -> tuple[tuple[str, ...], Callable[[Rows], list[Record]]]:
    """Return the columns that the requested keys of items are made of, and the function that makes them."""
    names, with_origin = request.asked.fields, _may_write(request)
    if names is None:
        return selectors.CACHED_COLUMNS, partial(_cached_records, with_origin=with_origin)
    return sparse.columns(names), partial(_sparse_records, names=names, with_origin=with_origin)


def _item_filter(query: Mapping[str, Any]) -> ItemFilter:
    types = tuple(selectors.visible_types().values())
    if query["type"]:
        types = tuple(found for found in types if found.slug == query["type"])
        if not types:
            raise Invalid({"type": invalid_choice("type", selectors.visible_types())})
    return ItemFilter(
        types=tuple(found.pk for found in types),
        status=None if query["status"] == "all" else query["status"],
        include_owned=query["include_owned"],
        owner_id=query["owner_id"],
        slug=query["slug"],
        search=query["search"],
        terms=_term_groups(query["term"], types),
        when=query["when"],
        starting=query["from"],
        ending=query["to"],
        by_term=True,
    )


def _term_groups(wanted: Mapping[str, str], types: Sequence[ContentType]) -> tuple[tuple[int, ...], ...]:
    collector = ErrorCollector()
    groups = []
    for taxonomy, slug in wanted.items():
        matching = [found for found in types if any(field.key == taxonomy for field in found.taxonomies)]
        if not matching:
            collector.add(f"term.{taxonomy}", "There is no such taxonomy.")
        terms = [term for found in matching for term in selectors.vocabulary(found.pk).get(taxonomy, ())]
        groups.append(tuple(term.pk for term in terms if term.slug == slug))
    collector.raise_if_any()
    return tuple(groups)


def _may_write(request: ApiRequest) -> bool:
    return "content:write" in request.token.abilities


def _cached_records(rows: Sequence[Any], *, with_origin: bool) -> list[Record]:
    return records.finish_all(_cached_json(rows, 1), with_origin=with_origin)


def _sparse_records(rows: Sequence[Any], *, names: frozenset[str], with_origin: bool) -> list[Record]:
    stored = _cached_json(rows, sparse.width(names)) if names & sparse.STORED else ()
    return sparse.records(rows, names, stored=stored, with_origin=with_origin)


def _cached_json(rows: Sequence[Any], first: int) -> list[bytes]:
    """Return the stored JSON of rows whose CACHED_COLUMNS begin at `first`, serializing stale ones again (two statements)."""
    late = selectors.find_outdated(rows, first)
    made: dict[int, bytes] = {}
    if late:
        items = list(ContentItem.objects.filter(pk__in=late))
        for item in items:
            item.type = selectors.type_by_id(item.type_id)
        cache_json(items)
        made = {item.pk: bytes(item.cached_json) for item in items}
    return [made.get(row[0]) or bytes(row[first + 2]) for row in rows]


def _finish(item: ContentItem) -> bytes:
    return records.finish(bytes(item.cached_json), with_origin=True)
