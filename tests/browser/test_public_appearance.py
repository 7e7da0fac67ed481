"""The public pages in a browser: they fit the screen, their files load, and the keyboard finds its way."""

import pytest

from .conftest import Open

pytestmark = [pytest.mark.browser, pytest.mark.audit, pytest.mark.django_db(transaction=True)]

PAGES = (
    *("/", "/about/", "/find-us/", "/summer-school/", "/blog-post", "/service", "/blog-post?q=nothing-at-all"),
    *("/search?q=open", "/search?q=nothing-at-all"),
    *("/blog-post/a-year-in-numbers", "/showcase/turbine-hall"),
    *("/events", "/events?view=calendar", "/events/choir-on-thursdays"),
)
#: A phone, a window zoomed to 400 %, and a desk.
WIDTHS = (390, 320, 1280)

#: Another width chooses another file of a picture, which is requested a moment later: a broken one stays broken for seconds.
LOAD_PICTURES = """async () => {
    const broken = () => [...document.images].filter(image => !image.complete || !image.naturalWidth);
    for (const image of document.images) image.loading = 'eager';
    for (let attempt = 0; attempt < 50 && broken().length; attempt++) await new Promise(after => setTimeout(after, 100));
    return broken().map(image => image.currentSrc || image.src);
}"""


def test_pages_fit_the_screen_and_load_without_errors(open_page: Open) -> None:
    for path in PAGES:
        page, problems = open_page(path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            broken = page.evaluate(LOAD_PICTURES)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
            assert (broken, problems) == ([], []), (path, width)
        page.close()


def test_the_keyboard_reaches_the_content_first(open_page: Open) -> None:
    page, _ = open_page("/blog-post")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_targets_are_large_enough(open_page: Open) -> None:
    page, _ = open_page("/blog-post", width=390)
    page.get_by_text("Menu", exact=True).click()
    script = """selector => [...document.querySelectorAll(selector)].filter(each => each.checkVisibility())
        .map(each => each.getBoundingClientRect())
        .filter(box => box.width < 43.9 || box.height < 43.9).length"""
    assert page.evaluate(script, "header a, summary, footer a, .chip, .search input, .search button, .pagination a") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(open_page: Open, scheme: str) -> None:
    page, _ = open_page("/blog-post/a-year-in-numbers", scheme=scheme)
    for name, least in {"--ink": 7, "--muted": 4.5, "--accent": 4.5, "--edge": 3}.items():
        for ground in ("--paper", "--wash"):
            assert page.evaluate(CONTRAST, [name, ground]) >= least, (scheme, name, ground)
    assert page.evaluate(CONTRAST, ["--on-accent", "--accent"]) >= 4.5


#: WCAG's ratio of two of the theme's colours.
CONTRAST = """([first, second]) => {
    const style = getComputedStyle(document.documentElement);
    const light = name => {
        const hex = style.getPropertyValue(name).trim();
        const [r, g, b] = [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16) / 255)
            .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [low, high] = [light(first), light(second)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
}"""
