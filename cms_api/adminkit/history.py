"""Actions of the audit log."""

from collections.abc import Callable, Mapping
from typing import Any

from wagtail import hooks
from wagtail.log_actions import LogFormatter

Message = str | Callable[[Mapping[str, Any]], str]


def register_log_actions(actions: Mapping[str, tuple[str, Message]]) -> None:
    """Name what services log: the action to its label and its message, which may be a function of the entry's data."""

    def register(registry: Any) -> None:
        for name, (label, message) in actions.items():
            registry.register_action(name)(_formatter(label, message))

    hooks.register("register_log_actions", register)


def _formatter(label: str, message: Message) -> type[LogFormatter]:
    def format_message(self: Any, entry: Any) -> str:
        return message(entry.data or {}) if callable(message) else message

    return type("Formatter", (LogFormatter,), {"label": label, "format_message": format_message})
