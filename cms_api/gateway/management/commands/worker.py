"""`manage.py worker`: run background tasks and periodic jobs."""

import os
import signal
import time
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from django_q.cluster import Cluster

from cms_api.core import registry
from cms_api.core.first_write import prepare_at_start
from cms_api.core.job_processes import start_scheduler, stopped_by_signals
from cms_api.core.private_files import keep_private
from cms_api.core.queues import Runner
from cms_api.core.sqlite.checkpoints import Checkpoints
from cms_api.core.wakeups import Listener
from cms_api.flags.selectors import active_jobs, is_on

#: Seconds after which a worker that was asked to stop ends, whatever hangs in it.
STOP_SECONDS = 30


class Command(BaseCommand):
    help = "Runs the task queue and the periodic jobs until it is told to stop; any number of hosts may run one."

    def handle(self, **options: Any) -> None:
        keep_private(settings.VAR_DIR)
        # Before it forks: the other processes share what is loaded.
        prepare_at_start()
        # The task queue and the jobs fork, and forked processes would share the connections.
        connections.close_all()
        parent = os.getppid()
        jobs = start_scheduler(active_jobs)
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
        with stopped_by_signals() as is_stopped:
            try:
                while not is_stopped() and os.getppid() == parent:
                    if not cluster.sentinel.is_alive():
                        raise CommandError("The task queue's guard has died.")
                    if not jobs.is_alive():
                        raise CommandError("The process of the periodic jobs has died.")
                    time.sleep(0.2)
            finally:
                # The kernel ends this process, and with it the others, if a thread or a task hangs.
                signal.alarm(STOP_SECONDS)
                jobs.terminate()
                checkpoints.stop()
                listener.stop()
                for runner in runners:
                    runner.stop()
                cluster.stop()
                jobs.join()
                signal.alarm(0)
