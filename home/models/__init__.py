"""Page types, their rows, the images set for rows, and the theme."""

from .look import SiteLook
from .pages import HomePage, LandingPage, RecordTemplate, SitePage, StandardPage
from .rows import PageImage, Row, SharedRow

__all__ = ["HomePage", "LandingPage", "PageImage", "RecordTemplate", "Row", "SharedRow", "SiteLook", "SitePage", "StandardPage"]
