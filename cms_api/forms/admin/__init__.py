"""Forms and submissions in the admin, for people with access to records."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions

from .forms import FormViewSet
from .submissions import SubmissionViewSet


class FormsGroup(ModelViewSetGroup):
    menu_label = "Forms"
    menu_icon = "form"
    items = (FormViewSet, SubmissionViewSet)


FORMS = FormsGroup()

register_log_actions(
    {
        "forms.release": ("Release submission", "Released from quarantine"),
        "forms.mark_as_spam": ("Mark submission as spam", "Marked as spam"),
    }
)
