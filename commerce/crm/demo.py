"""Demo contacts of every lifecycle with timelines, companies and assignment rules, including a pair of duplicates.

Contacts are matched by email and rules by name, so loading again only adds what is missing. No events are emitted and no emails
sent.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.utils import timezone

from cms_api.core.demo import data_beside, missing, pick
from cms_api.forms.selectors import first_submission_from
from cms_api.gateway.roles import MANAGER, create_roles
from commerce.common.services import BATCH

from .models import Activity, AssignmentRule, Company, Contact
from .selectors import staff
from .services.companies import resolve_companies
from .services.index import index_contacts
from .services.rules import save_rule
from .types import ActivityKind, Lifecycle

#: Contacts added per further unit of scale.
BULK_CONTACTS = 500
BULK_COMPANIES = 40
BULK_ADDRESS = "guest{}@example.com"

DATA = data_beside(__file__)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the demo contacts; `progress` is called with the number of contacts created."""
    team = _make_staff()
    _make_rules(team)
    _make_companies()
    made = _make_contacts([_build_named(number, row, team) for number, row in enumerate(DATA["contacts"])])
    _record_activities(made, team)
    progress(len(made))
    wanted = (scale - 1) * BULK_CONTACTS
    for start in range(0, wanted, BATCH):
        progress(len(_make_contacts([_build_numbered(number, team) for number in range(start, min(start + BATCH, wanted))])))


def _make_staff() -> list[User]:
    """Create the staff who may be assigned contacts."""
    users: Any = get_user_model()._default_manager
    found = []
    for person in DATA["staff"]:
        user, is_new = users.get_or_create(username=person["email"], defaults={**person, "is_staff": True})
        if is_new:
            user.set_unusable_password()
            user.save(update_fields=["password"])
            if not Group.objects.filter(name=MANAGER).exists():
                create_roles()
            user.groups.set(Group.objects.filter(name=MANAGER))
        found.append(user)
    return found


def _make_rules(team: Sequence[User]) -> None:
    may = set(staff().values_list("pk", flat=True))
    ids = [user.pk for user in team if user.pk in may]
    for place, rule in missing(DATA["rules"], AssignmentRule.objects, "name"):
        assignees = ids[:1] if place == 0 else ids
        if assignees:
            save_rule(values={**rule, "assignees": assignees, "enabled": True})


@transaction.atomic
def _make_companies() -> None:
    given = {company["name"]: company for company in DATA["companies"]}
    made = [company for company in resolve_companies(given).values() if not (company.website or company.notes)]
    for company in made:
        if company.name in given:
            company.website, company.notes = given[company.name]["website"], given[company.name]["notes"]
    Company.objects.bulk_update(made, ["website", "notes"])


def _build_named(number: int, row: Mapping[str, Any], team: Sequence[User]) -> dict[str, Any]:
    named = {name: value for name, value in row.items() if name != "activities"}
    return {**named, "assigned_to": (*team, None)[number % 3], "created_at": _moment(90 - 3 * number)}


def _build_numbered(number: int, team: Sequence[User]) -> dict[str, Any]:
    """Return a bulk contact, always the same for the same number."""
    bulk = DATA["bulk"]
    return {
        "email": BULK_ADDRESS.format(number),
        "first_name": pick(bulk["first_names"], number),
        # Makes names unique within a company.
        "last_name": f"{pick(bulk['last_names'], number // 7)} {number}",
        "phone": f"+44 1632 {number:07}",
        "lifecycle": Lifecycle.values[number % 5],
        "company": f"Demo company {number // 2 % BULK_COMPANIES + 1}" if number % 2 else "",
        "country": pick(bulk["countries"], number),
        "source": pick(bulk["sources"], number),
        "tags": list({pick(bulk["tags"], number): 0, pick(bulk["tags"], number // 6): 0})[: number % 3],
        "assigned_to": (*team, None)[number % 3],
        "created_at": _moment(100 + number // 20, number % 20),
    }


def _moment(days: int, hours: int = 0) -> datetime:
    return timezone.now().replace(hour=9, minute=0, second=0, microsecond=0) - timedelta(days=days, hours=hours)


@transaction.atomic
def _make_contacts(rows: Sequence[Mapping[str, Any]]) -> list[Contact]:
    """Create the contacts whose addresses do not exist yet."""
    emails = [row["email"] for row in rows]
    new = [row for _, row in missing(rows, Contact.objects.filter(email__in=emails), "email")]
    companies = resolve_companies([row["company"] for row in new if row.get("company")])
    made = [Contact(**{**row, "company": companies.get(row.get("company", ""))}, updated_at=row["created_at"]) for row in new]
    Contact.objects.bulk_create(made, batch_size=BATCH)
    index_contacts(made)
    return made


@transaction.atomic
def _record_activities(contacts: Sequence[Contact], team: Sequence[User]) -> None:
    """Create timelines for the new contacts."""
    activities = {row["email"]: row.get("activities", ()) for row in DATA["contacts"]}
    lines = []
    for contact in contacts:
        for row in activities[contact.email]:
            days, kind, text = row["days_ago"], row["kind"], row["summary"]
            reference, link = _submission(contact.email) if kind == ActivityKind.FORM else ("", "")
            is_note = kind == ActivityKind.NOTE
            lines.append(
                Activity(
                    contact=contact,
                    kind=kind,
                    summary=" ".join(text.split()),
                    body=text if is_note else "",
                    reference=reference,
                    link=link,
                    user=team[days % len(team)] if is_note else None,
                    happened_at=_moment(days),
                )
            )
            contact.last_activity_at = max(filter(None, (contact.last_activity_at, _moment(days))))
    Activity.objects.bulk_create(lines)
    Contact.objects.bulk_update(contacts, ["last_activity_at"])


def _submission(email: str) -> tuple[str, str]:
    """Return the timeline reference and link of the form submission sent from an address; both empty if there is none."""
    found = first_submission_from(email)
    return (f"form:{found.pk}", f"/admin/forms/submissions/inspect/{found.pk}/") if found else ("", "")
