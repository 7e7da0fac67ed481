"""Receipts and statements of donors as PDF, and the page that emails the statements of a year."""

from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.generic import TemplateView, View
from wagtail.admin import messages
from wagtail.admin.utils import set_query_params
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin

from cms_api.adminkit.columns import local_date
from cms_api.adminkit.pages import RecordsPage
from cms_api.core.not_found import found_or_404
from cms_api.flags.selectors import site_timezone
from commerce.common.selectors import format_money
from commerce.common.views import pdf_response

from ..models import Donation
from ..resources.documents import receipt_pdf, statement_pdf
from ..selectors.donations import paid_in, today
from ..selectors.statements import StatementYear, statement_year, statement_years
from ..services import request_statements


class ReceiptView(PermissionCheckedMixin, View):
    """The receipt of a paid donation."""

    model: ClassVar[Any] = None
    viewset: ClassVar[Any] = None
    permission_required = "view"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        donation: Donation = get_object_or_404(self.viewset.records().filter(paid_at__isnull=False), pk=pk)
        return self.document(donation)

    def document(self, donation: Donation) -> HttpResponse:
        return pdf_response(receipt_pdf(donation).content, str(donation.number))


class StatementView(ReceiptView):
    """The statement of a donor for the year in which a donation was paid."""

    def document(self, donation: Donation) -> HttpResponse:
        year = paid_year(donation)
        found = list(paid_in(year, email=donation.email))
        return pdf_response(statement_pdf(found, year).content, f"donations-{year}")


def paid_year(donation: Donation) -> int:
    """Return the year in which a donation was paid, on the site's clock."""
    assert donation.paid_at is not None
    return donation.paid_at.astimezone(site_timezone()).year


class YearForm(forms.Form):
    """The year of the statements, whether donors get theirs once more, and when the page was shown."""

    year = forms.TypedChoiceField(coerce=int)
    again = forms.BooleanField(required=False, label="Also email donors who have already been sent theirs")
    shown_at = forms.DateTimeField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, years: list[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice: Any = self.fields["year"]
        choice.choices = [(str(year), str(year)) for year in years]


class StatementsView(RecordsPage, TemplateView):
    """Shows how many donors get a statement of a year, and has them emailed."""

    permission_required = "change"
    template_name = "donations_admin/statements.html"
    page_title = "Yearly statements"
    header_icon = "mail"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        self.years = statement_years()
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: HttpRequest) -> HttpResponse:
        form = YearForm(request.POST, years=self.years)
        if not form.is_valid():
            messages.error(request, "Choose a year.")
            return HttpResponseRedirect(reverse(self.viewset.get_url_name("statements")))
        values = form.cleaned_data
        again_before: datetime | None = values["shown_at"] if values["again"] else None
        number = request_statements(year=values["year"], again_before=again_before, user=request.user)
        if number:
            messages.success(request, f"{format_count(number, 'statement')} for {values['year']} will be emailed.")
        else:
            messages.warning(request, f"All donors have been sent their statement for {values['year']}.")
        url = reverse(self.viewset.get_url_name("statements"))
        return HttpResponseRedirect(set_query_params(url, {"year": values["year"]}))

    def year(self) -> int | None:
        """Return the chosen year, by default the last one that is over; None if nothing was ever donated."""
        text = self.request.GET.get("year", "")
        if text:
            return found_or_404(next((year for year in self.years if str(year) == text), None))
        over = [year for year in self.years if year < today().year]
        return next(iter(over or self.years), None)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        year = self.year()
        context = super().get_context_data(**kwargs, back=reverse(self.viewset.get_url_name("index")))
        if year is None:
            return context
        found = statement_year(year)
        initial = {"year": year, "shown_at": timezone.now().isoformat()}
        return {
            **context,
            "year": found,
            "entry_form": YearForm(initial=initial, years=self.years),
            "facts": facts(found),
            "heading": f"Statements for {year}",
            "is_over": year < today().year,
        }


def facts(found: StatementYear) -> dict[str, Any]:
    return {
        "Donors": f"{found.donors:,}",
        "Donations": f"{found.donations:,}",
        "Total": format_money(found.total),
        "Statements sent": f"{found.sent:,}" + (f", last {local_date(found.last_sent_at)}" if found.last_sent_at else ""),
        **({"Being sent": f"{found.waiting:,}"} if found.waiting else {}),
        **({"Could not be sent": f"{found.failed:,}"} if found.failed else {}),
        "Not sent yet": f"{found.unsent:,}",
    }


def format_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def patterns(viewset: Any) -> list[URLPattern]:
    """Return the URLs of the documents of donations."""
    return [
        path("receipt/<id:pk>/", viewset.construct_view(ReceiptView), name="receipt"),
        path("statement/<id:pk>/", viewset.construct_view(StatementView), name="statement"),
        path("statements/", viewset.construct_view(StatementsView), name="statements"),
    ]
