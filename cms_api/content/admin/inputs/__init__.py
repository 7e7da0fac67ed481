"""The form inputs of all field types."""

# Each of these modules puts its inputs into the registry as it is imported.
from . import choices, dates, pickers, places, plain, richtext  # noqa: F401
from .base import INPUTS, Input, fits

__all__ = ["INPUTS", "Input", "fits"]
