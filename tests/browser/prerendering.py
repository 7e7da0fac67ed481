"""The site's URLs with a page that lets the browser prepare another one, and goes there when the test says so."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path

PAGE = """<!doctype html><title>Before</title>
<script type="speculationrules">{{"prerender": [{{"source": "list", "urls": ["{target}"], "eagerness": "immediate"}}]}}</script>
<script>
setInterval(async () => {{ if ((await fetch("/before/go")).status === 200) location.href = "{target}"; }}, 100);
</script>
"""


class Before:
    """The target of the page, and whether it goes there."""

    target = "/"
    goes = False


def show(request: HttpRequest) -> HttpResponse:
    policy = "default-src 'self'; script-src 'self' 'unsafe-inline' 'inline-speculation-rules'"
    return HttpResponse(PAGE.format(target=Before.target), headers={"Content-Security-Policy": policy})


def go(request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=200 if Before.goes else 204)


urlpatterns = [path("before", show), path("before/go", go), path("", include("config.urls"))]
