"""No page is wider than its window, whatever people write: words of 60 letters and URLs of 200 characters."""

import pytest

from cms_api.core import registry
from tests.features import switch_all_on

from .conftest import Open
from .test_public_appearance import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.audit, pytest.mark.django_db(transaction=True)]

#: Lists of modules; the first record of each is opened, too.
LISTS = ("/shop", "/directory", "/real-estate", "/menu", "/booking", "/donate", "/reviews")
WORD, URL = "Donaudampfschifffahrtsgesellschaft" * 2, "https://example.com/" + "a" * 180

#: Texts that people write; those of controls are ours.
WRITE = """words => {
    const CONTROLS = 'button, label, option, legend, nav, table, time, .tile, .repeat, .button, .hidden, script, style';
    const found = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (found.nextNode()) nodes.push(found.currentNode);
    for (const node of nodes) {
        if (/\\p{L}{3}/u.test(node.data) && !node.parentElement.closest(CONTROLS))
            node.data = words + ' ' + node.data;
    }
    return document.documentElement.scrollWidth;
}"""


def test_long_words_widen_no_page(open_page: Open) -> None:
    switch_all_on()
    for module in registry.modules():
        if module.name in {"shop", "directory", "real_estate", "restaurant", "booking", "donations", "reviews"}:
            registry.load(module.records.demo)(1, lambda _: None)
    paths = list(PAGES)
    for path in LISTS:
        page, _ = open_page(path)
        links = page.eval_on_selector_all("main a", "all => all.map(each => each.getAttribute('href'))")
        paths += [path, *[link for link in links if link.startswith(f"{path}/")][:1]]
        page.close()
    wide = []
    for path in paths:
        for words in (WORD[:60], URL):
            page, _ = open_page(path, width=360)
            if page.evaluate(WRITE, words) > 360:
                wide.append((path, words[:10]))
            page.close()
    assert wide == []
