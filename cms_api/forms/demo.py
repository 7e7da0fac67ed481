"""Demo forms with submissions: one with every field type, a short one, and one that stores no submissions.

Forms are recognised by their slugs, so that loading again adds only what is missing. No notifications are sent.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.utils import timezone

from .models import Attachment, Form, Submission
from .services.forms import save_form
from .types import Source


def _field(key: str, label: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "label": label, "type": kind, **more}


CONTACT = {
    "name": "Contact us",
    "description": "Questions, ideas, lost umbrellas: we read everything and reply within two days.",
    "success_message": "Thank you for your message. We'll reply within two days.",
    "submit_label": "Send message",
    "fields": [
        _field("name", "Your name", "text", required=True),
        _field("email", "Your email address", "email", required=True, help_text="So that we can reply."),
        _field(
            "topic", "What is it about?", "select", required=True, options=["Courses", "Rooms", "Membership", "Something else"]
        ),
        _field("message", "Your message", "textarea", required=True),
    ],
}
HIRE = {
    "name": "Hire a room",
    "description": "Tell us what you have in mind. The studios are often free at short notice; the hall books up early.",
    "success_message": "Thank you. We'll check our calendar and get back to you.",
    "submit_label": "Send request",
    "fields": [
        _field("name", "Your name", "text", required=True),
        _field("email", "Your email address", "email", required=True),
        _field("phone", "Phone", "phone", help_text="If you'd rather we called."),
        _field("website", "Your group's website", "url"),
        _field("room", "Room", "select", required=True, options=["Great hall", "Studio", "Garden"]),
        _field("occasion", "Type of event", "radio", required=True, options=["Wedding", "Concert", "Meeting"]),
        _field("day", "Date", "date", required=True),
        _field("guests", "Number of guests", "number", required=True),
        _field("extras", "What do you need?", "checkboxes", options=["Catering", "Piano", "Projector"]),
        _field("plan", "Seating plan", "file", help_text="An image or a document."),
        _field("message", "Anything else?", "textarea"),
        _field("terms", "I've read the house rules", "checkbox", required=True),
        _field("campaign", "Campaign", "hidden", default="website"),
    ],
}
CALL_BACK = {
    "name": "Call me back",
    "description": "Leave your number and we'll call you. We don't store your details.",
    "store_submissions": False,
    "submit_label": "Call me",
    "fields": [
        _field("name", "Your name", "text", required=True),
        _field("phone", "Your phone number", "phone", required=True),
        _field("time", "When should we call?", "radio", options=["Morning", "Afternoon", "Evening"]),
    ],
}
FORMS: Mapping[str, Mapping[str, Any]] = {"contact": CONTACT, "hire-a-room": HIRE, "call-me-back": CALL_BACK}

_HIRED: dict[str, Any] = {
    "phone": None,
    "website": None,
    "extras": [],
    "plan": None,
    "message": None,
    "terms": True,
    "campaign": "website",
}

#: By form: age in days, source, spam reason and values.
SUBMISSIONS: Mapping[str, Sequence[tuple[int, Source, str, dict[str, Any]]]] = {
    "contact": [
        (1, Source.SITE, "", {"name": "Dana Reyes", "email": "dana.reyes@example.com", "topic": "Courses",
         "message": "Are there any places left on the bookbinding course?"}),
        (3, Source.SITE, "", {"name": "Ömer Güneş", "email": "omer@example.com", "topic": "Membership",
         "message": "How do I get a key?\nAnd do I get a shelf too?"}),
        (5, Source.API, "", {"name": "Ruth Adeyemi", "email": "ruth@example.com", "topic": "Something else",
         "message": "I left a blue umbrella by the looms."}),
        (2, Source.SITE, "Contains more than 3 links.", {"name": "SEO Team", "email": "rank@spam.example", "topic": "Courses",
         "message": "http://spam.example/1 http://spam.example/2 http://spam.example/3 http://spam.example/4"}),
        (4, Source.SITE, "The honeypot field was filled in.", {"name": "Winner", "email": "prize@spam.example",
         "topic": "Rooms", "message": "You have won."}),
        (6, Source.SITE, "Submitted within 2 seconds.", {"name": "asdf", "email": "a@spam.example", "topic": "Rooms",
         "message": "asdf"}),
    ],
    "hire-a-room": [
        (1, Source.SITE, "", {**_HIRED, "name": "Priya Nair", "email": "priya@example.com", "phone": "+44 1632 960123",
         "room": "Great hall", "occasion": "Wedding", "day": "2027-06-12", "guests": 80, "extras": ["Catering", "Piano"],
         "plan": "seating.txt"}),
        (8, Source.API, "", {**_HIRED, "name": "Tom Hale", "email": "tom@example.com", "website": "https://example.com/brass",
         "room": "Studio", "occasion": "Concert", "day": "2027-03-05", "guests": 25, "campaign": "partner"}),
        (12, Source.SITE, "", {**_HIRED, "name": "Lena Brandt", "email": "lena@example.com", "room": "Garden",
         "occasion": "Meeting", "day": "2027-05-20", "guests": 12, "message": "With a dog, if that is all right."}),
    ],
    "call-me-back": [
        (2, Source.SITE, "Too many submissions from one address.", {"name": "Call centre", "phone": "0900 123456", "time": None}),
    ],
}  # fmt: skip


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the missing forms, each with its submissions."""
    for slug, values in FORMS.items():
        if not Form.objects.filter(slug=slug).exists():
            form = save_form(slug=slug, values=values)
            for row in SUBMISSIONS[slug]:
                _make_submission(form, *row)
                progress(1)


def _make_submission(form: Form, days: int, source: Source, reason: str, data: dict[str, Any]) -> None:
    moment = timezone.now() - timedelta(days=days)
    submission = Submission.objects.create(
        form=form,
        data={key: data[key] for key in (field.key for field in form.schema)},
        is_spam=bool(reason),
        spam_reason=reason,
        source=source,
        handled_at=None if reason else moment,
        created_at=moment,
    )
    if data.get("plan"):
        plan = ContentFile(b"Ten round tables of eight, the band by the river door.\n", name=data["plan"])
        attachment = Attachment(submission=submission, key="plan", filename=data["plan"], size=plan.size)
        attachment.file.save("", plan)
