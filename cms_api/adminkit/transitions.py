"""Transitions of records: buttons that call a service, on a record's page, in its row, or both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, ClassVar

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.generic import TemplateView
from wagtail.admin import messages
from wagtail.admin.utils import get_valid_next_url_from_request

from cms_api.core.errors import Invalid

from .once import ALREADY_SUBMITTED, ONCE, Submission, SubmittedAgain, new_key, submitted_once
from .pages import RecordsPage

#: The inputs of the second step: the button that was shown, and the wish to go back to the form.
CONFIRMED, CHANGE = "confirmed", "change"
#: The input with the state of the record on which a page was shown that asks.
SHOWN = "shown"
CHANGED = "{record} has changed since this page was shown. Look at it again before you go on."


@dataclass(frozen=True, slots=True)
class Review:
    """The outcome of a form before it is done, in sentences, and the button that does it: "Refund $84.00"."""

    button: str
    text: str = ""


class ReviewedForm(forms.Form):
    """The form of a transition on a page of its own that has a second step: its outcome is shown before it is done."""

    def review(self) -> Review | None:
        """Return what the valid form is about to do; None if that needs no second step. Raises Invalid by its fields."""
        raise NotImplementedError


def subject_of(record: Any) -> str:
    """Return what a page that asks is about: the record, and its person where its own name doesn't say it."""
    name, person = str(record), next((text for text in (_text(record, "name"), _text(record, "email")) if text), "")
    return name if not person or person in name else f"{name}, {person}"


def state_of(record: Any) -> str:
    """Return what tells a record from the same one after a change: the instant of its last one; empty if it has none."""
    changed_at = getattr(record, "updated_at", None)
    return changed_at.isoformat() if isinstance(changed_at, datetime) else ""


def _text(record: Any, attribute: str) -> str:
    value = getattr(record, attribute, "")
    return value if isinstance(value, str) else ""


Run = Callable[[Any, User, Mapping[str, Any]], Any]


def calling(service: Callable[..., Any], record: str, *names: str, **more: Any) -> Run:
    """Return what calls a service with the record, or the records of a bulk action, as this argument, and the user.

    `names` are those of the form's values that it takes, too.
    """
    return lambda found, user, values: service(**{record: found}, user=user, **{name: values[name] for name in names}, **more)


def saving(service: Callable[..., Any], record: str) -> Run:
    """Return what calls a service with the record as this argument, all values of the form as `values`, and the user."""
    return lambda found, user, values: service(**{record: found}, values=values, user=user)


@dataclass(frozen=True)
class Transition:
    """A button of a record.

    `run(record, user, values)` calls the service for a record that is offered the button, and returns False where there was
    nothing to change; it may raise Invalid.
    `done` and `unchanged` are what is said afterwards, formatted with `{record}` and `{user}`, or functions of the record.
    """

    name: str
    #: The label of the button: a verb.
    label: str
    run: Run
    done: str | Callable[[Any], str]
    unchanged: str = "No change: this was already done."
    #: Whether a record has the button at present.
    offered: Callable[[Any], bool] = lambda record: True
    permission: str = "change"
    #: Whether it is shown as something that cannot simply be undone.
    serious: bool = False
    #: The button of the page on which it is confirmed, a function of the record; by default the label.
    confirm_label: Callable[[Any], str] | None = None
    #: Asked on a page of its own before it is done, in sentences, which may be a function of the record; the button leads there.
    confirm: str | Callable[[Any], str] = ""
    #: Asked for beside the button, on the record's own page alone: a form made with the record as `record`.
    form: Callable[..., forms.Form] | None = None
    #: Whether the form has a page of its own, to which the button leads, and which shows errors at their fields. A `ReviewedForm`
    #: has a second step there.
    on_page: bool = False
    #: The URL that it leads to, a function of what `run` has returned; by default that of the page with the button.
    leads_to: Callable[[Any], str] | None = None
    #: Whether rows of lists have the button too.
    in_rows: bool = True
    #: Whether it replaces a secret, which is shown in the response (`reveal.py`); such a transition is confirmed.
    reveals: bool = False

    @property
    def has_page(self) -> bool:
        return self.on_page or bool(self.confirm)

    def get_question(self, record: Any) -> str:
        return self.confirm(record) if callable(self.confirm) else self.confirm

    def bind(self, viewset: Any, record: Any) -> dict[str, Any]:
        """Return the context from which templates render the button."""
        form = self.form(record=record) if self.form and not self.on_page else None
        url = viewset.transition_url(self, record)
        return {"transition": self, "url": url, "form": form, "record": record, "asks": self.has_page, "once": new_key()}

    def get_message(self, record: Any, user: User) -> str:
        return self.done(record) if callable(self.done) else self.done.format(record=record, user=user)


def switching(
    service: Callable[..., Any], record: str, column: str, *, on: tuple[str, str, str], off: tuple[str, str, str]
) -> tuple[Transition, Transition]:
    """Return the buttons by which a record is switched on and off: the name, the label and the message of each.

    The service takes the record, and whether it is to be on under the name of the column that says whether it is.
    """
    is_on = attrgetter(column)
    return (
        Transition(*on[:2], calling(service, record, **{column: True}), on[2], offered=lambda found: not is_on(found)),
        Transition(*off[:2], calling(service, record, **{column: False}), off[2], offered=is_on),
    )


class TransitionView(RecordsPage, TemplateView):
    """Runs a transition of a record, and leads back to where its button was; asks first if it has a page of its own."""

    template_name = "adminkit/confirm.html"

    transition: ClassVar[Any] = None
    #: Set by `RecordViewSet.part_pattern`.
    parts: Any = None
    home: Any = None

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.object = self._record(kwargs["pk"])
        if not self.transition.has_page or not self.transition.offered(self.object):
            return redirect(self._home(self.object))
        return super().get(request, *args, **kwargs)

    def get_page_title(self) -> str:
        title: str = self.transition.label
        return title

    def get_page_subtitle(self) -> str:
        return str(self.object)

    def get_breadcrumb(self) -> str:
        return self.get_page_title()

    def parents(self) -> list[dict[str, Any]]:
        return [{"url": self._page_of(self.object), "label": str(self.object)}]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        back = get_valid_next_url_from_request(self.request) or self._page_of(self.object)
        asked = self.transition.get_question(self.object)
        more = {"transition": self.transition, "object": self.object, "asked": asked, "back": back, "button": self._button()}
        more["subject"], more["once"] = subject_of(self.object), self.request.POST.get(ONCE) or new_key()
        more["shown"] = state_of(self.object)
        if self.transition.on_page:
            more["entry_form"] = kwargs.pop("entry_form", None) or self.transition.form(record=self.object)
            if isinstance(more["entry_form"], ReviewedForm):
                more |= {"button": "Continue", "has_review": True}
        return super().get_context_data(**kwargs, **more)

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        record = self._record(pk)
        try:
            return self._post(record)
        except SubmittedAgain:
            return self.submitted_again(record)

    def submitted_again(self, record: Any) -> HttpResponse:
        messages.warning(self.request, ALREADY_SUBMITTED)
        return self._lead_back(record)

    def _post(self, record: Any) -> HttpResponse:
        if self.transition.offered(record) and self.request.POST.get(SHOWN, state_of(record)) != state_of(record):
            return self._ask_again(record)
        if self.transition.on_page and self.transition.offered(record):
            return self._post_form(record)
        try:
            offered = self.transition.offered(record)
            changed = self._run(record, self._values(record)) if offered else False
        except Invalid as refusal:
            messages.error(self.request, refusal.message)
        else:
            if changed is not False:
                return self.finish(record, changed)
            messages.warning(self.request, self.transition.unchanged.format(record=record))
        return self._lead_back(record)

    def _post_form(self, record: Any) -> HttpResponse:
        """Run the transition with the values of the form on its page, which shows what is wrong with them."""
        form = self.transition.form(self.request.POST, self.request.FILES, record=record)
        if form.is_valid():
            try:
                if (review := self._review(form)) is not None:
                    return self._ask(record, form, review)
                changed = self._run(record, form.cleaned_data)
                if changed is False:
                    messages.warning(self.request, self.transition.unchanged.format(record=record))
                    return self._lead_back(record)
                return self.finish(record, changed)
            except Invalid as refusal:
                for path, sentences in refusal.errors.items():
                    form.add_error(path if path in form.fields else None, sentences)
        if Submission(self.request).is_used_up():
            # It was sent twice at the same moment: what is refused is the record as the first has left it.
            raise SubmittedAgain("")
        self.object = record
        return self.render_to_response(self.get_context_data(entry_form=form), status=422)

    def _ask_again(self, record: Any) -> HttpResponse:
        """Show the page that asks once more, on the record as it is now."""
        if Submission(self.request).is_used_up():
            raise SubmittedAgain("")
        self.object = record
        messages.warning(self.request, CHANGED.format(record=record))
        form = self.transition.form(self.request.POST, record=record) if self.transition.on_page else None
        return self.render_to_response(self.get_context_data(entry_form=form), status=422)

    def _run(self, record: Any, values: Mapping[str, Any]) -> Any:
        """Run the transition. Raises SubmittedAgain if this form has done so before, and was not refused."""
        with submitted_once(self.request):
            return self.transition.run(record, self.request.user, values)

    def _button(self) -> str:
        label: str = self.transition.confirm_label(self.object) if self.transition.confirm_label else self.transition.label
        return label

    def _review(self, form: forms.Form) -> Review | None:
        """Return what a form is about to do, unless exactly that has been confirmed."""
        if not isinstance(form, ReviewedForm):
            return None
        review = form.review()
        return None if review is None or self.request.POST.get(CONFIRMED) == review.button else review

    def _ask(self, record: Any, form: forms.Form, review: Review) -> HttpResponse:
        """Show the second step, or the form again where somebody wants to change it."""
        self.object = record
        shown = {} if CHANGE in self.request.POST else {"review": review}
        return self.render_to_response(self.get_context_data(entry_form=form, **shown))

    def finish(self, record: Any, changed: Any) -> HttpResponse:
        """Answer once the record has changed; `changed` is what the transition has returned."""
        messages.success(self.request, self.transition.get_message(record, self.request.user))
        if self.transition.leads_to:
            return HttpResponseRedirect(self.transition.leads_to(changed))
        return self._lead_back(record)

    def _lead_back(self, record: Any) -> HttpResponse:
        return HttpResponseRedirect(get_valid_next_url_from_request(self.request) or self._home(record))

    def _record(self, pk: int) -> Any:
        return get_object_or_404(self.parts() if self.parts else self.viewset.records_of(self.request.user), pk=pk)

    def _values(self, record: Any) -> dict[str, Any]:
        """Return the values of the form beside the button. Raises Invalid."""
        if self.transition.form is None:
            return {}
        if any("\0" in value for value in self.request.POST.values()):
            raise Invalid({self.transition.name: "The text contains characters that are not allowed."})
        form = self.transition.form(self.request.POST, record=record)
        if not form.is_valid():
            raise Invalid({name: list(map(str, sentences)) for name, sentences in form.errors.items()})
        values: dict[str, Any] = form.cleaned_data
        return values

    def _home(self, record: Any) -> str:
        """The record's page, or the list where it is gone."""
        is_there = self.home or self.viewset.records_of(self.request.user).filter(pk=record.pk).exists()
        return self._page_of(record) if is_there else reverse(self.viewset.get_url_name("index"))

    def _page_of(self, record: Any) -> str:
        """The page with the button: the record's own, or that of the record it belongs to."""
        return str(self.home(record) if self.home else self.viewset.url(record))
