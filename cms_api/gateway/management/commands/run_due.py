"""`manage.py run_due`: run every enabled periodic job once."""

from typing import Any

from django.core.management.base import BaseCommand

from cms_api.core.jobs import run_all_jobs
from cms_api.flags.selectors import active_jobs


class Command(BaseCommand):
    help = "Runs every periodic job of the features that are on once, due or not, and exits."

    def handle(self, **options: Any) -> None:
        for name in run_all_jobs(active_jobs()):
            self.stdout.write(name)
