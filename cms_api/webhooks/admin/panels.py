"""What the admin's home says of webhooks."""

from typing import Any

from wagtail.admin.ui.components import Component

from cms_api.flags.selectors import is_on

from ..models import Endpoint
from ..selectors import FEATURE
from ..services.endpoints import BY_A_PERSON


class DisabledPanel(Component):
    """Names the endpoints that were disabled because their receivers failed; nothing for whoever is no superuser."""

    name = "disabled_webhooks"
    template_name = "webhooks/home_panel.html"
    order = 90

    class Media:
        css = {"all": ["webhooks/webhooks.css"]}

    def render_html(self, parent_context: Any = None) -> str:
        user = parent_context["request"].user
        if not (user.is_active and user.is_superuser and is_on(FEATURE)):
            return ""
        return super().render_html(parent_context)

    def get_context_data(self, parent_context: Any = None) -> dict[str, Any]:
        disabled = Endpoint.objects.filter(enabled=False).exclude(disabled_at=None).exclude(disabled_reason=BY_A_PERSON)
        return {"endpoints": disabled.order_by("-disabled_at", "-pk")}
