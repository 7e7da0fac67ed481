"""Plain records, as selectors filter them, and as services store and delete them: locked, and with an entry in the log."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Model, ProtectedError, QuerySet
from wagtail.log_actions import log

from . import versions
from .errors import Invalid
from .locks import get_row, lock_to_delete

M = TypeVar("M", bound=Model)


def filter_given(rows: QuerySet[M], **conditions: Any) -> QuerySet[M]:
    """Filter rows by those of the conditions that are not None."""
    return rows.filter(**{name: value for name, value in conditions.items() if value is not None})


def lock_or_build(model: type[M], record: M | None, *, blocks_references: bool = False, **defaults: Any) -> M:
    """Return a record as it is stored, locked against changes, or for None a new one that is not stored yet.

    With `blocks_references`, other transactions can't create references to it meanwhile. Raises NotFound if it is gone.
    """
    if record is None:
        return model(**defaults)
    return get_row(model._default_manager.select_for_update(no_key=not blocks_references), record.pk)


def set_values(record: Model, values: Mapping[str, Any], names: Iterable[str]) -> None:
    """Set those of the attributes that have a value; the others are unchanged."""
    for name in names:
        if name in values:
            setattr(record, name, values[name])


def store_record(
    record: M, *, user: Any, refusal: Mapping[str, str] | None = None, columns: Iterable[str] | None = None, version: str = ""
) -> M:
    """Store a new record, or a locked one; return it. Raises Invalid (`refusal`) where one like it exists.

    `columns` are those that are written if it is not new, by default all. Caches of the `version` are renewed.
    """
    is_new = record.pk is None
    try:
        with transaction.atomic():
            record.save(update_fields=None if is_new else columns)
    except IntegrityError:
        if refusal is None:
            raise
        raise Invalid(refusal) from None
    log_saved(record, is_new=is_new, user=user)
    if version:
        versions.bump(version)
    return record


def log_saved(record: Model, *, is_new: bool, user: Any) -> None:
    log(instance=record, action="wagtail.create" if is_new else "wagtail.edit", user=user)


@transaction.atomic
def delete_record(*, record: Model, user: Any = None, in_use: Mapping[str, str] | None = None, version: str = "") -> None:
    """Delete a record. Raises NotFound if it is gone, and Invalid (`in_use`) while others that are kept refer to it."""
    try:
        with transaction.atomic():
            lock_to_delete(record)
            log(instance=record, action="wagtail.delete", user=user, deleted=True)
            record.delete()
    except ProtectedError:
        if in_use is None:
            raise
        raise Invalid(in_use) from None
    if version:
        versions.bump(version)
