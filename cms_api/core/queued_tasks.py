"""Takes tasks that `async_task` has queued, and runs one in this process, so that the cluster of django-q need not run."""

import logging
from collections.abc import Mapping
from multiprocessing import Value
from queue import SimpleQueue
from typing import Any

from django.utils import timezone
from django_q.brokers import get_broker
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.monitor import monitor
from django_q.signing import SignedPackage
from django_q.worker import worker

logger = logging.getLogger(__name__)

#: Seconds after its timeout, which raises an exception in the task, until a task that hangs is killed.
HANGING_SECONDS = 3
#: Seconds that a task may take to end if its worker stops.
GRACE_SECONDS = 25.0


class QueuedTask:
    """A task that this worker has taken from the queue: others leave it alone for `Q_CLUSTER["retry"]` seconds."""

    deadline_seconds = Conf.TIMEOUT + HANGING_SECONDS
    grace_seconds = GRACE_SECONDS

    def __init__(self, task: dict[str, Any]) -> None:
        self._task = task

    def execute(self) -> None:
        """Run the task in this process, and store what came of it, by the functions of django-q's own processes."""
        results: SimpleQueue[Any] = SimpleQueue()
        worker(_end_after(self._task), results, Value("f", -1))
        monitor(_end_after(results.get()))

    def renew(self) -> None:
        """The lock in the queue is longer than the deadline."""

    def note_stopped(self, error: str) -> None:
        """Store a failure, after which the task leaves the queue or is tried again, as `Q_CLUSTER` says.

        No hook is called: it would run in the process of the scheduler.
        """
        monitor(_end_after(self._task | {"hook": None, "result": error, "success": False, "stopped": timezone.now()}))

    def give_back(self) -> None:
        """End its lock in the queue."""
        OrmQ.objects.filter(pk=self._task["ack_id"]).update(lock=timezone.now())


def _end_after(entry: Mapping[str, Any]) -> SimpleQueue[Any]:
    """Return a queue of one entry for a function of django-q, which then ends."""
    queue: SimpleQueue[Any] = SimpleQueue()
    queue.put(entry)
    queue.put("STOP")
    return queue


def take_task() -> QueuedTask | None:
    """Take the next task that is due; None if there is none."""
    broker = get_broker()
    for ack_id, package in broker.dequeue() or ():
        try:
            task = SignedPackage.loads(package)
        except Exception:
            # Reading the arguments imports what they are made of, which a newer version may not have any more.
            logger.exception("A task could not be read; it is deleted.")
            broker.fail(ack_id)
        else:
            return QueuedTask(task | {"cluster": Conf.CLUSTER_NAME, "ack_id": ack_id})
    return None
