"""`manage.py serve`: run the web server and the background worker together."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connections

from cms_api.gateway.supervisor import Child, supervise


class Command(BaseCommand):
    help = "Migrates, then runs the web server and the background worker until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 4), help="web server processes")

    def handle(self, *, host: str, port: int, workers: int, **options: Any) -> None:
        # Absolute links use the port that is served, unless the environment sets BASE_URL.
        base_url = settings.BASE_URL if os.environ.get("BASE_URL") else f"http://localhost:{port}"
        os.environ["BASE_URL"] = base_url
        call_command("migrate", interactive=False, verbosity=0)
        connections.close_all()
        web = [
            *(sys.executable, "-m", "gunicorn", "--pythonpath", "site,.", "--worker-class", "gthread", "--threads", "4"),
            *("--workers", str(workers), "--keep-alive", "30", "--bind", f"{host}:{port}", "--no-control-socket"),
            *("--log-level", "warning", "config.wsgi"),
        ]
        worker = [sys.executable, "manage.py", "worker"]
        for name, path in (("Site", "/"), ("Admin", "/admin/"), ("API", "/api/v1"), ("API description", "/api/v1/openapi.json")):
            self.stdout.write(f"{name + ':':<17}{base_url}{path}")
        self.stdout.flush()
        os.chdir(settings.BASE_DIR)
        supervise([Child("web server", web), Child("worker", worker)], self.stderr.write)
