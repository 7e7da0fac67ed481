"""How often tests of chance repeat: less in everyday runs, and always alike; more if `IN_FULL` is set (`make long-in-full`)."""

import os

IN_FULL = bool(os.environ.get("IN_FULL"))


def figure(everyday: int, in_full: int) -> int:
    return in_full if IN_FULL else everyday
