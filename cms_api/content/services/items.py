"""Create, change, publish and delete items: one transaction each, including everything derived from the item."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from wagtail.log_actions import get_active_log_context
from wagtail.models import ModelLogEntry, ReferenceIndex, Revision
from wagtail.signal_handlers import disable_reference_index_auto_update

from cms_api.core import batches
from cms_api.core.errors import Invalid, taken_message
from cms_api.core.locks import get_row
from cms_api.core.not_found import NotFound, found_or_404
from cms_api.core.writing import execute_as_one, insert, insertions, reserve_id_of_each, update
from cms_api.fields.datetimes import mark
from cms_api.flags.services import notify
from cms_api.webhooks.services import emit

from ..models import ContentItem, ContentType, ItemLink
from ..selectors import current_item, type_by_id
from ..types import ORIGIN, Status, public_status
from . import projections
from .current import lock_type
from .values import PLAIN, SLUG_ONCE, Pictures, assign, free_slug, lock_featured_media, without_gone

Values = Mapping[str, Any]

#: Attempts when concurrent requests derive the same slug, before the client gets an error.
SLUG_TRIES = 5
#: Scheduled items that one run of the job publishes; the next run continues.
ITEMS_PER_RUN = 1000


@transaction.atomic
def create_item(
    *,
    item_type: ContentType,
    values: Values,
    user: Any = None,
    complete: bool = True,
    origin: Mapping[str, Any] | None = None,
) -> ContentItem:
    """Create an item of a type. `values` may contain data, slug, excerpt, status, published_at, meta_title, meta_description and
    featured_media_id. `origin` describes the submitter; it is stored in the item's data and shown only to users who may write.
    Raises Invalid.
    """
    now = timezone.now()
    pictures = lock_featured_media(values)
    item = ContentItem(type=lock_type(item_type.pk), created_at=now, data={ORIGIN: dict(origin)} if origin else {})
    assign(item, values, now=now, pictures=pictures, complete=complete)
    projections.set_dates(item)
    revision = _insert(item, user, pictures, explicit_slug=bool(values.get("slug")))
    projections.project(item, new=True)
    projections.note_pictures([item])
    execute_as_one(
        [
            *insertions([revision]),
            *insertions(projections.item_terms(item)),
            *projections.search_entries([item]),
            *insertions([log_entry(item, "wagtail.create", user, revision)]),
            *projections.tallies([(projections.standing(item), 1)]),
        ]
    )
    emit("content_item.created", item)
    projections.invalidate([item.type_id], reordered=item.status == Status.PUBLISHED)
    projections.notify_saved(item, is_new=True)
    return item


def note(item: ContentItem, action: str, user: Any, revision: Revision | None) -> None:
    """Write to Wagtail's log; see `log_entry`."""
    insert([log_entry(item, action, user, revision)])


def log_entry(item: ContentItem, action: str, user: Any, revision: Revision | None) -> ModelLogEntry:
    """Return an unsaved entry of Wagtail's log, shown in the admin's history, without the argument checks that `log` does."""
    return ModelLogEntry(
        content_type=ContentItem.get_content_type(),
        object_id=str(item.pk),
        label=item.title,
        action=action,
        timestamp=timezone.now(),
        uuid=get_active_log_context().uuid,
        user=user,
        revision=revision,
        content_changed=revision is not None,
        deleted=action == "wagtail.delete",
    )


def _insert(item: ContentItem, user: Any, pictures: Pictures, *, explicit_slug: bool) -> Revision:
    """Insert a new item, and return its first revision, unsaved. Ids are reserved first, so that neither is written twice."""
    item.pk, revision_id = reserve_id_of_each(ContentItem, Revision)
    for _ in range(SLUG_TRIES):
        revision = projections.revision_of(item, user)
        revision.pk = revision_id
        projections.stand(item, revision)
        projections.cache_json([item], pictures)
        if insert([item], conflict=SLUG_ONCE):
            return revision
        if explicit_slug:
            break
        # From here on one at a time: concurrent requests for the same slug each find the next free one.
        get_row(ContentType.objects.select_for_update(no_key=True), item.type_id)
        item.slug = free_slug(item)
    raise Invalid({"slug": taken_message("slug")})


@transaction.atomic
def update_item(*, item: ContentItem, values: Values, user: Any = None, complete: bool = True) -> ContentItem:
    """Change only the values that were sent. Changes to a public item are public at once. Raises Invalid."""
    pictures = lock_featured_media(values)
    item = lock(item)
    before = _State(item)
    assign(item, values, now=timezone.now(), pictures=pictures, complete=complete)
    return _save(item, before, pictures, user=user, action="wagtail.edit")


@transaction.atomic
def publish_revision(*, item: ContentItem, revision: Revision, user: Any = None) -> ContentItem:
    """Publish the content of a revision, now or at its date."""
    values = _content_to_publish(revision)
    pictures = lock_featured_media(values)
    item = lock(item)
    before = _State(item)
    now = timezone.now()
    assign(item, {**values, "status": public_status(values["published_at"], now=now)}, now=now, pictures=pictures)
    return _save(item, before, pictures, user=user, action="wagtail.publish", revision=revision)


@transaction.atomic
def publish_item(*, item: ContentItem, user: Any = None) -> bool:
    """Publish an item with its latest changes, now or at its date. Returns whether it was not public with them before.

    Raises Invalid, also if somebody changed the item since it was read.
    """
    draft = item.latest_revision if item.status == Status.PUBLISHED and item.has_unpublished_changes else None
    values = _content_to_publish(draft) if draft else {}
    pictures = lock_featured_media(values)
    item = lock(item)
    if item.status == Status.SCHEDULED or (item.status == Status.PUBLISHED and not item.has_unpublished_changes):
        return False
    if item.latest_revision_id != draft.pk if draft else item.status == Status.PUBLISHED:
        raise Invalid({"item": "The item was changed meanwhile. Try again."})
    before = _State(item)
    now = timezone.now()
    starts = values.get("published_at") or item.published_at
    assign(item, {**values, "status": public_status(starts, now=now)}, now=now, pictures=pictures)
    _save(item, before, pictures, user=user, action="wagtail.publish", revision=draft)
    return True


@transaction.atomic
def unpublish_item(*, item: ContentItem, user: Any = None) -> ContentItem:
    """Unpublish an item. Its date is preserved for when it is published again."""
    item = lock(item)
    before = _State(item)
    if item.status not in {Status.PUBLISHED, Status.SCHEDULED}:
        return item
    assign(item, {"status": Status.UNPUBLISHED}, now=timezone.now(), pictures={})
    return _save(item, before, {}, user=user, action="wagtail.unpublish")


@transaction.atomic
def save_draft(
    *, item: ContentItem, values: Values, user: Any = None, overwrite: Revision | None = None
) -> tuple[ContentItem, Revision]:
    """Save a person's changes as a revision. Items that are not public are changed at once; public ones stay as they are.

    Returns the item with the changes applied, and the revision. `overwrite` is the revision that an autosave replaces.
    """
    pictures = lock_featured_media(values)
    item = lock(item)
    before = _State(item)
    public = item.status == Status.PUBLISHED
    draft_values = {key: value for key, value in values.items() if key != "status"}
    if public:
        # A draft does not change the date of a public item: it stays in the revision and is checked on publishing.
        draft_values.pop("published_at", None)
    assign(item, draft_values, now=timezone.now(), pictures=pictures, complete=False)
    if not public:
        saved = _save(item, before, pictures, user=user, action="wagtail.edit", overwrite=overwrite)
        return saved, saved.latest_revision
    item.published_at = values.get("published_at", item.published_at)
    revision = _save_revision(item, user, overwrite)
    item.latest_revision, item.has_unpublished_changes = revision, True
    ContentItem.objects.filter(pk=item.pk).update(latest_revision=revision, has_unpublished_changes=True)
    note(item, "wagtail.edit", user, revision)
    return item, revision


@transaction.atomic
def delete_item(*, item: ContentItem, user: Any = None) -> None:
    """Delete an item and the items it owns. Links from other items are removed.

    Raises Invalid (`item`) if another module still needs it, such as an event with tickets.
    """
    item = lock(item, to_delete=True)
    notify("content.item_deleting", item)
    owned = list(item.owned.only("pk", "type_id", "status", "owner_id"))
    gone = [item.pk, *(child.pk for child in owned)]
    pointing = _drop_links(gone)
    note(item, "wagtail.delete", user, None)
    projections.cache_json([item])
    emit("content_item.deleted", item)
    projections.count([(projections.standing(each), -1) for each in (item, *owned)])
    _delete_rows(gone[1:])
    item.delete()
    types = {each.type_id for each in (item, *owned, *pointing)}
    projections.invalidate(types, changed=[*gone, *(each.pk for each in pointing)])


@transaction.atomic
def delete_owned(*, items: Sequence[ContentItem]) -> None:
    """Delete items for their owner, which also counts them. Invalidates only items that lose a link to one of these."""
    if not items:
        return
    gone = [item.pk for item in items]
    pointing = _drop_links(gone)
    _delete_rows(gone)
    if pointing:
        projections.invalidate({item.type_id for item in pointing}, changed=[item.pk for item in pointing])


def _delete_rows(ids: Sequence[int]) -> None:
    """Delete rows without querying the reference index for each: owned items are never in it."""
    with disable_reference_index_auto_update():
        ContentItem.objects.filter(pk__in=ids).delete()


@transaction.atomic
def mark_date(*, item: ContentItem, cancelled: bool = False, skipped: bool = False) -> bool:
    """Mark an item's own date as cancelled or skipped, or remove the marks; return False if nothing changes.

    It is no edit and makes no revision: a draft stays a draft, and later edits keep the mark unless they move the date.
    """
    item = lock(item)
    field = item.type.date_field
    value = item.data.get(field.key) if field else None
    if field is None or not isinstance(value, dict):
        return False
    marked = mark(value, cancelled=cancelled, skipped=skipped)
    if marked == value:
        return False
    item.data = {**item.data, field.key: marked}
    item.updated_at = timezone.now()
    projections.cache_json([item])
    changed = ("data", "updated_at", "cached_json", "cached_epoch")
    ContentItem.objects.filter(pk=item.pk).update(**{name: getattr(item, name) for name in changed})
    emit("content_item.updated", item)
    projections.invalidate([item.type_id], changed=[item.pk], reordered=item.status == Status.PUBLISHED)
    projections.notify_saved(item, is_moved=False)
    return True


def publish_due_items() -> int:
    """Publish the scheduled items whose date has come; the items they own follow. Returns how many there were."""
    due = ContentItem.objects.filter(status=Status.SCHEDULED, published_at__lte=timezone.now(), owner=None)
    return batches.each(due.only("pk", "type_id"), _publish_if_due, limit=ITEMS_PER_RUN)


@transaction.atomic
def _publish_if_due(item: ContentItem) -> bool:
    try:
        item = lock(item)
    except NotFound:
        return False
    now = timezone.now()
    if item.status != Status.SCHEDULED or item.published_at is None or item.published_at > now:
        return False
    before = _State(item)
    assign(item, {"status": Status.PUBLISHED}, now=now, pictures={}, complete=False)
    _save(item, before, {}, user=None, action="wagtail.publish")
    return True


def content_of(item: ContentItem) -> dict[str, Any]:
    """Return an item's content as values that can be written again."""
    plain = {name: getattr(item, name) for name in PLAIN}
    return {**plain, "data": item.data, "slug": item.slug, "published_at": item.published_at}


def _content_to_publish(revision: Revision) -> dict[str, Any]:
    """Return the content of a revision without references to what has been deleted since it was saved."""
    item: ContentItem = revision.as_object()
    item.type = type_by_id(item.type_id)
    values = content_of(item)
    picture = values["featured_media_id"]
    if picture and not lock_featured_media(values):
        values["featured_media_id"] = None
    return {**values, "data": without_gone(item.type, item.data)}


def lock(item: ContentItem, *, to_delete: bool = False) -> ContentItem:
    """Return the item's current state, locked until the transaction ends. Raises NotFound if it was deleted meanwhile.

    Unless `to_delete` is set, other transactions can still create references to it.
    """
    item_type = lock_type(item.type_id)
    found = found_or_404(current_item(item.pk, to_delete=to_delete))
    found.type = item_type
    return found


class _State:
    """The state of a stored item before a change, which decides which derived rows change with it."""

    def __init__(self, item: ContentItem) -> None:
        self.place, self.slug, self.picture = projections.place(item), item.slug, item.featured_media_id
        self.date = projections.date_value(item)


def _save(
    item: ContentItem,
    before: _State,
    pictures: Pictures,
    *,
    user: Any,
    action: str,
    revision: Revision | None = None,
    overwrite: Revision | None = None,
) -> ContentItem:
    projections.set_dates(item)
    revision = revision or _save_revision(item, user, overwrite)
    projections.stand(item, revision)
    projections.cache_json([item], pictures)
    try:
        update(item)
    except IntegrityError:
        # The caller's transaction, or its savepoint, is rolled back.
        raise Invalid({"slug": taken_message("slug")}) from None
    if item.featured_media_id != before.picture:
        ReferenceIndex.create_or_update_for_object(item)
    projections.project(item, new=False)
    place = projections.place(item)
    execute_as_one(
        [
            *projections.search_entries([item]),
            *insertions([log_entry(item, action, user, revision)]),
            *projections.tallies([(before.place.standing, -1), (place.standing, 1)]),
        ]
    )
    emit("content_item.updated", item)
    reordered = before.place != place and (before.place.is_public or place.is_public)
    projections.invalidate([item.type_id], changed=[item.pk], reordered=reordered)
    projections.notify_saved(item, is_moved=before.date != projections.date_value(item), former=before.date)
    return item


def _save_revision(item: ContentItem, user: Any, overwrite: Revision | None = None) -> Revision:
    revision = projections.revision_of(item, user)
    if overwrite:
        revision.pk = overwrite.pk
        update(revision)
    else:
        insert([revision])
    return revision


def _drop_links(gone: list[int]) -> list[ContentItem]:
    """Remove deleted ids from the relation fields that contain them. Returns the changed items."""
    sources = ItemLink.objects.filter(target_id__in=gone).exclude(source_id__in=gone).values("source_id")
    touched = list(ContentItem.objects.select_for_update().filter(pk__in=sources).order_by("pk"))
    for item in touched:
        item.type = type_by_id(item.type_id)
        for field in item.type.relations:
            value = item.data.get(field.key)
            if isinstance(value, list):
                item.data[field.key] = [target for target in value if target not in gone]
            elif value in gone:
                item.data[field.key] = None
        item.updated_at = timezone.now()
    if touched:
        projections.cache_json(touched)
        ContentItem.objects.bulk_update(touched, ["data", "updated_at", "cached_json", "cached_epoch"], batch_size=200)
    for item in touched:
        emit("content_item.updated", item)
    return touched
