"""Random keys of records that people reach by a link, and the migration that adds them to a table.

A link signs its record's key, never the primary key: after a backup is restored, the next record gets the number of a lost one,
and a link to the lost one must not open it.
"""

import secrets
import uuid
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.db import migrations, models
from django.db.models import Model
from django.utils import timezone

#: How long links that sign a primary key keep working, for the records that exist when their table gets keys.
OLD_LINKS_LIFETIME = timedelta(days=180)
#: Rows per statement of the migration.
_BATCH = 500


def new_link_key() -> uuid.UUID:
    """Return 128 random bits, in the type that both databases store and index best."""
    return uuid.UUID(bytes=secrets.token_bytes(16))


class LinkedRecord(Model):
    """A record that is reached by a link (`signed_links.SignedLink`). Another key ends all links to it."""

    link_key = models.UUIDField(unique=True, default=new_link_key, editable=False)
    #: Until when links that sign the primary key work; null if they never did, or not any more.
    old_links_until = models.DateTimeField(null=True, editable=False)

    class Meta:
        abstract = True

    def set_new_link_key(self) -> None:
        """End all links to this record when it is saved."""
        self.link_key, self.old_links_until = new_link_key(), None

    def leading_here(self) -> "Iterable[LinkedRecord]":
        """Return the records whose own pages lead to this one's, so that their links have to end with its links."""
        return ()


#: The columns that `set_new_link_key` changes.
LINK_COLUMNS = ("link_key", "old_links_until")


def add_link_keys(app_label: str, *names: str) -> Sequence[Any]:
    """Return the operations that give tables their keys: a column, keys for the rows that exist, and its unique index."""

    def fill(apps: Any, schema_editor: Any) -> None:
        for name in names:
            _fill(apps.get_model(app_label, name), schema_editor.connection.alias)

    empty = models.UUIDField(editable=False, null=True)
    key = models.UUIDField(default=new_link_key, editable=False, unique=True)
    return [
        *(migrations.AddField(name, "link_key", empty) for name in names),
        *(migrations.AddField(name, "old_links_until", models.DateTimeField(editable=False, null=True)) for name in names),
        migrations.RunPython(fill, migrations.RunPython.noop),
        *(migrations.AlterField(name, "link_key", key) for name in names),
    ]


def _fill(model: Any, database: str) -> None:
    until, last = timezone.now() + OLD_LINKS_LIFETIME, 0
    rows = model.objects.using(database).only("pk").order_by("pk")
    while batch := list(rows.filter(pk__gt=last)[:_BATCH]):
        for row in batch:
            row.link_key, row.old_links_until = new_link_key(), until
        model.objects.using(database).bulk_update(batch, LINK_COLUMNS)
        last = batch[-1].pk
