"""Pictures of the main pages of the site and its admin, for people to look at: `python -m tests.browser.screenshots FOLDER`.

Starts the demo site by itself, on a port of its own and with data of its own, and takes every page on a phone, a tablet and a
desk, in light and in dark, whole and without a network beyond the site.
"""

import argparse
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
START_LIMIT = 60
EMAIL, PASSWORD = "screenshots@example.com", secrets.token_urlsafe(12)

PAGES = {
    "home": "/",
    "standard": "/about/",
    "map": "/find-us/",
    "landing": "/summer-school/",
    "list": "/blog-post",
    "grid": "/service",
    "search": "/blog-post?q=mill",
    "nothing-found": "/blog-post?q=nothing-at-all",
    "detail": "/blog-post/a-year-in-numbers",
    "wide-detail": "/showcase/turbine-hall",
    "events": "/events",
    "events-past": "/events?tab=past",
    "month": "/events?view=calendar",
    "event": "/events/choir-on-thursdays",
    "festival": "/events/river-festival",
    "site-search": "/search?q=mill",
    "form": "/forms/contact",
    "membership": "/membership",
    "shop": "/shop",
    "shop-filtered": "/shop/categories/textiles?in_stock=1&option.Size=M",
    "product": "/shop/products/stoneware-mug",
    "product-options": "/shop/products/river-at-dusk-print",
    "product-sold-out": "/shop/products/bud-vase",
    "not-found": "/nothing/here",
    "admin-home": "/admin/",
    "admin-items": "/admin/content/items/?type=blog-post",
    "admin-type": "/admin/content/types/edit/1/",
    "admin-theme": "/admin/settings/home/theme/",
    "admin-subscribers": "/admin/marketing/subscribers/",
    "admin-products": "/admin/products/",
    "admin-product": "/admin/products/inspect/1/",
    "admin-product-form": "/admin/products/edit/1/",
    "admin-documentation": "/admin/api-documentation/",
}
WIDTHS = (390, 820, 1280)
SCHEMES = ("light", "dark")
#: Those further down wait to be scrolled to, and are drawn when the browser has time.
LOAD_PICTURES = """Promise.allSettled([...document.images].map(image => { image.loading = 'eager'; return image.decode(); }))"""


def main() -> None:
    options = arguments()
    folder: Path = options.folder.resolve()
    if folder.is_relative_to(ROOT):
        raise SystemExit("Choose a folder outside the repository.")
    folder.mkdir(parents=True, exist_ok=True)
    pages = {name: PAGES[name] for name in options.pages} if options.pages else PAGES
    with tempfile.TemporaryDirectory(prefix="screenshots-") as scratch:
        data = (options.data or Path(scratch)).resolve()
        with serving(data) as address:
            take(address, pages, folder)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--data", type=Path, help="keeps the demo site's data there, for the next time")
    parser.add_argument("--pages", nargs="*", choices=PAGES, help="all unless named")
    return parser.parse_args()


@contextmanager
def serving(data: Path) -> Iterator[str]:
    """The address of the demo site, which is made where `data` has none."""
    data.mkdir(parents=True, exist_ok=True)
    port = free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "VAR_DIR": str(data),
        "BASE_URL": f"http://127.0.0.1:{port}",
        "PYTHONPATH": f"{ROOT / 'site'}{os.pathsep}{ROOT}",
    }
    for command in (["first_run"], ["create_editor", EMAIL, "--role", "admin", "--password", PASSWORD]):
        subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    command = [sys.executable, "manage.py", "web", "--port", str(port), "--workers", "1"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        wait_for(port, process)
        yield environment["BASE_URL"]
    finally:
        process.terminate()
        process.wait(15)


def sign_in(page: Page, address: str) -> None:
    page.goto(f"{address}/admin/login/")
    page.fill("[name=username]", EMAIL)
    page.fill("[name=password]", PASSWORD)
    page.click("[type=submit]")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_LIMIT
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("The site did not start.")


def take(address: str, pages: dict[str, str], folder: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for width in WIDTHS:
            for scheme in SCHEMES:
                viewport = {"width": width, "height": 844 if width < 600 else 900}
                context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
                page = context.new_page()
                sign_in(page, address)
                for name, path in pages.items():
                    page.goto(address + path)
                    page.evaluate(LOAD_PICTURES)
                    file = folder / f"{name}-{width}-{scheme}.png"
                    page.screenshot(path=file, full_page=True)
                    print(file)
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
