"""`manage.py resume_jobs`: resume the jobs that `restore` has paused."""

from typing import Any

from cms_api.core.commands import SiteCommand
from cms_api.core.jobs import resume_jobs


class Command(SiteCommand):
    help = "Resumes the jobs that charge or write to people, which `restore` has paused."

    def handle(self, **options: Any) -> None:
        resumed = resume_jobs(by="manage.py")
        self.stdout.write(f"Resumed: {', '.join(resumed)}." if resumed else "No jobs were paused.")
