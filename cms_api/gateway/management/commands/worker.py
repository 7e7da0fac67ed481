"""`manage.py worker`: run background tasks and periodic jobs."""

from typing import Any

from django.conf import settings

from cms_api.core.commands import SiteCommand
from cms_api.core.private_files import keep_private
from cms_api.gateway.loader import supervise_forks
from cms_api.gateway.worker import load_worker


class Command(SiteCommand):
    help = "Runs the task queue and the periodic jobs until it is told to stop; any number of hosts may run one."

    def handle(self, **options: Any) -> None:
        keep_private(settings.VAR_DIR)
        supervise_forks(load_worker())
