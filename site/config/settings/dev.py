"""Settings of `make run`: one machine, no configuration."""

from .base import *

SECRET_KEY = SECRET_KEY or env.DEVELOPMENT_KEY + "0123456789abcdef" * 3
# Static files are served from the packages; nothing has to be collected.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
