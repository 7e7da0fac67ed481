"""The refusals of services."""

from typing import Any

import pytest

from cms_api.core.errors import Invalid


def refused(action: Any, *args: Any, **options: Any) -> dict[str, list[str]]:
    """Call a service that refuses; return its sentences by path."""
    with pytest.raises(Invalid) as refusal:
        action(*args, **options)
    return dict(refusal.value.errors)
