"""Preview and test of a sequence step as an email."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.generic import TemplateView
from wagtail.admin.views.generic import PermissionCheckedMixin, WagtailAdminTemplateMixin
from wagtail.permissions import policy_registry

from cms_api.adminkit.transitions import Transition

from ..models import Sequence, SequenceStep
from ..services.previews import preview, send_test


def steps() -> QuerySet[SequenceStep]:
    return SequenceStep.objects.select_related("sequence")


class PreviewView(PermissionCheckedMixin, WagtailAdminTemplateMixin, TemplateView):
    """Shows the email as a subscriber with the user's name would get it."""

    permission_policy = policy_registry.get_by_type(Sequence)
    any_permission_required = ("view", "change")
    template_name = "marketing_admin/step.html"
    page_title = "Step"
    header_icon = "mail"
    object: SequenceStep

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.object = get_object_or_404(steps(), pk=kwargs["pk"])

    def get_page_subtitle(self) -> str:
        return str(self.object.position)

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        sequence = self.object.sequence
        return [
            *self.breadcrumbs_items,
            {"url": reverse("sequences:index"), "label": "Sequences"},
            {"url": reverse("sequences:inspect", args=[sequence.pk]), "label": sequence.name},
            {"url": "", "label": f"Step {self.object.position}"},
        ]

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
