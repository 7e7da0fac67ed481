"""Random keys of records that people reach by a link.

A link signs its record's key, never the primary key: after a backup is restored, the next record gets the number of a lost one,
and a link to the lost one must not open it.
"""

import secrets
import uuid
from collections.abc import Iterable

from django.db import models
from django.db.models import Model


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
