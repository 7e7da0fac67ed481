"""The page of features and settings in the admin."""

from .features import FEATURES

__all__ = ["FEATURES"]
