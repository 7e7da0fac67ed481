"""Short requests are answered together, each with its own answer."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from cms_api.gateway.serving.batches import MOST, Batches

pytestmark = pytest.mark.once


def run(answer_all: Callable[[list[Any]], list[Any]], work: Callable[[Batches[Any]], Any]) -> Any:
    async def main() -> Any:
        batches: Batches[Any] = Batches(answer_all, asyncio.get_running_loop())
        try:
            return await work(batches)
        finally:
            batches.shutdown()

    return asyncio.run(main())


def test_those_that_arrive_while_the_thread_is_busy_are_one_batch() -> None:
    sizes: list[int] = []
    is_busy, may_go_on = threading.Event(), threading.Event()

    def answer_all(requests: list[int]) -> list[int]:
        sizes.append(len(requests))
        is_busy.set()
        assert may_go_on.wait(10)
        return [10 * request for request in requests]

    async def work(batches: Batches[int]) -> list[int]:
        first = asyncio.create_task(batches.answer(1))
        await asyncio.to_thread(is_busy.wait, 10)
        others = [asyncio.create_task(batches.answer(number)) for number in range(2, MOST + 5)]
        await asyncio.sleep(0)
        may_go_on.set()
        return await asyncio.gather(first, *others)

    assert run(answer_all, work) == [10 * number for number in range(1, MOST + 5)]
    assert sizes == [1, MOST, 3]


def test_a_failure_is_that_of_its_batch() -> None:
    def answer_all(requests: list[int]) -> list[int]:
        return [1 // request for request in requests]

    async def work(batches: Batches[int]) -> list[Any]:
        failed = await asyncio.gather(batches.answer(0), batches.answer(1), return_exceptions=True)
        return [*failed, await batches.answer(1)]

    first, second, third = run(answer_all, work)
    assert isinstance(first, ZeroDivisionError)
    assert first is second
    assert third == 1


def test_a_client_that_goes_away_does_not_stop_the_others() -> None:
    async def work(batches: Batches[int]) -> int:
        gone = asyncio.create_task(batches.answer(1))
        await asyncio.sleep(0)
        gone.cancel()
        other = await batches.answer(2)
        return other + await batches.answer(3)

    assert run(lambda requests: requests, work) == 5
