"""The search of the whole site at `/search`, joined from the sources that modules declare."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from cms_api.core import registry
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import is_on
from cms_api.http import page_cache
from cms_api.text.excerpts import Part, excerpt, mark_words
from cms_api.text.search import words
from cms_api.text.site_search import RANKED_MATCHES, Candidate, Source, relevance

PER_PAGE = 20
MAX_QUERY = 200
EXCERPT_LENGTH = 220

#: A match and the source that it comes from.
Match = tuple[Candidate, Source]


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show what `?q=` finds on the whole site, the most relevant first."""
    page_cache.enable()
    text = request.GET.get("q", "").replace("\0", "").strip()[:MAX_QUERY]
    matches, is_cut = _matches(text)
    page: Page[Match] = Paginator(matches, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "query": text,
        "page": page,
        "pages": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "results": _results(list(page.object_list), words(text)),
        "is_cut": is_cut,
        "meta": {"title": f"Search: {text}" if text else "Search", "unlisted": True},
    }
    return render(request, "gateway/search.html", context)


def _matches(text: str) -> tuple[list[Match], bool]:
    """Return what the sources find, the most relevant first, and whether one of them may have found more."""
    page_cache.depends_on(FLAGS)
    found = words(text)
    if not found:
        return [], False
    pools = [(source, list(source.candidates(text))) for source in _sources()]
    ranked = [
        (-relevance(each.title, found), -each.moment.timestamp() if each.moment else 0.0, place, -each.key, (each, source))
        for place, (source, pool) in enumerate(pools)
        for each in pool
    ]
    ranked.sort(key=lambda each: each[:-1])
    return [each[-1] for each in ranked], any(len(pool) >= RANKED_MATCHES for _, pool in pools)


def _sources() -> list[Source]:
    declared = [module for module in registry.modules() if module.pages.searches and is_on(module.feature)]
    return [registry.load(dotted) for module in declared for dotted in module.pages.searches]


def _results(matches: Sequence[Match], found: Sequence[str]) -> list[dict[str, Any]]:
    """Return the results of a page, read source by source, with the words of the search marked."""
    keys: dict[Source, list[int]] = {}
    for candidate, source in matches:
        keys.setdefault(source, []).append(candidate.key)
    read = {source: source.results(wanted) for source, wanted in keys.items()}
    shown = (read[source].get(candidate.key) for candidate, source in matches)
    return [
        {
            "result": result,
            "title": _html(mark_words(result.title, found)),
            "excerpt": _html(excerpt(result.text, found, EXCERPT_LENGTH)),
        }
        for result in shown
        if result
    ]


def _html(parts: Iterable[Part]) -> SafeString:
    """Return a marked text as HTML."""
    return mark_safe("".join(f"<mark>{escape(part.text)}</mark>" if part.is_match else escape(part.text) for part in parts))
