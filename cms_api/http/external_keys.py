"""Random keys by which other systems know our records, such as payment providers and calendars, and the migration that adds them.

Their messages name the key, never the primary key: after a backup is restored, the next record gets the number of a lost one.
Unlike the key of links (`link_keys`), this one is never renewed.
"""

from collections.abc import Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.db import migrations, models
from django.db.models import Model, QuerySet

from cms_api.core.identifiers import read_id, read_key

from .link_keys import new_link_key


class ExternalRecord(Model):
    """A record that other systems know by `external_id`."""

    #: Null for records that are older than their table's keys: they are still known by their primary key.
    external_key = models.UUIDField(null=True, unique=True, default=new_link_key, editable=False)

    class Meta:
        abstract = True

    @property
    def external_id(self) -> str:
        """Return the name of this record elsewhere: its key in hexadecimal."""
        return self.external_key.hex if self.external_key else str(self.pk)


Record = TypeVar("Record", bound=ExternalRecord)


def with_external_id(records: QuerySet[Record], value: str) -> QuerySet[Record]:
    """Return the record among `records` that other systems know by `value`, if there is one.

    A primary key names only records without a key, so that it never finds a record that has got the number of a lost one.
    """
    if key := read_key(value):
        return records.filter(external_key=key)
    if pk := read_id(value):
        return records.filter(external_key=None, pk=pk)
    return records.none()


def external_key_of(value: str) -> dict[str, UUID]:
    """Return the column of a lost record that others know by `value`, for the record that takes its place."""
    key = read_key(value)
    return {"external_key": key} if key else {}


def add_external_keys(*names: str) -> Sequence[Any]:
    """Return the operations that give tables their column; the rows that exist get no keys."""
    empty = models.UUIDField(editable=False, null=True, unique=True)
    key = models.UUIDField(default=new_link_key, editable=False, null=True, unique=True)
    return [
        *(migrations.AddField(name, "external_key", empty) for name in names),
        *(migrations.AlterField(name, "external_key", key) for name in names),
    ]
