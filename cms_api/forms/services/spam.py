"""What tells spam on the public form: the traps for every visitor. Each form counts by itself, and may ask for links."""

from collections.abc import Mapping
from typing import Any

from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import Limits, Visit

from ..models import Form

LIMITS = Limits()


def stamp(form: Form) -> str:
    """Says, signed, when a page with a form was made."""
    return visitors.stamp(_purpose(form))


def judge(form: Form, visit: Visit, data: Mapping[str, Any]) -> str:
    """Why a valid post is held back; a field that asks for an address may hold one. Raises what `visitors.judge` does."""
    free = (data.get(field.key) for field in form.schema if field.type in ("text", "textarea", "hidden"))
    texts = [value for value in free if isinstance(value, str)]
    return visitors.judge(purpose=_purpose(form), visit=visit, texts=texts, limits=LIMITS)


def _purpose(form: Form) -> str:
    return f"forms:{form.pk}"
