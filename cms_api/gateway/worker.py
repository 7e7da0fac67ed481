"""The two processes of a worker: one runs the queues in threads, the other forks a process for each periodic job and task."""

import time
from functools import partial

from cms_api.core import registry
from cms_api.core.commands import is_unfinished
from cms_api.core.first_write import prepare_at_start
from cms_api.core.forks import stopped_by_signals
from cms_api.core.job_processes import Scheduler
from cms_api.core.queues import Runner
from cms_api.core.sqlite.checkpoints import Checkpoints
from cms_api.core.wakeups import Listener
from cms_api.flags.selectors import active_jobs, is_on

from .supervisor import STOP_SECONDS, Child


def load_worker() -> list[Child]:
    """Load what background work needs, and return its processes."""
    prepare_at_start()
    for job in registry.jobs():
        registry.load(job.function)
    return [Child("queues", run_queues), Child("jobs", Scheduler(active_jobs).run)]


def _may_work(feature: str) -> bool:
    """Return whether a feature is on; what a restore has loaded is left alone until that is finished."""
    return not is_unfinished() and is_on(feature)


def run_queues() -> None:
    """Run the queues of all modules until this process is asked to stop."""
    runners = [
        Runner(queue.name, registry.load(queue.work), is_on=partial(_may_work, module.feature))
        for module in registry.modules()
        for queue in module.queues
    ]
    threads: list[Runner | Listener | Checkpoints] = [
        *runners,
        Listener({runner.name: runner.wake for runner in runners}),
        Checkpoints(),
    ]
    with stopped_by_signals(within_seconds=STOP_SECONDS) as is_stopped:
        for thread in threads:
            thread.start()
        while not is_stopped():
            time.sleep(0.2)
        for thread in reversed(threads):
            thread.stop()
