"""`manage.py run_due`: run every enabled periodic job once."""

from argparse import ArgumentParser
from typing import Any

from cms_api.core.commands import SiteCommand
from cms_api.core.job_processes import run_in_fork
from cms_api.core.jobs import execute, run_all_jobs
from cms_api.flags.selectors import active_jobs


class Command(SiteCommand):
    help = "Runs every periodic job of the features that are on once, due or not, and exits."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--in-process", action="store_true", help="run the jobs in this process, without deadlines, to look for a mistake"
        )

    def handle(self, *, in_process: bool = False, **options: Any) -> None:
        for name in run_all_jobs(active_jobs(), execute if in_process else run_in_fork):
            self.stdout.write(name)
