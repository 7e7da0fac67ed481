"""Fixtures of the outbound tests: the HTTPS receiver of the webhook tests, which the site trusts and may contact."""

from tests.webhooks.conftest import authority, receiver, trusting

__all__ = ["authority", "receiver", "trusting"]
