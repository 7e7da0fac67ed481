"""Reads settings from environment variables; an invalid value stops the start and is reported by name."""

import os
import re
import secrets
from contextlib import suppress
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
    """Parse a comma-separated list of whole numbers."""
    found = words(name, default)
    if not all(word.isascii() and word.isdigit() for word in found):
        raise ImproperlyConfigured(f"{name} must be whole numbers with commas between them.")
    return list(map(int, found))


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Parse a comma-separated list of CIDRs."""
    try:
        return [ip_network(word, strict=False) for word in words(name)]
    except ValueError as problem:
        raise ImproperlyConfigured(f"{name}: {problem}.") from problem


def words(name: str, default: str = "") -> list[str]:
    """Parse a comma-separated list."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


#: The beginning of the key that everybody knows, because development settings used to have it.
KNOWN_KEY = "only-for-development-"


def development_key(path: Path) -> str:
    """Return the random key of a site without a SECRET_KEY, made at the first start, perhaps of several processes at once."""
    if not path.exists():
        made = path.with_name(f"{path.name}.{os.getpid()}")
        made.touch(mode=0o600)
        made.write_text(secrets.token_urlsafe(50))
        with suppress(FileExistsError):
            os.link(made, path)
        made.unlink()
    key = path.read_text().strip()
    if len(key) < 50:
        raise ImproperlyConfigured(f"{path} has no key in it. Delete it, and another one is made.")
    return key


def secret_key() -> str:
    """Return SECRET_KEY, if it is one that nobody can guess."""
    key = text("SECRET_KEY")
    if len(key) < 50 or key.startswith(KNOWN_KEY):
        raise ImproperlyConfigured("SECRET_KEY must be a random text of at least 50 characters, and not the development key.")
    return key


def public_url(*, insecure: bool) -> str:
    """Return BASE_URL, which must be given, and begin with https:// unless `insecure` allows http://."""
    url = text("BASE_URL").rstrip("/")
    try:
        parts = urlsplit(url)
        is_usable = bool(parts.hostname) and not parts.query and not parts.fragment
    except ValueError:
        is_usable = False
    if not is_usable or parts.scheme not in {"https", "http"}:
        raise ImproperlyConfigured("BASE_URL must be set to the site's public URL, like https://www.example.org.")
    if parts.scheme == "http" and not insecure:
        raise ImproperlyConfigured("BASE_URL must begin with https://. INSECURE_BASE_URL=1 allows http:// on a private network.")
    return url


#: Executions of a statement on a connection until it is prepared there.
PREPARE_AFTER = 5
#: How the client notices a host that is gone: it asks after 10 idle seconds, thrice, and waits 10 seconds for an acknowledgement.
LIVENESS = {"keepalives_idle": "10", "keepalives_interval": "3", "keepalives_count": "3", "tcp_user_timeout": "10000"}


def database(url: str, var_dir: Path) -> dict[str, Any]:
    """Return the DATABASES entry for `sqlite:///file` or `postgresql://user:password@host:port/name?option=value`."""
    if not url:
        return sqlite(var_dir / "db.sqlite3")
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return sqlite(Path(unquote(parts.path.removeprefix("/"))))
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured("DATABASE_URL must begin with sqlite:// or postgresql://.")
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    host = options.pop("host", parts.hostname or "")
    prepares = boolean("DATABASE_PREPARED_STATEMENTS", True)
    return {
        "ENGINE": "cms_api.core.postgresql",
        "NAME": unquote(parts.path.removeprefix("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or ""),
        # Each thread keeps its connection for an hour, and replaces it if the server has closed it.
        "CONN_MAX_AGE": 3600,
        "CONN_HEALTH_CHECKS": True,
        # The client library waits for no less than two seconds.
        "OPTIONS": {"connect_timeout": "2", "prepare_threshold": PREPARE_AFTER if prepares else None, **LIVENESS, **options},
    }


def sqlite(path: Path) -> dict[str, Any]:
    """Use WAL and IMMEDIATE transactions: readers never wait, and writers queue instead of failing half-way.

    The worker makes checkpoints; without one, it is the commit that makes the log longer than 10,000 pages.
    """
    return {
        "ENGINE": "cms_api.core.sqlite",
        "NAME": str(path),
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000; "
                "PRAGMA mmap_size=268435456; PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=10000"
            ),
        },
    }


_LOG_FORMATS: dict[str, dict[str, Any]] = {
    "text": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
    "json": {
        "()": "pythonjsonlogger.orjson.OrjsonFormatter",
        "fmt": ["levelname", "name", "message"],
        "rename_fields": {"levelname": "level", "name": "logger", "exc_info": "traceback"},
        "timestamp": True,
    },
}


def logging(form: str) -> dict[str, Any]:
    """Return the LOGGING setting: to standard error, as `text` or as a JSON object a line (`json`)."""
    if form not in _LOG_FORMATS:
        raise ImproperlyConfigured(f"LOG_FORMAT must be {' or '.join(_LOG_FORMATS)}, not {form!r}.")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"chosen": dict(_LOG_FORMATS[form])},
        "filters": {
            "secrets": {"()": "cms_api.gateway.logs.SecretFilter"},
            "request_id": {"()": "cms_api.gateway.logs.RequestIdFilter"},
            "outages": {"()": "cms_api.core.outages.ShortRecords"},
        },
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "chosen", "filters": ["secrets", "request_id", "outages"]}
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "cms_api": {"level": "INFO"},
            "wagtail": {"level": "WARNING"},
            "django-q": {"level": "WARNING"},
            "django.request": {"level": "ERROR"},
        },
    }


def email(url: str) -> dict[str, Any]:
    """Return the email settings for `console:`, `file:///directory` or `smtp[s]://user:password@host:port`."""
    parts = urlsplit(url)
    if parts.scheme == "console":
        return {"EMAIL_BACKEND": "cms_api.mail.services.console_backend.ConsoleBackend"}
    if parts.scheme == "file":
        return {"EMAIL_BACKEND": "cms_api.mail.services.file_backend.FileBackend", "EMAIL_FILE_PATH": unquote(parts.path)}
    if parts.scheme not in {"smtp", "smtps", "smtp+tls"}:
        raise ImproperlyConfigured("EMAIL_URL must begin with console:, file:// or smtp://.")
    return {
        "EMAIL_BACKEND": "cms_api.mail.services.smtp_backend.SmtpBackend",
        "EMAIL_HOST": parts.hostname or "localhost",
        "EMAIL_PORT": parts.port or {"smtp": 25, "smtps": 465, "smtp+tls": 587}[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_TIMEOUT": 20,
    }


def reply_address(name: str) -> str:
    """Return the pattern of an email address with `{token}` in the part before its @."""
    pattern = text(name)
    local, _, domain = pattern.partition("@")
    if pattern and (
        local.count("{token}") != 1 or not re.fullmatch(r"[A-Za-z0-9.+_-]*\{token\}[A-Za-z0-9.+_-]*", local) or not domain
    ):
        raise ImproperlyConfigured(f"{name} must be like support+{{token}}@example.com.")
    return pattern


def mailbox(name: str) -> dict[str, Any]:
    """Return where and how a mailbox is read, for `imaps://user:password@host/folder` or `imap+tls://`; empty if it is not given.

    No error message repeats the value, which has a password in it.
    """
    url = text(name)
    if not url:
        return {}
    parts = urlsplit(url)
    if parts.scheme not in {"imaps", "imap+tls"} or not parts.hostname or not parts.username or not parts.password:
        raise ImproperlyConfigured(f"{name} must be like imaps://user:password@host/INBOX.")
    return {
        "host": parts.hostname,
        "port": parts.port or (993 if parts.scheme == "imaps" else 143),
        "starttls": parts.scheme == "imap+tls",
        "user": unquote(parts.username),
        "password": unquote(parts.password),
        "folder": unquote(parts.path.strip("/")) or "INBOX",
    }


_STORAGE_OPTIONS = ("endpoint", "public_endpoint", "region", "access_key", "secret_key", "prefix")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", re.ASCII)


def storage(url: str) -> dict[str, Any]:
    """Return the STORAGES entry for media: local disk, or `s3://bucket?endpoint=...&region=...&access_key=...&secret_key=...`.

    No error message repeats a value: it might be a secret.
    """
    if not url:
        return {"BACKEND": "cms_api.media.services.storage.LocalStorage"}
    try:
        parts = urlsplit(url)
    except ValueError as problem:
        raise ImproperlyConfigured("MEDIA_STORAGE_URL is no address.") from problem
    if parts.scheme != "s3":
        raise ImproperlyConfigured("MEDIA_STORAGE_URL must begin with s3://, or be left out for files on the local disk.")
    if "@" in parts.netloc:
        raise ImproperlyConfigured("MEDIA_STORAGE_URL takes credentials as access_key=... and secret_key=..., not before an @.")
    if not _BUCKET.fullmatch(parts.netloc):
        raise ImproperlyConfigured("MEDIA_STORAGE_URL must name a bucket: s3://bucket?...")
    if parts.path.strip("/") or parts.fragment:
        raise ImproperlyConfigured("MEDIA_STORAGE_URL takes a folder as prefix=..., and nothing after a #.")
    return {
        "BACKEND": "cms_api.media.services.object_storage.ObjectStorage",
        "OPTIONS": _storage_options(parts.netloc, parts.query),
    }


def _storage_options(bucket: str, query: str) -> dict[str, str]:
    # Secret keys contain plus signs, which would be parsed as spaces.
    pairs = parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)
    options = {"bucket": bucket, **dict(pairs)}
    unknown = sorted({name for name, _ in pairs} - set(_STORAGE_OPTIONS))
    if unknown:
        raise ImproperlyConfigured(f"MEDIA_STORAGE_URL has no option {unknown[0]!r}; it has {', '.join(_STORAGE_OPTIONS)}.")
    if len(options) <= len(pairs):
        raise ImproperlyConfigured("MEDIA_STORAGE_URL has an option twice.")
    for name in ("endpoint", "public_endpoint"):
        if name in options and not re.fullmatch(r"https?://[^?#\s]+", options[name]):
            raise ImproperlyConfigured(f"MEDIA_STORAGE_URL: {name} must be like https://storage.example.com.")
        options[name] = options.get(name, "").rstrip("/")
    if bool(options.get("access_key")) != bool(options.get("secret_key")):
        raise ImproperlyConfigured("MEDIA_STORAGE_URL needs both access_key and secret_key, or neither.")
    options["prefix"] = options.get("prefix", "").strip("/")
    return {name: value for name, value in options.items() if value}
