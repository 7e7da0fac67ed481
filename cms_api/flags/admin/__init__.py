"""The page of features and settings, and what other modules' pages in the admin are gated by."""

from .features import FEATURES

__all__ = ["FEATURES"]
