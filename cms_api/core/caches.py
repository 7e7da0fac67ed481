"""Django's caches, in Redis or in the database, which are empty in an outage: CACHES names them.

Cached values can always be made again, so a cache that cannot be reached is no reason to fail a request.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from django.core.cache.backends import db, redis
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.db import DatabaseError, connections, router
from redis.exceptions import RedisError

from . import outages
from .redis import OPTIONS, breaker

T = TypeVar("T")
Expiry = Any


class EmptyInAnOutage(BaseCache):
    """Answers as Django's dummy cache does while the real one is away."""

    def attempt(self, operation: Callable[[], T], otherwise: T) -> T:
        """Return the result of an operation of the real cache, or `otherwise` in an outage."""
        raise NotImplementedError

    def add(self, key: Any, value: Any, timeout: Expiry = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self.attempt(partial(super().add, key, value, timeout, version), True)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self.attempt(partial(super().get, key, default, version), default)

    def set(self, key: Any, value: Any, timeout: Expiry = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        self.attempt(partial(super().set, key, value, timeout, version), None)

    def touch(self, key: Any, timeout: Expiry = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self.attempt(partial(super().touch, key, timeout, version), False)

    def delete(self, key: Any, version: int | None = None) -> bool:
        return self.attempt(partial(super().delete, key, version), False)

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        return self.attempt(partial(super().get_many, list(keys), version), {})

    def set_many(self, data: dict[Any, Any], timeout: Expiry = DEFAULT_TIMEOUT, version: int | None = None) -> list[Any]:
        return self.attempt(partial(super().set_many, data, timeout, version), [])

    def delete_many(self, keys: Iterable[Any], version: int | None = None) -> None:
        self.attempt(partial(super().delete_many, list(keys), version), None)

    def has_key(self, key: Any, version: int | None = None) -> bool:
        return self.attempt(partial(super().has_key, key, version), False)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        found = self.attempt(partial(super().incr, key, delta, version), None)
        if found is None:
            raise ValueError(f"Key '{key}' not found.")
        return found

    def clear(self) -> None:
        self.attempt(super().clear, None)


class RedisCache(EmptyInAnOutage, redis.RedisCache):
    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, {**params, "OPTIONS": {**OPTIONS, **params.get("OPTIONS", {})}})

    def attempt(self, operation: Callable[[], T], otherwise: T) -> T:
        if breaker.is_open():
            return otherwise
        try:
            found = operation()
        except RedisError as problem:
            breaker.record_failure(problem)
            return otherwise
        breaker.record_success()
        return found


class DatabaseCache(EmptyInAnOutage, db.DatabaseCache):
    def attempt(self, operation: Callable[[], T], otherwise: T) -> T:
        try:
            return operation()
        except DatabaseError as problem:
            connection = connections[router.db_for_write(self.cache_model_class)]
            # A transaction cannot go on after an error.
            if connection.in_atomic_block or not outages.find(problem):
                raise
            connection.close_if_unusable_or_obsolete()
            return otherwise
