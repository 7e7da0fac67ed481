"""The admin page of features and settings."""

from typing import Any

from wagtail import hooks

from .features import FEATURES

__all__ = ["FEATURES"]


# Not by the kit, which is above this module.
@hooks.register("register_log_actions")
def register_log_actions(registry: Any) -> None:
    registry.register_action("flags.change_setting", "Change setting", "Changed")
    registry.register_action("flags.switch_on", "Switch on setting", "Switched on")
    registry.register_action("flags.switch_off", "Switch off setting", "Switched off")
