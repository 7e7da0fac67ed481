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

#: Contact owners: accounts that cannot sign in.
STAFF = (("robin.vale@example.com", "Robin", "Vale"), ("samira.okoro@example.com", "Samira", "Okoro"))

COMPANIES: Mapping[str, tuple[str, str]] = {
    "Reyes Ceramics, Inc.": ("https://reyes-ceramics.example.com/", "Fires with us on Tuesdays."),
    "Brass on the Water": ("https://example.com/brass", ""),
    "Hale & Sons Ltd": ("", "Sends invoices late, pays promptly."),
    "Nordlicht GmbH": ("https://nordlicht.example.com/", ""),
    "Town Library": ("", ""),
}

PastActivity = tuple[int, ActivityKind, str]

#: Email, first and last name, lifecycle, company, and other columns.
CONTACTS: Sequence[tuple[str, str, str, Lifecycle, str, Mapping[str, Any]]] = (
    ("dana.reyes@example.com", "Dana", "Reyes", Lifecycle.CUSTOMER, "Reyes Ceramics, Inc.",
     {"phone": "+1 802 555 0142", "job_title": "Owner", "tags": ["ceramics", "weddings"], "source": "form",
      "street": "14 Canal Street", "city": "Brattleboro", "state": "VT", "postal_code": "05301", "country": "US",
      "notes": "Prefers email. Allergic to nuts."}),
    ("dana@reyes-ceramics.example.com", "Dana", "Reyes", Lifecycle.LEAD, "Reyes Ceramics, Inc.",
     {"phone": "+1 (802) 555-0142", "source": "import", "tags": ["newsletter"]}),
    ("omer@example.com", "Ömer", "Güneş", Lifecycle.LEAD, "", {"source": "form", "country": "TR", "city": "İzmir"}),
    ("ruth@example.com", "Ruth", "Adeyemi", Lifecycle.PROSPECT, "", {"source": "api", "tags": ["umbrella"]}),
    ("priya@example.com", "Priya", "Nair", Lifecycle.PROSPECT, "",
     {"phone": "+44 1632 960123", "source": "form", "tags": ["weddings"], "country": "GB", "city": "Leeds"}),
    ("tom@example.com", "Tom", "Hale", Lifecycle.CUSTOMER, "Hale & Sons Ltd",
     {"job_title": "Director", "source": "import", "country": "GB", "street": "2 Mill Lane", "city": "Hebden Bridge"}),
    ("ida@example.com", "Ida", "Hale", Lifecycle.CUSTOMER, "Hale & Sons Ltd", {"job_title": "Bookkeeper", "source": "admin"}),
    ("lena@example.com", "Lena", "Brandt", Lifecycle.CUSTOMER, "Nordlicht GmbH",
     {"phone": "+49 30 901820", "source": "form", "country": "DE", "city": "Berlin", "tags": ["dog", "garden"]}),
    ("jonas@example.com", "Jonas", "Weiß", Lifecycle.PARTNER, "Nordlicht GmbH",
     {"job_title": "Lighting designer", "source": "admin", "country": "DE", "tags": ["stage"]}),
    ("mei@example.com", "Mei", "Tanaka", Lifecycle.PARTNER, "Brass on the Water",
     {"job_title": "Band leader", "source": "admin", "tags": ["music", "stage"], "country": "JP"}),
    ("ngozi@example.com", "Ngozi", "Eze", Lifecycle.PARTNER, "Town Library",
     {"job_title": "Head of programme", "source": "import", "phone": "+44 1632 960456", "tags": ["readings"]}),
    ("claire@example.com", "Claire", "Dubois", Lifecycle.LEAD, "", {"source": "api", "country": "FR", "city": "Lyon"}),
    ("viktor@example.com", "Viktor", "Novák", Lifecycle.LEAD, "", {"source": "import", "country": "CZ"}),
    ("hello@brass.example.com", "", "", Lifecycle.LEAD, "Brass on the Water", {"source": "form"}),
    ("aisha@example.com", "Aisha", "Rahman", Lifecycle.PROSPECT, "Town Library",
     {"source": "form", "tags": ["readings", "school classes"], "country": "GB"}),
    ("pedro@example.com", "Pedro", "Lima", Lifecycle.INACTIVE, "", {"source": "import", "country": "PT"}),
    ("greta@example.com", "Greta", "Olsen", Lifecycle.INACTIVE, "", {"source": "form", "notes": "Moved away in spring."}),
    ("walter@example.com", "Walter", "Finch", Lifecycle.INACTIVE, "Hale & Sons Ltd", {"source": "import"}),
)  # fmt: skip

#: By email: days ago, kind and text; a note may be longer than its summary.
ACTIVITIES: Mapping[str, Sequence[PastActivity]] = {
    "dana.reyes@example.com": (
        (40, ActivityKind.NOTE, "Met at the open day.\n\nLooking for a kiln that's free on weekdays, and for help "
         "carrying boxes upstairs."),
        (33, ActivityKind.BOOKING, "Tour of the studios, 30 minutes"),
        (30, ActivityKind.MAIL, "Your visit on Thursday"),
        (21, ActivityKind.ORDER, "Order ORD-1004: two bags of clay"),
        (20, ActivityKind.INVOICE, "Invoice INV-1002 sent"),
        (12, ActivityKind.INVOICE, "Invoice INV-1002 paid"),
        (5, ActivityKind.SUBSCRIPTION, "Subscribed to the newsletter"),
        (1, ActivityKind.FORM, "Contact us"),
    ),
    "omer@example.com": ((3, ActivityKind.FORM, "Contact us"), (2, ActivityKind.NOTE, "Called back, will write in spring.")),
    "ruth@example.com": ((5, ActivityKind.FORM, "Contact us"), (4, ActivityKind.SUPPORT, "SUP-1001: Lost umbrella")),
    "priya@example.com": ((1, ActivityKind.FORM, "Hire a room"),),
    "tom@example.com": (
        (60, ActivityKind.DONATION, "Donated 50.00 USD for the new roof"),
        (8, ActivityKind.FORM, "Hire a room"),
        (6, ActivityKind.TICKET, "2 tickets for Choir on Thursdays"),
    ),
    "lena@example.com": (
        (12, ActivityKind.FORM, "Hire a room"),
        (10, ActivityKind.MEMBERSHIP, "Became a member"),
        (9, ActivityKind.PROJECT, "Project “Light for the garden” planned"),
    ),
    "jonas@example.com": ((15, ActivityKind.NOTE, "Brings his own ladders."),),
    "mei@example.com": ((25, ActivityKind.MAIL, "The stage in June"), (24, ActivityKind.NOTE, "Needs twelve chairs.")),
}  # fmt: skip

FIRST_NAMES = ("Ada", "Ben", "Chen", "Dina", "Emil", "Fatou", "Goran", "Hana", "Ivo", "Jana", "Kofi", "Lucía", "Marek", "Nadia")
LAST_NAMES = ("Abel", "Berg", "Costa", "Duarte", "Engel", "Fischer", "Grant", "Horvat", "Ito", "Jensen", "Kaya", "Lopez")
COUNTRIES = ("GB", "DE", "FR", "US", "PL", "JP")
SOURCES = ("form", "api", "import", "admin")
TAGS = ("newsletter", "weddings", "ceramics", "music", "school classes", "volunteer")


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the demo contacts; `progress` is called with the number of contacts created."""
    team = _make_staff()
    _make_rules(team)
    _make_companies()
    made = _make_contacts([_build_named(row, team) for row in CONTACTS])
    _record_activities(made, team)
    progress(len(made))
    wanted = (scale - 1) * BULK_CONTACTS
    for start in range(0, wanted, BATCH):
        progress(len(_make_contacts([_build_numbered(number, team) for number in range(start, min(start + BATCH, wanted))])))


def _make_staff() -> list[User]:
    """Create the staff who may be assigned contacts."""
    users: Any = get_user_model()._default_manager
    found = []
    for address, first, last in STAFF:
        names = {"email": address, "first_name": first, "last_name": last, "is_staff": True}
        user, is_new = users.get_or_create(username=address, defaults=names)
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
    rules = (
        {"name": "British enquiries", "position": 10, "countries": ["GB", "United Kingdom"], "sources": [], "assignees": ids[:1]},
        {"name": "All other enquiries", "position": 20, "countries": [], "sources": ["form", "api"], "assignees": ids},
    )
    for values in rules:
        if values["assignees"] and not AssignmentRule.objects.filter(name=values["name"]).exists():
            save_rule(values={**values, "enabled": True})


@transaction.atomic
def _make_companies() -> None:
    made = [company for company in resolve_companies(COMPANIES).values() if not (company.website or company.notes)]
    for company in made:
        company.website, company.notes = COMPANIES.get(company.name, ("", ""))
    Company.objects.bulk_update(made, ["website", "notes"])


def _build_named(row: tuple[str, str, str, Lifecycle, str, Mapping[str, Any]], team: Sequence[User]) -> dict[str, Any]:
    email, first, last, lifecycle, company, more = row
    number = [each[0] for each in CONTACTS].index(email)
    return {
        **more,
        "email": email,
        "first_name": first,
        "last_name": last,
        "lifecycle": lifecycle,
        "company": company,
        "assigned_to": (*team, None)[number % 3],
        "created_at": _moment(90 - 3 * number),
    }


def _build_numbered(number: int, team: Sequence[User]) -> dict[str, Any]:
    """Return a bulk contact, always the same for the same number."""
    return {
        "email": BULK_ADDRESS.format(number),
        "first_name": FIRST_NAMES[number % len(FIRST_NAMES)],
        # Makes names unique within a company.
        "last_name": f"{LAST_NAMES[number // 7 % len(LAST_NAMES)]} {number}",
        "phone": f"+44 1632 {number:07}",
        "lifecycle": Lifecycle.values[number % 5],
        "company": f"Demo company {number // 2 % BULK_COMPANIES + 1}" if number % 2 else "",
        "country": COUNTRIES[number % len(COUNTRIES)],
        "source": SOURCES[number % len(SOURCES)],
        "tags": list({TAGS[number % 6]: 0, TAGS[number // 6 % 6]: 0})[: number % 3],
        "assigned_to": (*team, None)[number % 3],
        "created_at": _moment(100 + number // 20, number % 20),
    }


def _moment(days: int, hours: int = 0) -> datetime:
    return timezone.now().replace(hour=9, minute=0, second=0, microsecond=0) - timedelta(days=days, hours=hours)


@transaction.atomic
def _make_contacts(rows: Sequence[Mapping[str, Any]]) -> list[Contact]:
    """Create the contacts whose addresses do not exist yet."""
    existing = set(Contact.objects.filter(email__in=[row["email"] for row in rows]).values_list("email", flat=True))
    missing = [row for row in rows if row["email"] not in existing]
    companies = resolve_companies([row["company"] for row in missing if row["company"]])
    made = [Contact(**{**row, "company": companies.get(row["company"])}, updated_at=row["created_at"]) for row in missing]
    Contact.objects.bulk_create(made, batch_size=BATCH)
    index_contacts(made)
    return made


@transaction.atomic
def _record_activities(contacts: Sequence[Contact], team: Sequence[User]) -> None:
    """Create timelines for the new contacts."""
    lines = []
    for contact in contacts:
        for days, kind, text in ACTIVITIES.get(contact.email, ()):
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
