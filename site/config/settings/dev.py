"""One machine, nothing to configure: the settings `make run` uses."""

from .base import *

SECRET_KEY = SECRET_KEY or "only-for-development-" + "0123456789abcdef" * 3
# Static files are found where the packages keep them; nothing has to be collected.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
