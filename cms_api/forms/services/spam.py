"""Spam detection for public forms: the shared traps. Each form has its own budget, and its URL fields allow links."""

from collections.abc import Mapping
from typing import Any

from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import Limits, Visit

from ..models import Form

LIMITS = Limits()


def stamp(form: Form) -> str:
    """Return a signed timestamp of when a page with the form was rendered."""
    return visitors.stamp(_purpose(form))


def judge(form: Form, visit: Visit, data: Mapping[str, Any]) -> str:
    """Return why a valid post is quarantined; links in URL fields are allowed. Raises what `visitors.judge` does."""
    free = (data.get(field.key) for field in form.schema if field.type in ("text", "textarea", "hidden"))
    texts = [value for value in free if isinstance(value, str)]
    return visitors.judge(purpose=_purpose(form), visit=visit, texts=texts, limits=LIMITS)


def _purpose(form: Form) -> str:
    return f"forms:{form.pk}"
