"""The admin of analytics, for admins and managers."""

from django.urls import URLPattern, path

from cms_api.adminkit.viewset import RecordViewSet

from ..models import RollUp
from .dashboard import DashboardView, LiveView, TableView


class AnalyticsViewSet(RecordViewSet):
    """The dashboard, instead of a list of records."""

    model = RollUp
    icon = "view"
    menu_label = "Analytics"
    pages = ()

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.construct_view(DashboardView), name="index"),
            path("live/", self.construct_view(LiveView), name="live"),
            path("tables/<slug:table>/", self.construct_view(TableView), name="table"),
        ]


DASHBOARD = AnalyticsViewSet("analytics", url_prefix="analytics")
