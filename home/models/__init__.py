"""Page types, the rows they are built of, the pictures set for them, and how all of it looks."""

from .look import SiteLook
from .pages import HomePage, LandingPage, RecordTemplate, SitePage, StandardPage
from .rows import PageImage, Row, SharedRow

__all__ = ["HomePage", "LandingPage", "PageImage", "RecordTemplate", "Row", "SharedRow", "SiteLook", "SitePage", "StandardPage"]
