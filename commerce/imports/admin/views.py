"""The pages of an import: upload, column mapping, progress, and refused rows."""

import csv
from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.http import content_disposition_header
from django.views.generic import FormView, TemplateView, View
from wagtail.admin import messages
from wagtail.admin.views.mixins import Echo
from wagtail.admin.widgets.button import Button

from cms_api.core.errors import Invalid
from cms_api.text.spreadsheets import safe_cell

from ..models import ImportRun
from ..services.reading import rows_of
from ..services.runs import cancel, check_size, create_run, read_again, read_file, resume, start
from ..types import LINE, PROBLEM, State
from .access import ImportPage
from .forms import ColumnsForm, FileForm, LayoutForm

#: Rows of the preview, and refused rows shown on the page of a run.
PREVIEW, SHOWN = 10, 50


def page_of(run: ImportRun) -> str:
    return reverse("imports:prepare" if run.state == State.UPLOADED else "imports:run", args=[run.pk])


class New(ImportPage, FormView):
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
        return redirect(page_of(run))


class Sample(ImportPage, View):
    """An empty CSV file with the columns of a kind."""

    def get(self, request: HttpRequest, kind: str) -> HttpResponse:
        columns = self.kind(kind).columns
        response = _csv_response(f"{kind}.csv", iter([[column.title for column in columns if column.name != "name"]]))
        return response


class Prepare(ImportPage, FormView):
    """Maps the columns of a file and starts its import."""

    template_name = "imports_admin/prepare.html"
    page_title = "Import"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        response = super().dispatch(request, *args, **kwargs)
        add_never_cache_headers(response)
        return response

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        run = self.run
        return super().get(request, *args, **kwargs) if run.state == State.UPLOADED else redirect(page_of(run))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        run = self.run
        if "read_again" in request.POST:
            return self.read_again(run)
        if run.state != State.UPLOADED:
            messages.warning(request, "This import was already started.")
            return redirect(page_of(run))
        return super().post(request, *args, **kwargs)

    def read_again(self, run: ImportRun) -> HttpResponse:
        try:
            given = self.request.POST
            read_again(run=run, encoding=given.get("encoding", ""), delimiter=given.get("delimiter", ""))
        except Invalid as refusal:
            messages.error(self.request, refusal.message)
        return redirect(page_of(run))

    def get_page_subtitle(self) -> str:
        return self.run.filename

    def get_form(self, form_class: Any = None) -> ColumnsForm:
        run = self.run
        return ColumnsForm(self.kind(run.kind), run, **self.get_form_kwargs())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        form: ColumnsForm = context["form"]
        run, problem, rows = form.run, "", []
        try:
            found = rows_of(read_file(run), encoding=run.encoding, delimiter=run.delimiter)
            rows = [row.cells for row in islice(found, PREVIEW)]
        except Invalid as refusal:
            problem = refusal.message
        return context | {
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
        return redirect(page_of(form.run))

    def form_invalid(self, form: Any) -> HttpResponse:
        messages.error(self.request, "The import was not started. Please fix the errors below.")
        return super().form_invalid(form)


def figures(run: ImportRun) -> dict[str, str]:
    """Return the formatted counts."""
    counted = ("total", "done", "created", "matched", "refused", "per_second", "seconds_left")
    return {name: f"{getattr(run, name) or 0:,}" for name in counted}


def _said(run: ImportRun) -> dict[str, Any]:
    """Return the template context of a run's page and of its live part."""
    return {"run": run, "figures": figures(run), "kind": run.declared, "refusals": run.refusals.all()[:SHOWN], "shown": SHOWN}


class Run(ImportPage, TemplateView):
    """The progress of an import and its refused rows."""

    template_name = "imports_admin/run.html"
    page_title = "Import"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        run = self.run
        if run.state == State.UPLOADED:
            return redirect(page_of(run))
        response = super().get(request, *args, **kwargs)
        add_never_cache_headers(response)
        return response

    def get_page_subtitle(self) -> str:
        return self.run.filename

    @property
    def header_more_buttons(self) -> list[Button]:
        run = self.run
        url = reverse("imports:new", args=[run.kind])
        return [Button("Import another file", url=url, icon_name="upload", priority=10)]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | _said(self.run)


class Moving(ImportPage, View):
    """The live part of a run's page."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        response = TemplateResponse(request, "imports_admin/progress.html", _said(self.run))
        add_never_cache_headers(response)
        return response


class Refused(ImportPage, View):
    """The refused rows with their errors, as a CSV file that can be fixed and imported again."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
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

    def written() -> Iterator[bytes]:
        # Without a byte order mark, Excel assumes its own encoding.
        yield b"\xef\xbb\xbf"
        for row in rows:
            yield writer.writerow(map(safe_cell, row))

    response = StreamingHttpResponse(written(), content_type="text/csv; charset=utf-8")
    kept = "".join(character for character in filename if character.isprintable() and character not in '"\\/')
    response.headers["Content-Disposition"] = content_disposition_header(True, kept) or "attachment"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "private, no-store"
    return response


class Action(ImportPage, View):
    """A button on the page of a run."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        run = self.run
        try:
            self.act(run)
        except Invalid as refusal:
            messages.warning(request, refusal.message)
        run.refresh_from_db()
        return redirect(page_of(run))

    def act(self, run: ImportRun) -> None:
        raise NotImplementedError


class Cancel(Action):
    def act(self, run: ImportRun) -> None:
        cancel(run=run, user=self.request.user)


class Resume(Action):
    def act(self, run: ImportRun) -> None:
        resume(run=run, user=self.request.user)
