"""The admin of API tokens, for superusers only.

Loaded with Wagtail's hooks, so that the audit log knows the action below even when a command writes it.
"""

from cms_api.adminkit.history import register_log_actions

from .viewset import TokenViewSet

TOKENS = TokenViewSet("tokens", url_prefix="api-tokens")

register_log_actions({"tokens.revoke": ("Revoke API token", "Revoked")})
