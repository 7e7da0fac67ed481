"""Links that people get by mail and that work without a password: each is signed for one record and one purpose."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, TypeVar, cast
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.db.models import Field, Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone

from cms_api.core.identifiers import read_id, read_key
from cms_api.core.not_found import found_or_404

from .link_keys import LinkedRecord

Record = TypeVar("Record", bound=Model)
Linked = TypeVar("Linked", bound=LinkedRecord)
R = TypeVar("R", bound=HttpResponseBase)


class SignedLink(Generic[Record]):
    """The links of one purpose to the records of a model, which work until the record's key is renewed.

    `view` is the name of the URL that takes the token. Its GET must change nothing: mail scanners follow links. `field` is the
    unique column whose value is signed: the record's `link_key`, or a random code, whose former links end when it changes.
    """

    #: All links of the product, by purpose.
    registered: "dict[str, SignedLink[Any]]" = {}

    def __init__(self, purpose: str, model: type[Record], *, view: str, field: str = "link_key") -> None:
        column = cast("Field[Any, Any]", model._meta.get_field(field))
        if column.primary_key or not column.unique or column.get_internal_type() not in {"UUIDField", "CharField"}:
            raise ValueError(f"The link {purpose!r} must sign a random key: {field!r} may be given to another record.")
        self.model, self.view, self.field = model, view, field
        self._signer = signing.Signer(salt=purpose)
        self.registered[purpose] = self

    def token(self, record: Record) -> str:
        value = getattr(record, self.field)
        return self._signer.sign(value.hex if isinstance(value, UUID) else value)

    def path(self, record: Record) -> str:
        return reverse(self.view, args=[self.token(record)])

    def url(self, record: Record) -> str:
        """Return the absolute address."""
        return settings.BASE_URL + self.path(record)

    def find(self, records: QuerySet[Record], token: str) -> Record | None:
        """Return the record of a link among `records`; None if it is gone, or the signature is not valid for this purpose."""
        try:
            value = self._signer.unsign(token)
        except signing.BadSignature:
            return None
        if self.field != "link_key":
            return records.filter(**{self.field: value}).first()
        return cast("Record | None", find_by_key(cast(QuerySet[Any], records), value))

    def get(self, records: QuerySet[Record], token: str) -> Record:
        """Return the record of a link, as `find` does. Raises NotFound if there is none."""
        return found_or_404(self.find(records, token))

    def opening(self, records: Callable[[], QuerySet[Record]]) -> Callable[[Callable[..., R]], Callable[..., R]]:
        """Return the decorator of views whose URL has a token: they get its record, one of `records()`, in its place."""

        def decorate(view: Callable[..., R]) -> Callable[..., R]:
            @wraps(view)
            def answer(request: HttpRequest, token: str, **parts: Any) -> R:
                return view(request, self.get(records(), token), **parts)

            return answer

        return decorate


def find_by_key(records: QuerySet[Linked], value: str) -> Linked | None:
    """Return the record with a key that was signed; by its primary key, which links signed formerly, only for a limited time."""
    if key := read_key(value):
        return records.filter(link_key=key).first()
    if pk := read_id(value):
        return records.filter(pk=pk, old_links_until__gt=timezone.now()).first()
    return None
