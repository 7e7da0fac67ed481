"""The pages of an import: upload, column mapping, progress, and refused rows."""

import csv
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.cache import add_never_cache_headers
from django.utils.functional import cached_property
from django.utils.http import content_disposition_header
from django.views.generic import FormView, View
from wagtail.admin import messages
from wagtail.admin.views.mixins import Echo

from cms_api.adminkit.pages import RecordsPage
from cms_api.adminkit.views import InspectView
from cms_api.core.errors import Invalid
from cms_api.core.module import Import
from cms_api.core.not_found import found_or_404
from cms_api.text.spreadsheets import safe_cell

from ..models import ImportRun
from ..selectors import kinds_of, runs_of
from ..services.previewing import preview_rows
from ..services.runs import check_size, create_run, first_rows, read_again, remember_mapping, start
from ..types import LINE, PROBLEM, State
from .forms import ColumnsForm, FileForm, LayoutForm


class ImportPage(RecordsPage):
    """Base of import pages, for users who may import such records."""

    permission_required = "add"
    request: Any
    kwargs: dict[str, Any]

    def kind(self, name: str) -> Import:
        return found_or_404(kinds_of(self.request.user).get(name))

    @cached_property
    def run(self) -> ImportRun:
        found: ImportRun = get_object_or_404(runs_of(self.request.user), pk=self.kwargs["pk"])
        return found


class NewView(ImportPage, FormView):
    """Uploads a file."""

    form_class = FileForm
    template_name = "imports_admin/new.html"

    def get_page_title(self) -> str:
        return f"Import {self.kind(self.kwargs['kind']).title.lower()}"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        return context | {
            "kind": self.kind(self.kwargs["kind"]),
            "action_url": self.request.path,
            "media": context["form"].media,
            "submit_button_label": "Continue",
            "submit_button_active_label": "Reading the file…",
        }

    def form_valid(self, form: FileForm) -> HttpResponse:
        sent = form.cleaned_data["file"]
        try:
            check_size(sent.size)
            kind = self.kind(self.kwargs["kind"])
            run = create_run(kind=kind, filename=sent.name, content=sent.read(), user=self.request.user)
        except Invalid as refusal:
            form.refuse(refusal)
            return self.form_invalid(form)
        return redirect("imports:prepare", run.pk)


class SampleView(ImportPage, View):
    """An empty CSV file with the columns of a kind."""

    def get(self, request: HttpRequest, kind: str) -> StreamingHttpResponse:
        titles = [column.title for column in self.kind(kind).columns if column.name != "name"]
        return _csv_response(f"{kind}.csv", iter([titles]))


class PrepareView(ImportPage, FormView):
    """Maps the columns of a file and starts its import."""

    template_name = "imports_admin/prepare.html"
    page_title = "Import"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        response = super().dispatch(request, *args, **kwargs)
        add_never_cache_headers(response)
        return response

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if self.run.state != State.UPLOADED:
            return redirect(self.viewset.url(self.run))
        return super().get(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "preview" in request.POST:
            return self.preview_again()
        if "read_again" in request.POST:
            return self.read_again()
        if self.run.state != State.UPLOADED:
            messages.warning(request, "This import was already started.")
            return redirect(self.viewset.url(self.run))
        return super().post(request, *args, **kwargs)

    def read_again(self) -> HttpResponse:
        try:
            given = self.request.POST
            read_again(run=self.run, encoding=given.get("encoding", ""), delimiter=given.get("delimiter", ""))
        except Invalid as refusal:
            messages.error(self.request, refusal.message)
        return redirect(self.viewset.url(self.run))

    def preview_again(self) -> HttpResponse:
        """Show what the import would do with the chosen columns."""
        form = self.get_form()
        if not form.is_valid():
            return self.form_invalid(form)
        try:
            remember_mapping(run=form.run, mapping=form.mapping())
        except Invalid as refusal:
            form.refuse(refusal)
            return self.form_invalid(form)
        return redirect(self.viewset.url(form.run))

    def get_page_subtitle(self) -> str:
        return self.run.filename

    def get_form(self, form_class: Any = None) -> ColumnsForm:
        return ColumnsForm(self.kind(self.run.kind), self.run, **self.get_form_kwargs())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        form: ColumnsForm = context["form"]
        run, problem = form.run, ""
        rows: list[list[str]] = []
        try:
            rows = first_rows(run)
        except Invalid as refusal:
            problem = refusal.message
        effect = None
        # Where columns are missing, the form says so when it is sent.
        with suppress(Invalid):
            effect = preview_rows(run, form.kind)
        return context | {
            "effect": effect,
            "run": run,
            "figures": figures(run),
            "kind": form.kind,
            "problem": problem,
            "columns": form.columns(rows),
            "rows": rows,
            "layout": LayoutForm(initial={"encoding": run.encoding, "delimiter": run.delimiter}),
            "media": form.media,
        }

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            start(run=form.run, mapping=form.mapping(), options=form.options(), user=self.request.user)
        except Invalid as refusal:
            form.refuse(refusal)
            return self.form_invalid(form)
        return redirect(self.viewset.url(form.run))

    def form_invalid(self, form: Any) -> HttpResponse:
        messages.error(self.request, "The import was not started. Please fix the errors below.")
        return super().form_invalid(form)


def figures(run: ImportRun) -> dict[str, str]:
    """Return the formatted counts."""
    counted = ("total", "done", "created", "updated", "unchanged", "refused", "per_second", "seconds_left")
    return {name: f"{getattr(run, name) or 0:,}" for name in counted}


class RunView(InspectView):
    """The progress of an import and its refused rows; by another template, the part of this page that changes."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if self.object.state == State.UPLOADED:
            return redirect("imports:prepare", self.object.pk)
        response: HttpResponse = super().get(request, *args, **kwargs)
        add_never_cache_headers(response)
        return response


class RefusedView(ImportPage, View):
    """The refused rows with their errors, as a CSV file that can be fixed and imported again."""

    def get(self, request: HttpRequest, pk: int) -> StreamingHttpResponse:
        run = self.run
        stem = run.filename.rpartition(".")[0] or run.filename
        return _csv_response(f"{stem}-refused.csv", self.rows(run))

    def rows(self, run: ImportRun) -> Iterator[list[Any]]:
        yield [*run.header, LINE, PROBLEM]
        for row in run.refusals.iterator(chunk_size=500):
            cells = [*row.cells, *[""] * (len(run.header) - len(row.cells))]
            yield [*cells[: len(run.header)], row.line, row.problem, *cells[len(run.header) :]]


def _csv_response(filename: str, rows: Iterator[list[Any]]) -> StreamingHttpResponse:
    writer = csv.writer(Echo())

    def write_rows() -> Iterator[bytes]:
        # Without a byte order mark, Excel assumes its own encoding.
        yield b"\xef\xbb\xbf"
        for row in rows:
            yield writer.writerow(map(safe_cell, row))

    response = StreamingHttpResponse(write_rows(), content_type="text/csv; charset=utf-8")
    kept = "".join(character for character in filename if character.isprintable() and character not in '"\\/')
    response.headers["Content-Disposition"] = content_disposition_header(True, kept) or "attachment"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "private, no-store"
    return response
