"""The saved searches of an account."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row
from commerce.common.views import account_records, add_refusals, errors_of

from ..models import SavedSearch
from ..resources.criteria import Criteria, read_criteria
from ..resources.facts import describe
from ..selectors.searches import saved_searches
from ..services import delete_search, save_search
from ..types.listings import MAX_SEARCH_NAME, Frequency
from ..types.searches import SearchFilter, read_filter

SAVED = "Your search has been saved."
CHANGED = "Your changes have been saved."
DELETED = "Your search has been deleted."
FREQUENCY_LABELS = {
    Frequency.DAILY: "Daily emails",
    Frequency.WEEKLY: "Weekly emails",
    Frequency.NEVER: "No emails",
}


class SearchForm(forms.Form):
    name = forms.CharField(max_length=MAX_SEARCH_NAME, error_messages={"required": "Enter a name."})
    frequency = forms.ChoiceField(
        label="Email me new listings",
        choices=Frequency.choices,
        error_messages={"required": "Select how often.", "invalid_choice": "Select how often."},
    )


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Save the search of the query string; guests are asked to sign in, and come back to this page."""
    criteria = read_criteria(request.GET)
    if not request.user.is_authenticated:
        shown = {"criteria": criteria, "description": describe(criteria.wanted), "next": request.get_full_path()}
        return render(request, "real_estate/save_guest.html", shown, status=403 if request.method == "POST" else 200)
    initial = {"name": describe(criteria.wanted)[:MAX_SEARCH_NAME], "frequency": Frequency.DAILY}
    form = SearchForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid() and _save(request, form, wanted=criteria.wanted):
        messages.success(request, SAVED)
        return redirect("saved_searches")
    return _show_form(request, "real_estate/save.html", form, criteria)


@login_required
@require_safe
def searches(request: HttpRequest) -> HttpResponse:
    """The saved searches of the signed-in visitor, newest first."""

    def row(search: SavedSearch) -> tuple[Any, ...]:
        wanted = read_filter(search.query)
        return search, Criteria(wanted).path, describe(wanted), FREQUENCY_LABELS[Frequency(search.frequency)]

    return account_records(request, "real_estate/account_searches.html", saved_searches(request.user), row)


@login_required
@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, search: int) -> HttpResponse:
    """Rename a saved search, or change how often its results are mailed."""
    found = get_row(saved_searches(request.user), search)
    initial = {"name": found.name, "frequency": found.frequency}
    form = SearchForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid() and _save(request, form, search=found):
        messages.success(request, CHANGED)
        return redirect("saved_searches")
    return _show_form(request, "real_estate/account_search.html", form, Criteria(read_filter(found.query)), found)


@login_required
@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, search: int) -> HttpResponse:
    """Ask whether to delete a saved search; a POST does it."""
    found = get_row(saved_searches(request.user), search)
    if request.method == "POST":
        delete_search(search=found)
        messages.success(request, DELETED)
        return redirect("saved_searches")
    return render(request, "real_estate/account_search_delete.html", {"search": found})


def _save(
    request: HttpRequest, form: SearchForm, *, wanted: SearchFilter | None = None, search: SavedSearch | None = None
) -> bool:
    """Return whether the search was saved; errors are shown in the form."""
    values = {**form.cleaned_data, **({"filter": wanted} if wanted is not None else {})}
    try:
        save_search(user=request.user, values=values, search=search)
    except Invalid as refusal:
        add_refusals(form, refusal.errors)
        return False
    return True


def _show_form(
    request: HttpRequest, template: str, form: SearchForm, criteria: Criteria, search: SavedSearch | None = None
) -> HttpResponse:
    errors = errors_of(form)
    shown = {
        "form": form,
        "errors": errors,
        "search": search,
        "criteria": criteria,
        "description": describe(criteria.wanted),
        "action": request.get_full_path(),
    }
    return render(request, template, shown, status=422 if errors else 200)
