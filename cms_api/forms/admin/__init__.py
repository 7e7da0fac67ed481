"""Forms and submissions in the admin, for those who may work with records.

Loaded with Wagtail's hooks: so the audit log knows the actions below wherever they are written.
"""

from typing import Any

from wagtail import hooks
from wagtail.admin.viewsets.model import ModelViewSetGroup

from .forms import FormViewSet
from .submissions import SubmissionViewSet


class FormsGroup(ModelViewSetGroup):
    menu_label = "Forms"
    menu_icon = "form"
    items = (FormViewSet, SubmissionViewSet)


FORMS = FormsGroup()


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("forms.release", "Release submission", "Released from quarantine")
    actions.register_action("forms.mark_as_spam", "Mark submission as spam", "Marked as spam")


__all__ = ["FORMS"]
