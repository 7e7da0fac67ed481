"""The admin of API tokens, for superusers only, and the "API" menu that the platform's pages hang in.

`API_MENU` stands in the module's `menu`, which is loaded with Wagtail's hooks: so the audit log knows the action below
wherever it is written, commands included.
"""

from typing import Any

from wagtail import hooks
from wagtail.admin.menu import Menu, SubmenuMenuItem

from .viewset import TokenViewSet

API_MENU = SubmenuMenuItem("API", Menu(register_hook_name="register_api_menu_item"), name="api", icon_name="code", order=8000)

TOKENS = TokenViewSet("tokens", url_prefix="api-tokens")


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("tokens.revoke", "Revoke API token", "Revoked")
