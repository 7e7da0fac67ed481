"""The forms of the public pages. Whatever they refuse is refused at its field."""

from typing import Any

from django import forms

from commerce.common.views import RadioButtons, VisitorForm

from ..models import Category
from ..selectors.tickets import categories
from ..types.tickets import BEST_RATING, MAX_BODY, MAX_COMMENT, MAX_SUBJECT
from ..types.uploads import AttachmentsField

RATINGS = ((5, "Very good"), (4, "Good"), (3, "Okay"), (2, "Poor"), (1, "Very poor"))


#: Refusals of the services by the names of inputs.
PLACES = {"files": "attachments"}


class TicketForm(VisitorForm):
    """A request for help."""

    category = forms.ChoiceField(required=False, error_messages={"invalid_choice": "Choose a category."})
    subject = forms.CharField(max_length=MAX_SUBJECT, error_messages={"required": "Enter a subject."})
    message = forms.CharField(
        max_length=MAX_BODY,
        label="How can we help?",
        widget=forms.Textarea(attrs={"rows": 8}),
        error_messages={"required": "Enter your message."},
    )
    attachments = AttachmentsField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.categories = {each.slug: each for each in categories(only_public=True)}
        category: Any = self.fields["category"]
        category.choices = [("", "Other"), *((slug, option(each)) for slug, each in self.categories.items())]
        if not self.categories:
            del self.fields["category"]

    def values(self) -> dict[str, Any]:
        """Return the values that `services.open_ticket` takes."""
        values = {name: value for name, value in self.cleaned_data.items() if name != "attachments"}
        return {**values, "category": self.categories.get(values.get("category", ""))}


def option(category: Category) -> str:
    """Return a category with its description, as people choose it."""
    return f"{category.name}: {category.description}" if category.description else category.name


class ReplyForm(forms.Form):
    """A message of the requester."""

    message = forms.CharField(
        max_length=MAX_BODY,
        label="Your message",
        widget=forms.Textarea(attrs={"rows": 6}),
        error_messages={"required": "Enter your message."},
    )
    attachments = AttachmentsField()


class RatingForm(forms.Form):
    """How satisfied the requester is."""

    rating = forms.TypedChoiceField(
        choices=RATINGS,
        coerce=int,
        widget=RadioButtons,
        error_messages=dict.fromkeys(("required", "invalid_choice"), f"Choose a rating from 1 to {BEST_RATING}."),
    )
    comment = forms.CharField(
        max_length=MAX_COMMENT,
        required=False,
        label="Anything you'd like to add?",
        help_text="Only our team reads this.",
        widget=forms.Textarea(attrs={"rows": 4}),
    )
