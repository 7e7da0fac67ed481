"""`manage.py resume_jobs`: resume the jobs that `restore` has paused."""

from typing import Any

from django.core.management.base import BaseCommand

from cms_api.core.jobs import resume_jobs


class Command(BaseCommand):
    help = "Resumes the jobs that charge or write to people, which `restore` has paused."

    def handle(self, **options: Any) -> None:
        resumed = resume_jobs(by="manage.py")
        self.stdout.write(f"Resumed: {', '.join(resumed)}." if resumed else "No jobs were paused.")
