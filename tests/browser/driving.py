"""A browser that DevTools do not drive: with them, Chromium prepares no pages, and every page says that it is visible.

A page of the site asks the test for scripts, and runs them. It can open other pages, and lead the browser to them.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from .chromium import AS_PEOPLE_DO, PATH

PAGE = """<!doctype html><title>Driver</title><script>
(async () => {
  for (;;) {
    const script = await (await fetch("/driver/next")).text();
    if (script) await fetch("/driver/said", { method: "POST", body: String((0, eval)(script)) });
    await new Promise(resolve => setTimeout(resolve, 50));
  }
})();
</script>
"""
POLICY = "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' 'inline-speculation-rules'"
#: Seconds.
ANSWER_SECONDS = 20

_scripts: "SimpleQueue[str]" = SimpleQueue()
_answers: "SimpleQueue[str]" = SimpleQueue()


def show(request: HttpRequest) -> HttpResponse:
    return HttpResponse(PAGE, headers={"Content-Security-Policy": POLICY})


def next_script(request: HttpRequest) -> HttpResponse:
    try:
        return HttpResponse(_scripts.get_nowait(), content_type="text/plain")
    except Empty:
        return HttpResponse()


def said(request: HttpRequest) -> HttpResponse:
    _answers.put(request.body.decode())
    return HttpResponse()


said.csrf_exempt = True  # type: ignore[attr-defined]
urlpatterns = [
    path("driver", show),
    path("driver/next", next_script),
    path("driver/said", said),
    path("", include("config.urls")),
]


def run(script: str) -> str:
    """Run a script in the driving page; return its value as a text."""
    _scripts.put(script)
    return _answers.get(timeout=ANSWER_SECONDS)


@contextmanager
def driven(address: str, settings: Any, profile: Path) -> Iterator[None]:
    """A browser with the driving page on the site at an address."""
    settings.ROOT_URLCONF = __name__
    for queue in (_scripts, _answers):
        while not queue.empty():
            queue.get()
    command = [str(PATH), "--headless", *AS_PEOPLE_DO, "--disable-popup-blocking", f"--user-data-dir={profile}"]
    browser = subprocess.Popen([*command, f"{address}/driver"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        run("'ready'")
        yield
    finally:
        browser.terminate()
        browser.wait(ANSWER_SECONDS)
