"""Wagtail's report of who did what, without the records of features that are off: their pages do not exist."""

from typing import Any

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from wagtail.admin.auth import require_admin_access
from wagtail.admin.filters import ContentTypeFilter
from wagtail.admin.views.reports import audit_logging

from cms_api.adminkit.filters import date_range
from cms_api.core import registry
from cms_api.flags.selectors import is_on


def hidden_types() -> QuerySet[ContentType]:
    """Return the kinds of records of features that are off, whose pages do not exist then."""
    labels = []
    for app in apps.get_app_configs():
        module = registry.module_of(app.name)
        if module is not None and not module.admin.ungated_viewsets and module.feature and not is_on(module.feature):
            labels.append(app.label)
    return ContentType.objects.filter(app_label__in=labels)


def _offered_types(request: HttpRequest) -> QuerySet[ContentType]:
    found: QuerySet[ContentType] = audit_logging.get_content_types_for_filter(request.user)
    return found.exclude(pk__in=hidden_types())


class SiteHistoryFilterSet(audit_logging.SiteHistoryReportFilterSet):
    object_type = ContentTypeFilter(label="Type", method="filter_object_type", queryset=_offered_types)
    timestamp = date_range("Date")


class SiteHistoryView(audit_logging.LogEntriesView):
    filterset_class = SiteHistoryFilterSet

    def filter_queryset(self, queryset: Any) -> Any:
        return super().filter_queryset(queryset).exclude(content_type__in=hidden_types())


def _pattern(route: str, **options: Any) -> URLPattern:
    return path(f"admin/reports/site-history/{route}", never_cache(require_admin_access(SiteHistoryView.as_view(**options))))


#: Come before Wagtail's own, whose URLs they have.
wagtail_patterns = [_pattern(""), _pattern("results/", results_only=True)]
