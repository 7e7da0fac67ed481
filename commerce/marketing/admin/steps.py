"""Preview and test of a sequence step as an email."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.generic import TemplateView

from cms_api.adminkit.pages import RecordsPage
from cms_api.adminkit.transitions import Transition

from ..models import SequenceStep
from ..services.previews import preview, send_test


def steps() -> QuerySet[SequenceStep]:
    return SequenceStep.objects.select_related("sequence")


class PreviewView(RecordsPage, TemplateView):
    """Shows the email as a subscriber with the user's name would get it."""

    permission_required = None
    any_permission_required = ("view", "change")
    template_name = "marketing_admin/step.html"
    page_title = "Step"
    object: SequenceStep

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.object = get_object_or_404(steps(), pk=kwargs["pk"])

    def get_page_subtitle(self) -> str:
        return str(self.object.position)

    def parents(self) -> list[dict[str, Any]]:
        return [{"url": self.viewset.url(self.object.sequence), "label": self.object.sequence.name}]

    def get_breadcrumb(self) -> str:
        return f"Step {self.object.position}"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        user: Any = self.request.user
        return super().get_context_data(
            **kwargs,
            step=self.object,
            said=preview(step=self.object, to=user.email, first_name=user.first_name, last_name=user.last_name),
            may_change=self.user_has_permission("change"),
        )


#: Sends a step to the user who presses the button.
SEND_TEST = Transition(
    "test",
    "Send test",
    lambda step, user, _: send_test(step=step, to=user.email, first_name=user.first_name, last_name=user.last_name),
    "Step {record.position} is on its way to {user.email}.",
)


def preview_url(step: SequenceStep) -> str:
    return reverse("sequences:preview", args=[step.pk])
