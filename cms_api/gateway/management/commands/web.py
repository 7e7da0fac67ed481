"""`manage.py web`: run the web server alone, on a host whose worker is a service of its own."""

import os
import socket
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from cms_api.core.private_files import keep_private
from cms_api.gateway.serving.listener import bind
from cms_api.gateway.supervisor import Child, supervise


class Command(BaseCommand):
    help = "Runs the web server until it is told to stop; SIGHUP replaces its processes one after the other."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 4), help="web server processes")

    def handle(self, *, host: str, port: int, workers: int, **options: Any) -> None:
        keep_private(settings.VAR_DIR)
        self.supervise(self.listener(host, port), workers)

    def listener(self, host: str, port: int) -> socket.socket:
        try:
            return bind(host, port)
        except OSError as problem:
            raise CommandError(f"{host}:{port} cannot be listened on: {problem.strerror}.") from problem

    def supervise(self, listener: socket.socket, workers: int, *others: Child) -> None:
        """Run the web processes, which share the listener, and other children."""
        os.chdir(settings.BASE_DIR)
        descriptor = listener.fileno()
        command = [sys.executable, "-m", "cms_api.gateway.serving", str(descriptor)]
        path = os.pathsep.join(["site", ".", *filter(None, [os.environ.get("PYTHONPATH")])])
        web = [
            Child(f"web process {place}", command, {"PYTHONPATH": path}, [descriptor], reports=True)
            for place in range(1, max(workers, 1) + 1)
        ]
        supervise([*web, *others], before_stop=listener.close)
