"""The chooser and the mover of pages: drafts are for those who work with their part; what a feature hides is for nobody."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from wagtail import hooks
from wagtail.admin import messages
from wagtail.models import Page
from wagtail.permissions import policy_registry

from cms_api.content.services.addresses import address_taken_message, find_address_owner

from ..selectors import hidden_templates, is_home


@hooks.register("construct_page_chooser_queryset")
def leave_out_drafts_of_others(pages: Any, request: HttpRequest) -> Any:
    policy = policy_registry.get_by_type(Page)
    theirs = policy.instances_user_has_any_permission_for(request.user, ["add", "change", "publish", "lock", "unlock"])
    return pages.filter(Q(live=True) | Q(pk__in=theirs.order_by().values("pk")))


@hooks.register("construct_page_chooser_queryset")
def leave_out_hidden_templates(pages: Any, request: HttpRequest) -> Any:
    return pages.exclude(pk__in=hidden_templates())


@hooks.register("before_move_page")
def refuse_to_show_what_may_not_be_moved(request: HttpRequest, page: Page, destination: Page) -> HttpResponse | None:
    """Refuse the page that asks whether to move a page, which has its title, as Wagtail refuses the move itself.

    Nor may a page get an address that something else has.
    """
    if not page.permissions_for_user(request.user).can_move():
        raise PermissionDenied
    if is_home(destination) and (owner := find_address_owner(page.slug, besides_pages=True)):
        messages.error(request, address_taken_message(page.slug, owner))
        return redirect("wagtailadmin_pages:move", page.pk)
    return None
