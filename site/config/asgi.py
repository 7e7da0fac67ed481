"""Django's own ASGI application, for other servers. `serve` and `web` don't use it: they serve `config.wsgi` by a bridge."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

application = get_asgi_application()
