"""The admin of API tokens, for superusers only.

Loaded with Wagtail's hooks, so that the audit log knows the action below even when a command writes it.
"""

from typing import Any

from wagtail import hooks

from .viewset import TokenViewSet

TOKENS = TokenViewSet("tokens", url_prefix="api-tokens")


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("tokens.revoke", "Revoke API token", "Revoked")
