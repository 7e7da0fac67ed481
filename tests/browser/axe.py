"""Check pages of the site with axe against WCAG 2.2 AA."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    # Passed rules are not listed in detail.
    "resultTypes": ["violations"],
}
#: A change of the scheme lets colours fade into others, which are those of neither.
SETTLED = """async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const finite = document.getAnimations().filter((each) => each.effect.getComputedTiming().endTime !== Infinity);
    await Promise.all(finite.map((each) => each.finished.catch(() => null)));
}"""
#: Browsers do not lay out what `content-visibility` skips, and axe would compare its colours with those of other elements.
RENDER_EVERYTHING = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { content-visibility: visible !important }");
    document.adoptedStyleSheets.push(sheet);
}"""
AXE = "([context, options]) => axe.run(context, options).then(({violations}) => violations)"
#: Wagtail's own: the outline beside an editor, which scrolls without being focusable.
OURS = {"exclude": [[".w-minimap"]]}

DESK, PHONE = 1280, 390
LIGHT = (("light", DESK),)
LIGHT_AND_DARK = (("light", DESK), ("dark", PHONE))


class Audit:
    """Checks pages in one tab, and collects their violations by page and display.

    A page is loaded once: for the second display, a phone in dark mode, only the media and the width change.
    """

    def __init__(self, page: Page, displays: tuple[tuple[Any, int], ...] = LIGHT_AND_DARK) -> None:
        self.page = page
        self.displays = displays
        self.found: dict[str, list[str]] = {}

    def visit(self, path: str, *, name: str = "", status: int = 200, settle: int = 0) -> None:
        """Open a path, wait for `settle` milliseconds, and check the page."""
        answer = self.page.goto(path)
        assert answer
        assert answer.status == status, path
        if settle:
            self.page.wait_for_timeout(settle)
        self.check(name or path)

    def check(self, name: str) -> None:
        """Check the open page on every display."""
        for scheme, width in self.displays:
            self._show(scheme, width)
            if problems := violations(self.page):
                self.found[f"{name} ({scheme}, {width})"] = problems
        self._show(*self.displays[0])

    def _show(self, scheme: Any, width: int) -> None:
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")


def violations(page: Page) -> list[str]:
    """Run axe on a page and list its violations, each as the rule, the element and how to fix it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    page.evaluate(RENDER_EVERYTHING)
    page.evaluate(SETTLED)
    found = page.evaluate(AXE, [OURS, RULES])
    return [f"{each['id']}: {node['html'][:160]} ({node['failureSummary'][:200]})" for each in found for node in each["nodes"]]
