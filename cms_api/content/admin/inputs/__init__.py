"""The form inputs of all field types."""

# Importing each of these modules registers its inputs.
from . import choices, dates, pickers, places, plain, richtext  # noqa: F401
from .base import INPUTS, Input, fits

__all__ = ["INPUTS", "Input", "fits"]
