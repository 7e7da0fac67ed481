"""`manage.py web`: run the web server alone, on a host whose worker is a service of its own."""

import json
import os
import socket
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connections

from cms_api.core.commands import SiteCommand
from cms_api.core.private_files import keep_private
from cms_api.gateway.serving.listener import bind, take_passed


class Command(SiteCommand):
    help = "Runs the web server, on a socket of systemd if there is one, until it is told to stop; SIGHUP replaces its processes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 4), help="web server processes")

    def handle(self, *, host: str, port: int, workers: int, **options: Any) -> None:
        keep_private(settings.VAR_DIR)
        self.supervise(self.listener(host, port), workers)

    def listener(self, host: str, port: int) -> socket.socket:
        try:
            return take_passed() or bind(host, port)
        except ValueError as problem:
            raise CommandError(str(problem)) from problem
        except OSError as problem:
            raise CommandError(f"{host}:{port} cannot be listened on: {problem.strerror}.") from problem

    def supervise(self, listener: socket.socket, workers: int, *others: str) -> None:
        """Become the supervisor of the web processes, and of others: see `cms_api.gateway.loader`."""
        connections.close_all()
        os.chdir(settings.BASE_DIR)
        os.environ["PYTHONPATH"] = os.pathsep.join(["site", ".", *filter(None, [os.environ.get("PYTHONPATH")])])
        # Filters of the log need Django, which the supervisor does without.
        handler = {"class": "logging.StreamHandler", "formatter": "chosen"}
        logs = {**settings.LOGGING, "filters": {}, "handlers": {"stderr": handler}}
        arguments = [json.dumps(logs), str(listener.fileno()), str(max(workers, 1)), *others]
        os.execv(sys.executable, [sys.executable, "-m", "cms_api.gateway.supervisor", *arguments])
