"""Loads the site once, and forks the processes that serve it, which share the memory of what is loaded.

`python -m cms_api.gateway.loader DESCRIPTOR WEB_PROCESSES [worker]` forks web processes, which inherit a listening socket, and
the processes of a worker. It has no threads and no connections, and does nothing but keep them running.
"""

import gc
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from django.db import connections
from django.utils.module_loading import import_string

from cms_api.core.processes import set_name

from .serving.server import serve
from .supervisor import READY, Child, supervise


def supervise_forks(children: list[Child], *, before_stop: Callable[[], object] = lambda: None) -> None:
    """Run children that share what this process has loaded."""
    set_name("loader")
    connections.close_all()
    # The garbage collector would write to all that it looks at.
    gc.collect()
    gc.freeze()
    supervise(children, before_stop=before_stop)


def main(descriptor: str, web_processes: str, worker: str = "") -> None:
    report = int(os.environ.pop(READY, -1))
    listener = socket.socket(fileno=int(descriptor))
    application = import_string("config.wsgi.application")
    work = partial(serve, listener, application, partial(_report_ready, report))
    children = [Child(f"web {number}", work) for number in range(1, int(web_processes) + 1)]
    if worker:
        # It imports models, which is possible now that the application is loaded.
        load_worker = import_string("cms_api.gateway.worker.load_worker")
        # Requests must be refused once no web process accepts them.
        children += [Child(each.name, partial(_without, listener, each.work)) for each in load_worker()]
    supervise_forks(children, before_stop=listener.close)


def _report_ready(descriptor: int) -> None:
    # A supervisor that waits for nobody has closed its end.
    with suppress(OSError):
        os.write(descriptor, b".")


def _without(listener: socket.socket, work: Callable[[], object]) -> None:
    listener.close()
    work()


if __name__ == "__main__":
    main(*sys.argv[1:])
