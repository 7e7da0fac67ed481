"""Reads settings from environment variables; a value that cannot be read stops the start with its name."""

import os
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def boolean(name: str, default: bool = False) -> bool:
    value = text(name).lower()
    if value in {"", "0", "false", "no", "off"}:
        return default if value == "" else False
    if value in {"1", "true", "yes", "on"}:
        return True
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def integer(name: str, default: int) -> int:
    value = text(name, str(default))
    if not value.isascii() or not value.isdigit():
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.")
    return int(value)


def numbers(name: str, default: str) -> list[int]:
    """A comma-separated list of whole numbers."""
    found = words(name, default)
    if not all(word.isascii() and word.isdigit() for word in found):
        raise ImproperlyConfigured(f"{name} must be whole numbers with commas between them.")
    return list(map(int, found))


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """A comma-separated list of CIDRs."""
    try:
        return [ip_network(word, strict=False) for word in words(name)]
    except ValueError as problem:
        raise ImproperlyConfigured(f"{name}: {problem}.") from problem


def words(name: str, default: str = "") -> list[str]:
    """A comma-separated list."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def database(url: str, var_dir: Path) -> dict[str, Any]:
    """Django's DATABASES entry for a `sqlite:///file` or `postgresql://user:password@host:port/name?option=value` address."""
    if not url:
        return sqlite(var_dir / "db.sqlite3")
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return sqlite(Path(unquote(parts.path.removeprefix("/"))))
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured("DATABASE_URL must begin with sqlite:// or postgresql://.")
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    host = options.pop("host", parts.hostname or "")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.removeprefix("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or ""),
        # The pool keeps connections; Django hands one back after each request.
        "CONN_MAX_AGE": 0,
        "OPTIONS": {"pool": {"min_size": 1, "max_size": 16, "timeout": 20}, **options},
    }


def sqlite(path: Path) -> dict[str, Any]:
    """WAL and IMMEDIATE transactions: readers never wait, and writers queue instead of failing half-way."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000; "
                "PRAGMA mmap_size=268435456; PRAGMA temp_store=MEMORY"
            ),
        },
    }


def email(url: str) -> dict[str, Any]:
    """Mail settings for `console:`, `file:///directory` or `smtp[s]://user:password@host:port`."""
    parts = urlsplit(url)
    if parts.scheme == "console":
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    if parts.scheme == "file":
        return {"EMAIL_BACKEND": "cms_api.core.mail.FileBackend", "EMAIL_FILE_PATH": unquote(parts.path)}
    if parts.scheme not in {"smtp", "smtps", "smtp+tls"}:
        raise ImproperlyConfigured("EMAIL_URL must begin with console:, file:// or smtp://.")
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname or "localhost",
        "EMAIL_PORT": parts.port or {"smtp": 25, "smtps": 465, "smtp+tls": 587}[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_TIMEOUT": 20,
    }
