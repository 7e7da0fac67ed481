"""The admin of mail, for admins and managers: the log of sent mails, and the texts of mails."""

from cms_api.adminkit.history import register_log_actions

from .log import LogViewSet
from .templates import TemplateViewSet

LOG = LogViewSet("mail_log", url_prefix="mail/log")
TEMPLATES = TemplateViewSet("mail_templates", url_prefix="mail/templates")

register_log_actions(
    {
        "mail.resend": ("Send mail again", "Sent again"),
        "mail.change_words": ("Change mail template", "Changed"),
        "mail.reset_words": ("Reset mail template", "Reset to the default"),
    }
)
