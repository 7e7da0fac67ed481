"""The product uses no retired words, and its functions are verbs."""

import pytest

from .language import places, places_in


def test_it_works() -> None:
    shown = [f"{place.path}:{place.line}: {place.kind}: {place.found}" for place in places()]
    assert not shown, "\n".join(["Retired words; tests/laws/language.py names their replacements:", *shown])


def of(source: str, path: str = "commerce/crm/services.py") -> list[tuple[str, str]]:
    return sorted((place.kind, place.found) for place in places_in(source, path))


@pytest.mark.parametrize(
    "source",
    [
        "def hold_whole(): ...",
        "def find_or_create_contacts(): ...",
        "class Happening: ...",
        "def _represent(item): ...",
        "class Turn: ...",
        "held = 1",
        "self.laid_out_until = 1",
        "def f(told): ...",
        "Module(media_holder=1)",
        "class SiteLook: ...",
        "def date_anew(): ...",
    ],
)
def test_a_retired_name_is_reported(source: str) -> None:
    assert [kind for kind, _ in of(source)] == ["names"]


def test_a_retired_name_of_a_file_is_reported() -> None:
    assert of("", "tests/events/evenings.py") == [("names", "evenings")]


@pytest.mark.parametrize("source", ["hold_whole()", "line = 1", "def withhold(): ...", "class Outline: ...", "threshold = 1"])
def test_other_names_are_not_reported(source: str) -> None:
    assert of(source) == []


@pytest.mark.parametrize("source", ["def _locked(): ...", "async def paid(): ...", "class A:\n    def shown(self): ..."])
def test_a_function_named_by_a_participle_is_reported(source: str) -> None:
    assert [kind for kind, _ in of(source)] == ["functions"]


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("def lock(): ...", "commerce/crm/services.py"),
        ("def need(): ...", "commerce/crm/services.py"),
        ("def published_items(): ...", "commerce/crm/selectors.py"),
        ("class A:\n    @property\n    def shown(self): ...", "commerce/crm/models.py"),
        ("class A:\n    @cached_property\n    def shown(self): ...", "commerce/crm/models.py"),
        ("def paid(): ...", "tests/commerce/shop/builders.py"),
    ],
)
def test_other_functions_are_not_reported(source: str, path: str) -> None:
    assert of(source, path) == []


def test_a_retired_text_is_reported() -> None:
    assert of('NOTICE = "So many came from your network that"') == [("texts", "came from your network")]
    assert of("<h1>This page is not here</h1>", "templates/404.html") == [("texts", "This page is not here")]
    assert of("title: This page is not here", "home/demo.yaml") == [("texts", "This page is not here")]


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ('def f():\n    """What a page shows of an item."""', "home/views.py"),
        ('def f():\n    """Reads a page. Whoever asks gets it."""', "home/views.py"),
        ('def f():\n    """Reads a page.\n\n    Who asks gets it.\n    """', "home/views.py"),
        ("#: Who may pass.", "home/views.py"),
        ("x = 1  # What is left.", "home/views.py"),
        ('field(help_text="What it says.")', "home/views.py"),
        ("<p>What is new</p>", "templates/home/page.html"),
        ("- What is new", "docs/architecture.md"),
        ("It works. Whoever reads this knows.", "README.md"),
    ],
)
def test_a_relative_subject_is_reported(source: str, path: str) -> None:
    assert [kind for kind, _ in of(source, path)] == ["sentences"]


@pytest.mark.parametrize("source", ["What does it cost? Nothing.", "Nobody knows what it is.", "What's on", "Whatever it is."])
def test_questions_and_other_sentences_are_not_reported(source: str) -> None:
    assert of(source, "README.md") == []


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ('TITLE = "What we offer"', "home/demo.py"),
        ('TITLE = "What we offer"', "cms_api/content/demo/library.py"),
        ("title: What we offer", "home/demo.yaml"),
        ("title: What we offer", "cms_api/content/demo/posts.yaml"),
    ],
)
def test_headings_of_demo_records_are_not_reported(source: str, path: str) -> None:
    assert of(source, path) == []
