"""Page types, their rows, the images set for rows, and the theme."""

from .pages import HomePage, LandingPage, RecordTemplate, SitePage, StandardPage
from .rows import PageImage, Row, SharedRow
from .texts import texts_of
from .theme import Theme

__all__ = [
    "HomePage",
    "LandingPage",
    "PageImage",
    "RecordTemplate",
    "Row",
    "SharedRow",
    "SitePage",
    "StandardPage",
    "Theme",
    "texts_of",
]
