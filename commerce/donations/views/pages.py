from django.http import Http404, HttpRequest, HttpResponse


def missing(request: HttpRequest, **parts: str) -> HttpResponse:
    raise Http404
