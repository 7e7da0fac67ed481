"""API tokens in the admin: create with a one-time reveal, inspect, revoke. None is edited or deleted."""

from collections import defaultdict
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from wagtail.admin.panels import FieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.permissions import register_permission_policy

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn, local_date, person
from cms_api.adminkit.permissions import AdminsOnly
from cms_api.adminkit.reveal import RevealAddView
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.flags.selectors import first_paths

from ..models import ApiToken, ApiTokenQuerySet
from ..selectors import restriction_of
from ..services.tokens import create_token, revoke_token
from .forms import TokenForm

SHOWN_MODULES = 3
ABANDONED = "The token still works. Revoke it unless somebody answers for it."
STATES = ("active", "expired", "revoked")

register_permission_policy(ApiToken, AdminsOnly(ApiToken))


def shorten(token: ApiToken) -> str:
    """Return the part of a token that may be shown after it has been revealed."""
    return f"…{token.last_four}"


def summary(token: ApiToken) -> str:
    """Return the abilities on one line: `content (read, write), media (read) and 4 more`, or the restriction."""
    if restriction := restriction_label(token):
        return restriction
    verbs: dict[str, list[str]] = defaultdict(list)
    for ability in token.abilities:
        module, _, verb = ability.partition(":")
        verbs[module].append(verb)
    words = [f"{module} ({', '.join(found)})" for module, found in verbs.items()]
    more = len(words) - SHOWN_MODULES
    return ", ".join(words[:SHOWN_MODULES]) + (f" and {more} more" if more > 0 else "")


def restriction_label(token: ApiToken) -> str:
    """Return what a token is restricted to, if it is: `Ticket scanner for “Midsummer quartet” only`."""
    if not token.restriction:
        return ""
    declared = restriction_of(token)
    title = declared.title if declared else token.restriction
    return f"{title} for “{token.scope_title}” only" if token.scope_id is not None else title


def in_state(tokens: ApiTokenQuerySet, name: str, state: str) -> ApiTokenQuerySet:
    if state == "active":
        return tokens.usable()
    if state == "revoked":
        return tokens.exclude(revoked_at=None)
    return tokens.filter(revoked_at=None, expires_at__lte=timezone.now())


def of_creator(tokens: ApiTokenQuerySet, name: str, creator: str) -> ApiTokenQuerySet:
    return tokens.filter_abandoned()


def creator(token: ApiToken) -> str:
    """Return who created a token; empty for a command."""
    return person(token.created_by) or token.creator_name


def revoke_warning(token: ApiToken) -> str:
    used = f"last used on {local_date(token.last_used_at)}" if token.last_used_at else "never used"
    return f"Integrations that use this token are refused from the next request on. This cannot be undone. It was {used}."


class TokenViewSet(RecordViewSet):
    model = ApiToken
    icon = "key"
    menu_label = "API tokens"
    pages = ("add", "inspect", "history")
    search_fields = ["name"]
    list_display = (
        RecordColumn("name", label="Name"),
        Column("last_four", label="Token", accessor=shorten, classname="w-whitespace-nowrap"),
        Column("abilities", accessor=summary),
        NotedColumn("created_by", label="Created by", accessor=creator, note=lambda token: token.creator_is_gone.capitalize()),
        MomentColumn("created_at", label="Created"),
        MomentColumn("last_used_at", label="Last used", empty="Never"),
        MomentColumn("expires_at", label="Expires", empty="Never"),
        StatusColumn("state", accessor=lambda token: token.state.capitalize(), primary=lambda token: token.state == "active"),
    )
    filters = {
        "creator": filters.choice([("gone", "No longer an admin")], label="Creator", method=of_creator),
        "state": filters.choice([(state, state.capitalize()) for state in STATES], label="State", method=in_state),
    }
    form = TokenForm
    panels = (
        FieldPanel("name", help_text="For example the integration that will use it."),
        FieldPanel("expires"),
        FieldPanel("restriction"),
        FieldPanel("abilities"),
    )
    add_view_class = RevealAddView
    secret_template_name = "tokens/secret.html"
    transitions = (
        Transition(
            "revoke",
            "Revoke",
            calling(revoke_token, "token"),
            "API token “{record}” revoked.",
            "The token was already revoked.",
            offered=lambda token: token.revoked_at is None,
            serious=True,
            confirm=revoke_warning,
        ),
    )

    def records(self) -> QuerySet[ApiToken]:
        return ApiToken.objects.select_related("created_by")

    def create(self, values: dict[str, Any], user: Any) -> ApiToken:
        token, plaintext = create_token(
            name=values["name"],
            abilities=values["abilities"],
            lifetime=values["expires"],
            restriction=values["restriction"],
            user=user,
        )
        token.plaintext = plaintext
        return token

    def secret_context(self, record: ApiToken) -> dict[str, Any]:
        path = next((path for ability, path in first_paths().items() if ability in record.abilities), "")
        address = f"{settings.BASE_URL}/api/v1/{path}".rstrip("/")
        return {"first_request": f'curl -H "Authorization: Bearer {record.plaintext}" {address}'}

    def facts(self, record: ApiToken) -> dict[str, Any]:
        declared = restriction_of(record)
        return {
            "Name": record.name,
            "Token": shorten(record),
            "State": record.state.capitalize(),
            "Abilities": ", ".join(record.abilities),
            "Restriction": restriction_label(record) or "None",
            **({"A restricted token": declared.summary} if declared else {}),
            "Created by": creator(record) or "Command line",
            **({"Creator": f"{record.creator_is_gone.capitalize()}. {ABANDONED}"} if record.creator_is_gone else {}),
            "Created": record.created_at,
            "Last used": record.last_used_at or "Never",
            "Expires": record.expires_at or "Never",
            "Revoked": record.revoked_at or "No",
        }
