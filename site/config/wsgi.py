"""The WSGI application that the web server serves."""

import os

from cms_api.gateway.wsgi import make_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

application = make_application()
