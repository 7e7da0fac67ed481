"""Refusals of those who ask too often."""

from typing import Any

#: Seconds that may pass between a window's first request and its refusal, on a slow machine.
PASSED_SECONDS = 120


def is_refused_for(answer: Any, window_seconds: int) -> bool:
    """Return whether an answer is a 429 that ends with the window, which a request of this test has opened."""
    left = int(answer.headers["Retry-After"])
    return answer.status_code == 429 and window_seconds - PASSED_SECONDS < left <= window_seconds
