"""`manage.py worker`: run background tasks and periodic jobs."""

import logging
import os
import signal
import time
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from django_q.cluster import Cluster

from cms_api.core import registry, versions
from cms_api.core.jobs import run_due_jobs
from cms_api.core.queues import Runner
from cms_api.core.sqlite.checkpoints import Checkpoints
from cms_api.core.wakeups import Listener
from cms_api.flags.selectors import active_jobs, is_on

logger = logging.getLogger(__name__)

#: Seconds between checks for due periodic jobs; the most frequent is due every 15.
TICK = 5


class Command(BaseCommand):
    help = "Runs the task queue and the periodic jobs until it is told to stop; any number of hosts may run one."

    def handle(self, **options: Any) -> None:
        stopping = False

        def stop(*_: object) -> None:
            nonlocal stopping
            stopping = True

        # The task queue forks, and forked processes would share the connections.
        connections.close_all()
        parent = os.getppid()
        cluster = Cluster()
        cluster.start()
        runners = [
            Runner(queue.name, registry.load(queue.work), is_on=partial(is_on, module.feature))
            for module in registry.modules()
            for queue in module.queues
        ]
        listener = Listener({runner.name: runner.wake for runner in runners})
        checkpoints = Checkpoints()
        for runner in runners:
            runner.start()
        listener.start()
        checkpoints.start()
        # The cluster's own handlers would wait for minutes; this process stops it instead.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        try:
            next_check = 0.0
            while not stopping and os.getppid() == parent:
                if not cluster.sentinel.is_alive():
                    raise CommandError("The task queue's guard has died.")
                if time.monotonic() >= next_check:
                    self._run_due_jobs()
                    next_check = time.monotonic() + TICK
                time.sleep(0.2)
        finally:
            checkpoints.stop()
            listener.stop()
            for runner in runners:
                runner.stop()
            cluster.stop()

    @staticmethod
    def _run_due_jobs() -> None:
        try:
            versions.forget()
            run_due_jobs(active_jobs())
        except Exception:
            logger.exception("The periodic jobs could not be run.")
        finally:
            # A connection that the database has closed must not be reused.
            connections.close_all()
