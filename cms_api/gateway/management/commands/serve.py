"""`manage.py serve`: run the web server and the background worker together."""

import os
from typing import Any

from django.conf import settings
from django.core.management import call_command

from cms_api.core.private_files import keep_private
from cms_api.gateway.serving.listener import BACKLOG

from . import web


class Command(web.Command):
    help = "Migrates, then runs the web server and the background worker until Ctrl-C."

    def handle(self, *, host: str, port: int, workers: int, **options: Any) -> None:
        keep_private(settings.VAR_DIR)
        listener = self.listener(host, port)
        # There is no other host that could answer: visitors wait until this one does.
        listener.listen(BACKLOG)
        port = listener.getsockname()[1]
        # Absolute links use the port that is served, unless the environment sets BASE_URL.
        base_url = settings.BASE_URL if os.environ.get("BASE_URL") else f"http://localhost:{port}"
        os.environ["BASE_URL"] = base_url
        call_command("migrate", interactive=False, verbosity=0)
        for name, path in (("Site", "/"), ("Admin", "/admin/"), ("API", "/api/v1"), ("API description", "/api/v1/openapi.json")):
            self.stdout.write(f"{name + ':':<17}{base_url}{path}")
        self.stdout.flush()
        self.supervise(listener, workers, "worker")
