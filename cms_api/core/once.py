"""Forms that are carried out once, however often they are sent: a double click moves no money, and books no place, twice.

A form is known by a key. Where it has led is stored in the database, for all hosts, and whether or not there is a cache.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from threading import Event, Thread

from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from .models import SentForm

#: For so long, a form is taken: later, its process has been killed, and it may be sent again. A process that lives renews it.
LEASE_SECONDS, RENEW_SECONDS = 60, 15.0

logger = logging.getLogger(__name__)


class Once:
    """A form with a key, which is remembered for so many seconds after it was carried out."""

    def __init__(self, key: str, *, seconds: int) -> None:
        self.seconds = seconds
        self._key = sha256(key.encode()).hexdigest()
        self._forms = SentForm.objects.filter(key=self._key)

    def use_up(self) -> bool:
        """Return whether the form is sent for the first time."""
        now = timezone.now()
        until = now + timedelta(seconds=LEASE_SECONDS)
        try:
            with transaction.atomic():
                SentForm.objects.create(key=self._key, remembered_until=until)
        except IntegrityError:
            return bool(self._forms.filter(remembered_until__lte=now).update(led_to="", remembered_until=until))
        return True

    @contextmanager
    def keep_lease(self) -> Iterator[None]:
        """Keep the form taken until the block ends, however long that takes, as where a provider answers late."""
        is_done = Event()
        Thread(target=self._renew_lease, args=(is_done,), daemon=True).start()
        try:
            yield
        finally:
            is_done.set()

    def _renew_lease(self, is_done: Event) -> None:
        try:
            while not is_done.wait(RENEW_SECONDS):
                until = timezone.now() + timedelta(seconds=LEASE_SECONDS)
                try:
                    # Never earlier: the form may have been carried out just now.
                    self._forms.filter(remembered_until__lt=until).update(remembered_until=until)
                except DatabaseError:
                    logger.exception("The lease of a form could not be renewed.")
        finally:
            connection.close()

    def find_place(self) -> str | None:
        """Return the URL to which the form has led: empty if that is not known, as while it is being carried out.

        None if it was not sent.
        """
        found = self._forms.filter(remembered_until__gt=timezone.now()).values_list("led_to", flat=True).first()
        return found

    def remember(self, url: str = "") -> None:
        """Store that the form was carried out, and the URL to which it has led."""
        self._forms.update(led_to=url, remembered_until=timezone.now() + timedelta(seconds=self.seconds))

    def allow_again(self) -> None:
        """Forget a form that was refused, or has failed."""
        self._forms.delete()


def delete_old_marks() -> None:
    """Delete what is remembered of forms no longer."""
    SentForm.objects.filter(remembered_until__lte=timezone.now()).delete()
