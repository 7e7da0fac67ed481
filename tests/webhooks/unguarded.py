"""Settings and an app of a served site whose events are written after the commit of the change: the control of the crash test."""

import time
from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig

from config.settings.dev import *  # noqa: F403
from config.settings.dev import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.webhooks.unguarded.Unguarded"]
#: Seconds between commit and event, in which a process may be killed.
LATE = 0.2


class Unguarded(AppConfig):
    name = "tests.webhooks"
    label = "unguarded"

    def ready(self) -> None:
        from django.db import transaction

        from cms_api.webhooks.services import outbox

        emit_all = outbox.emit_all

        def emit_late(kind: str, records: Sequence[Any]) -> None:
            # Nothing is left of a deleted record after the commit.
            if kind.endswith(".deleted"):
                emit_all(kind, records)
            else:
                transaction.on_commit(lambda: write(kind, records))

        def write(kind: str, records: Sequence[Any]) -> None:
            time.sleep(LATE)
            with transaction.atomic():
                emit_all(kind, records)

        outbox.emit_all = emit_late
