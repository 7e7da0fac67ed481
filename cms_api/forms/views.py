"""Public views of forms: on their own page and among the rows of any page. They work without scripts."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from cms_api.auth.services.visitors import Visit
from cms_api.core.not_found import found_or_404
from cms_api.http import page_cache

from . import selectors
from .models import Form
from .services import submit
from .services.answering import answer_form
from .services.spam import stamp
from .types import Source
from .types.files import MAX_POST_BYTES, MIB
from .types.inputs import BACK, STAMP, ShownForm, read_inputs, show_inputs

#: Query parameter after a form was sent: its slug.
SENT = "sent"

TOO_LARGE_NOTICE = f"The files are larger than {MAX_POST_BYTES // MIB} MB in total. Choose smaller ones."


def present_form(form: Form, request: HttpRequest, *, anchor: str = "") -> ShownForm:
    """Return an empty form for a row of a page, or its success message if it has just been sent."""
    page_cache.depends_on(selectors.VERSION)
    return _show(form, request, anchor=anchor, back=request.path + (f"#{anchor}" if anchor else ""))


@csrf_exempt
def form_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Serve a form's own page, to which forms in rows post too. A post that is too large is refused before it is read."""
    form = found_or_404(selectors.find_form(slug))
    if _content_length(request) > MAX_POST_BYTES:
        return _page(request, form, notice=TOO_LARGE_NOTICE, status=413)
    return _form_page(request, form)


def _content_length(request: HttpRequest) -> int:
    """Return the Content-Length; servers read no more than that, and nothing if it is not a number."""
    length = request.META.get("CONTENT_LENGTH") or ""
    return int(length) if length.isascii() and length.isdigit() and len(length) < 19 else 0


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def _form_page(request: HttpRequest, form: Form) -> HttpResponse:
    return _receive(request, form) if request.method == "POST" else _page(request, form)


def _receive(request: HttpRequest, form: Form) -> HttpResponse:
    values, back = read_inputs(form.schema, request.POST), _safe_back(request, form)

    def carry_out(visit: Visit) -> HttpResponse:
        submit(form=form, data=values, source=Source.SITE, files=_files(request), visit=visit)
        parts = urlsplit(back)
        return redirect(urlunsplit(("", "", parts.path, urlencode({SENT: form.slug}), parts.fragment)))

    def show(*, errors: Mapping[str, Sequence[str]], notice: str, status: int) -> HttpResponse:
        stamped = "" if notice else request.POST.get(STAMP, "")
        return _page(request, form, values=values, errors=errors, stamped=stamped, back=back, notice=notice, status=status)

    return answer_form(request, carry_out=carry_out, show=show)


def _files(request: HttpRequest) -> dict[str, UploadedFile[Any]]:
    """Return one file per field: the last, if several were sent under one name."""
    return {key: files[-1] for key, files in request.FILES.lists() if files}


def _safe_back(request: HttpRequest, form: Form) -> str:
    """Return the page that the form was on, unless it is on another site."""
    back = request.POST.get(BACK, "")
    safe = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None) and back.isprintable()
    return back if safe else reverse("form_page", args=[form.slug])


def _page(
    request: HttpRequest,
    form: Form,
    *,
    values: Mapping[str, Any] | None = None,
    errors: Mapping[str, Sequence[str]] | None = None,
    stamped: str = "",
    back: str = "",
    notice: str = "",
    status: int = 200,
) -> HttpResponse:
    address = reverse("form_page", args=[form.slug])
    shown = _show(form, request, back=back or address, values=values, errors=errors, stamped=stamped)
    context = {
        "shown": shown,
        "notice": notice,
        "form_path": address,
        "meta": {
            "title": ("Error: " if shown.errors or notice else "") + form.name,
            "description": form.description,
            "url": settings.BASE_URL + address,
            "kind": "website",
        },
    }
    return render(request, "forms/page.html", context, status=status)


def _show(
    form: Form,
    request: HttpRequest,
    *,
    anchor: str = "",
    back: str,
    values: Mapping[str, Any] | None = None,
    errors: Mapping[str, Sequence[str]] | None = None,
    stamped: str = "",
) -> ShownForm:
    prefix = anchor or f"form-{form.slug}"
    wrong = errors or {}
    inputs, listed = show_inputs(form.schema, values, wrong, id_prefix=prefix)
    known = {f"data.{each.key}" for each in form.schema}
    listed += [(sentences[0], "") for path, sentences in wrong.items() if path not in known]
    return ShownForm(
        form=form,
        id=prefix,
        action=reverse("form_page", args=[form.slug]),
        back=back,
        # After a mistake, the form keeps the stamp of when it was first shown.
        stamp=stamped or stamp(form),
        inputs=inputs,
        errors=listed,
        is_sent=request.method != "POST" and request.GET.get(SENT) == form.slug,
        again=request.path + (f"#{anchor}" if anchor else ""),
    )
