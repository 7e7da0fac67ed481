"""`manage.py run_due`: every periodic job once."""

from typing import Any

from django.core.management.base import BaseCommand

from cms_api.core.jobs import run_all_jobs


class Command(BaseCommand):
    help = "Runs every periodic job once, due or not, and exits."

    def handle(self, **options: Any) -> None:
        for name in run_all_jobs():
            self.stdout.write(name)
