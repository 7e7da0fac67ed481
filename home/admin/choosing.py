"""The chooser of pages: drafts are for those who work with their part of the tree."""

from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from wagtail import hooks
from wagtail.models import Page
from wagtail.permissions import policy_registry


@hooks.register("construct_page_chooser_queryset")
def leave_out_drafts_of_others(pages: Any, request: HttpRequest) -> Any:
    policy = policy_registry.get_by_type(Page)
    theirs = policy.instances_user_has_any_permission_for(request.user, ["add", "change", "publish", "lock", "unlock"])
    return pages.filter(Q(live=True) | Q(pk__in=theirs.order_by().values("pk")))
