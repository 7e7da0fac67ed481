"""The site's use of Redis: it speeds the site up and counts rate limits, and nothing fails without it."""

from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError
from redis.retry import Retry

from .outages import CircuitBreaker

#: Options of every client. A connection that Redis has closed is replaced once, at once; a timeout is not repeated.
OPTIONS = {
    "socket_connect_timeout": 1.0,
    "socket_timeout": 1.0,
    "retry": Retry(NoBackoff(), 1, supported_errors=(ConnectionError,)),
}

breaker = CircuitBreaker("Redis", instead="rate limits are counted in the database, and nothing is cached")
