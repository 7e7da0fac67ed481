"""Settings of `make run`: one machine, no configuration."""

from .base import *

SECRET_KEY = SECRET_KEY or env.development_key(VAR_DIR / "secret_key")
# Static files are served from the packages; nothing has to be collected.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
