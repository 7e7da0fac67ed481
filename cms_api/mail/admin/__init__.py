"""The admin of mail, for admins and managers: what was sent to whom, and what mails say."""

from typing import Any

from wagtail import hooks

from .log import LogViewSet
from .words import WordsViewSet

LOG = LogViewSet("mail_log", url_prefix="mail/log")
TEMPLATES = WordsViewSet("mail_templates", url_prefix="mail/templates")


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("mail.resend", "Send mail again", "Sent again")
    actions.register_action("mail.change_words", "Change mail template", "Changed")
    actions.register_action("mail.reset_words", "Reset mail template", "Reset to the default")
