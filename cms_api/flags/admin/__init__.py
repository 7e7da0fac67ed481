"""The admin page of features and settings."""

from .features import FEATURES

__all__ = ["FEATURES"]
