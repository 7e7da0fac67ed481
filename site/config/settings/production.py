"""Settings for a public host: refuses to start half-configured, and requires HTTPS."""

from urllib.parse import urlsplit

from .base import *

SECRET_KEY = env.secret_key()
BASE_URL = WAGTAILADMIN_BASE_URL = env.public_url(insecure=env.boolean("INSECURE_BASE_URL"))
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", urlsplit(BASE_URL).hostname or "")

LOGGING = env.logging(env.text("LOG_FORMAT", "json"))
LOG_REQUESTS = env.boolean("LOG_REQUESTS", True)

STORAGES["staticfiles"] = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
# A process of the former release may start after the next one's files were collected, whose manifest lacks what was removed.
WHITENOISE_MANIFEST_STRICT = False
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BASE_URL.startswith("https://")
# A health check asks a host directly, by plain HTTP.
SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
SECURE_HSTS_SECONDS = 31_536_000 if SESSION_COOKIE_SECURE else 0
# Hosts below this one may be others', or have no certificate. The checks W005 and W021 want it for all.
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SESSION_COOKIE_SECURE and env.boolean("HSTS_SUBDOMAINS")
SILENCED_SYSTEM_CHECKS = [*SILENCED_SYSTEM_CHECKS, "security.W005", "security.W021"]
