"""Settings of a site that has the planted jobs alone."""

import os

from config.settings.dev import *  # noqa: F403

MODULES = [*MODULES, "tests.core.planted_jobs"]  # noqa: F405
Q_CLUSTER = {**Q_CLUSTER, "timeout": int(os.environ.get("PLANTED_TIMEOUT", "2"))}  # noqa: F405
INSTALLED_APPS = [*INSTALLED_APPS, "tests.core.planted_jobs"]  # noqa: F405
