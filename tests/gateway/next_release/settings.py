"""Settings of a host that has the next release."""

from config.settings.dev import *  # noqa: F403

MIGRATION_MODULES = {"content": "tests.gateway.next_release.content_migrations"}
