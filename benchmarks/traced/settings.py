"""The settings of development, with the backend that measures transactions."""

import os

from config.settings import dev
from config.settings.dev import *  # noqa: F403
from tests import transactions

if os.environ.get("TRANSACTIONS_TRACE"):
    dev.DATABASES["default"]["ENGINE"] = "benchmarks.traced.backend"
    transactions.watch()
