"""Settings of the test suite: the same code paths, a database of its own, cheap password hashes."""

import tempfile

from .base import *

VAR_DIR = Path(tempfile.mkdtemp(prefix="site-tests-"))
SECRET_KEY = "tests-" + "0123456789abcdef" * 4
DATABASES = {"default": env.database(env.text("DATABASE_URL"), VAR_DIR)}
if DATABASES["default"]["ENGINE"].endswith("sqlite"):
    # A file, not memory: race tests open it from several threads.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
    DATABASES["default"]["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"
else:
    # Neither waits for the disk: no data has to survive a power cut.
    DATABASES["default"]["OPTIONS"].setdefault("options", "-c synchronous_commit=off")
# Processes of the suite have databases of their own, and share a Redis server.
CACHES["default"]["KEY_PREFIX"] = VAR_DIR.name
MEDIA_ROOT = VAR_DIR / "media"
BASE_URL = WAGTAILADMIN_BASE_URL = "http://testserver"
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
TIME_ZONE = "Europe/Paris"
PASSWORD_HASHERS = ["tests.hashing.FastHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = True
API_RATE_PER_MINUTE = API_ANON_RATE_PER_MINUTE = 1_000_000
REFUSES_SLOW_WORK_IN_TRANSACTIONS = True
