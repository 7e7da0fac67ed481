"""For the controls of tests of races: services without their transactions and locks."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.db.transaction import Atomic


def without_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each statement commit by itself and no row be locked: what a service has read may change before it writes."""

    def enter(block: Atomic) -> None:
        # A connection forgets its blocks when it begins.
        connection.ensure_connection()
        connection.savepoint_ids.append("")
        # For services that refuse to be called without a transaction.
        connection.in_atomic_block = True

    def leave(block: Atomic, *raised: Any) -> None:
        connection.savepoint_ids.pop()
        connection.in_atomic_block, connection.needs_rollback = bool(connection.savepoint_ids), False

    monkeypatch.setattr(Atomic, "__enter__", enter)
    monkeypatch.setattr(Atomic, "__exit__", leave)
    monkeypatch.setattr(QuerySet, "select_for_update", lambda rows, **options: rows)


def meet_before(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, *, threads: int) -> None:
    """Let nobody call a function of a module before all threads are about to: all have read by then, and none has written."""
    barrier, called = threading.Barrier(threads), getattr(owner, name)

    def meet(*args: Any, **options: Any) -> Any:
        barrier.wait(20)
        return called(*args, **options)

    monkeypatch.setattr(owner, name, meet)
