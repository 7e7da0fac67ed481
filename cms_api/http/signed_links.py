"""Links that people get by mail and that work without a password: each is signed for one record and one purpose."""

from typing import TypeVar

from django.conf import settings
from django.core import signing
from django.db.models import Model, QuerySet
from django.urls import reverse

Record = TypeVar("Record", bound=Model)


class SignedLink:
    """The links of one purpose, which never expire.

    `view` is the name of the URL that takes the token. Its GET must change nothing: mail scanners follow links. `field` is the
    unique column that names the record; where it can change, former links end with its former value.
    """

    def __init__(self, purpose: str, *, view: str, field: str = "pk") -> None:
        self.view, self.field = view, field
        self._signer = signing.Signer(salt=purpose)

    def token(self, record: Model) -> str:
        return self._signer.sign(str(getattr(record, self.field)))

    def path(self, record: Model) -> str:
        return reverse(self.view, args=[self.token(record)])

    def url(self, record: Model) -> str:
        """Return the absolute address."""
        return settings.BASE_URL + self.path(record)

    def find(self, records: QuerySet[Record], token: str) -> Record | None:
        """Return the record of a link among `records`; None if it is gone, or the signature is not valid for this purpose."""
        try:
            value = self._signer.unsign(token)
        except signing.BadSignature:
            return None
        return records.filter(**{self.field: value}).first()
