"""`manage.py status`: show workers, periodic jobs, failed tasks and what waits."""

import json
from argparse import ArgumentParser
from typing import Any

from cms_api.core.commands import SiteCommand
from cms_api.gateway.status import FAILURE_DAYS, Status


class Command(SiteCommand):
    help = "Shows whether a worker is running, what waits in the queues, which tasks failed, and when each job ran and is due."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, **options: Any) -> None:
        status = Status()
        self.stdout.write(json.dumps(status.document(), indent=1) if options["json"] else _text(status))


def _text(status: Status) -> str:
    lines = [f"Workers: {', '.join(status.workers) or 'missing'}", f"Tasks waiting: {status.tasks}"]
    for each in status.queues:
        since = f", the first for {each.seconds} seconds" if each.waiting else ""
        lines.append(f"{each.name.capitalize()} waiting: {each.waiting}{since}")
    lines.append(f"Tasks failed in the last {FAILURE_DAYS} days: {status.failed_count}")
    document = status.document()
    lines += [f"  {task['failed_at']}  {task['name']}  {task['error']}" for task in document["failed_tasks"]["latest"]]
    if status.paused:
        lines.append(f"Jobs paused by a restore: {len(status.paused)}. `manage.py resume_jobs` resumes them.")
    rows = [("JOB", "STATUS", "LAST RUN", "DUE", "ERROR")]
    for job in document["jobs"]:
        state = f"{job['status']}, late" if job["late"] and job["status"] != "late" else job["status"]
        rows.append((job["name"], state, job["last_run_at"] or "-", job["due_at"] or "-", " ".join(job["last_error"].split())))
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    table = ("  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)).rstrip() for row in rows)
    return "\n".join([*lines, "", *table])
