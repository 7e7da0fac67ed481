"""Hands requests of Granian to the application: those with bodies in the event loop, others directly."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from granian import _granian
from granian._granian import CallbackScheduler
from granian.rsgi import HTTPProtocol, Scope
from granian.server.embed import AsyncWorker

#: Its type is not that which Granian declares.
_worker: Any = _granian.RSGIWorker

Take = Callable[[Scope, HTTPProtocol], bool]
Start = Callable[[Any], Coroutine[Any, Any, None]]


class Scheduler(CallbackScheduler):
    """Granian's scheduler, with a look at each request before: if `take` returns true, the event loop does not see it."""

    def __new__(cls, loop: asyncio.AbstractEventLoop, start: Start, take: Take) -> "Scheduler":
        return super().__new__(cls, loop, start, None, None, None)  # type: ignore[call-arg]

    def __init__(self, loop: asyncio.AbstractEventLoop, start: Start, take: Take) -> None:
        super().__init__()
        self._schedule_fn = partial(_schedule, loop, self._ctx, start, take)


def _schedule(loop: asyncio.AbstractEventLoop, context: Any, start: Start, take: Take, watcher: Any) -> None:
    # An exception would surface wherever the server next calls Python.
    try:
        if not take(watcher.scope, watcher.proto):
            loop.call_soon_threadsafe(_run, loop, start, watcher, context=context)
    except Exception as problem:
        watcher.err(problem)


def _run(loop: asyncio.AbstractEventLoop, start: Start, watcher: Any) -> None:
    # The watcher keeps the task until it is done.
    watcher.taskref(loop.create_task(start(watcher)))


def _started(application: Any) -> Start:
    """Return a function that lets an application receive a request. Another thread answers it: Granian need not know when."""

    async def start(watcher: Any) -> None:
        try:
            await application(watcher.scope, watcher.proto)
        except BaseException as problem:
            watcher.err(problem)

    return start


def spawner(application: Any) -> Any:
    """Return a function that starts a server, as Granian's own does, with this scheduler for a WsgiBridge."""

    @AsyncWorker.wrap_target
    async def spawn(number: int, shutdown: Any, _: Any, sock: Any, loop: asyncio.AbstractEventLoop, *options: Any) -> None:
        threads, blocking, python_threads, idle, backpressure, _, http, http1, http2, websockets, files, _, ssl, _ = options
        ended: asyncio.Future[None] = loop.create_future()
        shutdown.add_cb(lambda: loop.call_soon_threadsafe(ended.set_result, None))
        application.__rsgi_init__(loop)
        about = (threads, blocking, python_threads, idle, backpressure, http, http1, http2, websockets, files)
        worker = _worker(number, sock, None, *about, *ssl, (None, None))
        scheduler = Scheduler(loop, _started(application.__rsgi__), application.take)
        worker.serve_async(scheduler, loop, shutdown)
        await ended
        application.__rsgi_del__(loop)

    return spawn
