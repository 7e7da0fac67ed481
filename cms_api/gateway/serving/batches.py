"""Answers short requests of one kind together: handing each one to a thread would cost as much as answering it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

A = TypeVar("A")

#: Requests of one batch: the thread that answers them holds up the event loop.
MOST = 50


class Batches(Generic[A]):
    """Answers requests by one thread; those that arrive while it is busy are its next batch.

    `answer_all` returns the answers to requests in their order. If it raises, all of them fail.
    """

    def __init__(self, answer_all: Callable[[list[Any]], list[A]], loop: asyncio.AbstractEventLoop) -> None:
        self._answer_all = answer_all
        self._loop = loop
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="messages")
        self._waiting: list[tuple[Any, asyncio.Future[A]]] = []
        self._work: asyncio.Task[None] | None = None

    async def answer(self, request: Any) -> A:
        future: asyncio.Future[A] = self._loop.create_future()
        self._waiting.append((request, future))
        if self._work is None:
            self._work = self._loop.create_task(self._answer_waiting())
        return await future

    def shutdown(self) -> None:
        self._thread.shutdown()

    async def _answer_waiting(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            # Clients that have gone away do not wait for their answers.
            try:
                answers = await self._loop.run_in_executor(self._thread, self._answer_all, [request for request, _ in batch])
            except Exception as problem:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(problem)
            else:
                for (_, future), answer in zip(batch, answers, strict=True):
                    if not future.done():
                        future.set_result(answer)
        self._work = None
