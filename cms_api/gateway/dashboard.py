"""The admin's home: needs attention, coming up, recently changed, and the first steps of a new site.

Cards and steps come from the modules' declarations; see `adminkit.cards`.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.urls import reverse
from django.utils import timezone
from django.utils.timesince import timeuntil
from wagtail.admin.ui.components import Component
from wagtail.admin.views.home import LockedPagesPanel, UserObjectsInWorkflowModerationPanel, WorkflowObjectsToModeratePanel
from wagtail.users.models import UserProfile

from cms_api.adminkit.cards import Card, Kind, Step, call_permitted
from cms_api.core import registry
from cms_api.core.module import MENU_GROUPS, Module
from cms_api.flags.selectors import get_setting, is_on

#: Entries per list.
SHOWN_CARDS = 8
#: Wagtail panels to keep; each is empty unless it has something to show.
WAGTAIL_PANELS = (WorkflowObjectsToModeratePanel, UserObjectsInWorkflowModerationPanel, LockedPagesPanel)
#: The name under which Wagtail stores for each user that the first steps were dismissed.
DISMISSIBLE = "first-steps"

_GROUPS = [group.name for group in MENU_GROUPS]


def _modules() -> list[Module]:
    """Return the enabled modules in menu order."""
    found = [module for module in registry.modules() if is_on(module.feature)]
    return sorted(found, key=_menu_place)


def _menu_place(module: Module) -> tuple[int, int]:
    group = module.admin.menu_group
    return _GROUPS.index(group) if group else -1, module.admin.menu_order


def cards(request: HttpRequest) -> list[Card]:
    """Return the modules' cards for a user: urgent ones first, then by order, then in menu order."""
    found: list[Card] = []
    for module in _modules():
        for made in call_permitted(request, module.admin.cards):
            found += [made] if isinstance(made, Card) else made or ()
    return sorted(found, key=lambda card: (not card.urgent, card.order))


def steps(request: HttpRequest) -> list[Step]:
    """Return the first steps that the user may take; empty once all are done or the list is dismissed."""
    profile = UserProfile.objects.filter(user=request.user.pk).first()
    if profile and profile.dismissibles.get(DISMISSIBLE):
        return []
    made = (step for module in _modules() for step in call_permitted(request, module.admin.first_steps))
    found = sorted((step for step in made if step), key=lambda step: step.order)
    return [] if all(step.done for step in found) else found


def switch_features_on(request: HttpRequest) -> Step:
    return Step(
        "Switch on the features you need",
        reverse("features:index"),
        "Events, contacts, members and more. Features that are off stay out of the way.",
        done=any(is_on(name) for name in registry.features()),
        order=30,
    )


def invite_editor(request: HttpRequest) -> Step:
    user: Any = request.user
    return Step(
        "Invite an editor",
        reverse("wagtailusers_users:add"),
        "Give colleagues their own accounts, with a role that fits their work.",
        done=get_user_model()._default_manager.filter(is_staff=True, is_active=True).exclude(pk=user.pk).exists(),
        order=60,
    )


class Panel(Component):
    """A part of the home; `name` is its template."""

    name = ""
    order = 0

    class Media:
        css = {"all": ["gateway/home.css"]}

    def __init__(self, **context: Any) -> None:
        self.context = context

    @property
    def template_name(self) -> str:
        return f"gateway/home/{self.name}.html"

    def get_context_data(self, parent_context: Any = None) -> dict[str, Any]:
        request = parent_context["request"]
        # Wagtail renders panels without context processors.
        return {**self.context, "request": request, "csrf_token": get_token(request)}


class Header(Panel):
    name = "header"


class FirstSteps(Panel):
    name = "first_steps"


class Attention(Panel):
    name = "attention"


class Figures(Panel):
    name = "figures"


class Upcoming(Panel):
    name = "upcoming"


class RecentlyChanged(Panel):
    name = "recently_changed"


def arrange_panels(request: HttpRequest, panels: list[Any]) -> None:
    """Replace Wagtail's panels with the home's, except for `WAGTAIL_PANELS`: a `construct_homepage_panels` hook."""
    kept = [panel for panel in panels if isinstance(panel, WAGTAIL_PANELS)]
    panels[:] = [*_panels(request), *kept]
    for order, panel in enumerate(panels):
        panel.order = order


def _panels(request: HttpRequest) -> Iterator[Panel]:
    found = cards(request)
    by_kind = {kind: [card for card in found if card.kind == kind and card.count] for kind in Kind}
    first = steps(request)
    yield Header(site_name=get_setting("site.name"), create=by_kind[Kind.CREATE])
    if first:
        yield FirstSteps(steps=first, done=sum(step.done for step in first), dismissible=DISMISSIBLE)
    yield Attention(cards=by_kind[Kind.ATTENTION])
    if by_kind[Kind.FIGURE]:
        yield Figures(cards=by_kind[Kind.FIGURE])
    yield Upcoming(cards=[(card, _until(card.at)) for card in _by_time(by_kind[Kind.UPCOMING])[:SHOWN_CARDS]])
    yield RecentlyChanged(cards=_by_time(by_kind[Kind.CHANGED])[: -SHOWN_CARDS - 1 : -1])


def _by_time(timed: list[Card]) -> list[Card]:
    return sorted(timed, key=lambda card: card.at or timezone.now())


def _until(moment: datetime | None) -> str:
    """Return the time until then in one unit: "in 3 days"."""
    if moment is None:
        return ""
    now = timezone.now()
    return f"in {timeuntil(moment, now, depth=1)}" if moment - now > timedelta(minutes=1) else "now"
