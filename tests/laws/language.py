"""A search for retired words, and for functions that are no verbs: `python -m tests.laws.language` lists the places."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SEARCHED = ("cms_api", "commerce", "events", "home", "site", "templates", "tests", "benchmarks", "docs", "README.md")
#: Files about the words themselves, and files that are never edited.
EXEMPT = {"migrations", "__pycache__", "language.py", "test_language.py"}

#: Retired identifiers, whole, without leading underscores and in lower case, and their replacements.
NAMES = {
    r"tell|tell_\w+|told|told_\w+|happenings?": "record_activity, Activity",
    r"announce|announce_\w+|end_pages\w*": "emit, invalidate_pages",
    r"hold|held|(hold|held)_\w+|take_whole|\w+_held": "lock, locked, lock_contacts",
    r"holder|holders|holding|\w*media_?holder": "media_usage, MediaUsage",
    r"represent\w*|prepared|prepared_for": "serialize, cached_json",
    r"follows_\w+|captures": "listens",
    r"(begin_)?lay(ing)?_out\w*|laid_out\w*|date_anew": "materialize, recompute_dates",
    r"bring_in\w*|brought_in\w*": "import, imported",
    r"woken|take_up\w*|taken_up\w*": "requeue, resume",
    r"line|turn|spot": "PinnedConnection, EndpointLease, FieldPath (class names)",
    r"find_or_create\w*": "bulk_get_or_create",
    r"call(ed)?_off\w*": "cancel",
    r"look|looks|site_?look|look_css|current_look|look_tags": "theme",
    r"\w+_anew|keep_page|\w*kept_pages|(spam|unconfirmed)_kept": "recompute_…, cache_page, page_cache, …_retention",
    r"next_turns|turn_after|end_tree|of_(item|list|page|home|site)": "next_assignees, next_in_rotation, invalidate_tree, for_…",
    r"doors|evenings|turns": "named for what they build or wait for",
}
#: These are retired as names of classes only.
_CLASSES = {"line", "turn", "spot"}

#: Retired texts of the interface, and their replacements.
TEXTS = {
    r"Get news of .{1,40} by mail": "Get … news by email",
    r"would you like to hear of\?": "hear about?",
    r"We send you a mail with a link": "We'll email you a link to confirm.",
    r"One click, and we write to you": "Confirm to start receiving our emails.",
    r"What takes place, and when": "What's on",
    r"Send in an event|[Ee]vent was sent in": "Submit an event",
    r"As the clocks show it there": "Local time",
    r"It lasts whole days; the times do not count": "All-day event",
    r"laid out until|of them still to come|are laid out": "Scheduled through …; … upcoming",
    r"Will you come\?|I will come": "RSVP / I'm coming",
    r"can be called off|[Cc]all off your reply|have called off|[Cc]alled off:": "cancel",
    r"need another look": "Please fix … fields",
    r"What becomes of submissions": "Submission handling",
    r"the business's own gets it": "Defaults to the business address",
    r"What is (written|chosen)\b": "Text fields / Choice fields",
    r"Somebody reads it before it appears": "Comments are moderated.",
    r"It is not shown to anybody but us": "Not published.",
    r"wait to be read": "awaiting moderation",
    r"Look into your mail|Look among what was held": "Check your inbox / spam folder",
    r"you are down for": "You're signed up for",
    r"Was it not you\?": "Not you? Ignore this email.",
    r"This page is not here": "Page not found",
    r"came from your network": "Too many requests. Try again in an hour.",
    r"Looked after by": "Owner",
    r"stands at .{1,40} now": "Lifecycle changed to …",
    r"Who is a contact already": "Existing contacts are not overwritten",
    r"Layout of an item's page": "Detail layout",
    r"What search engines are told": "Schema.org type, for search engines",
    r"Who unsubscribed stays so": "Unsubscribed people stay unsubscribed.",
    r"nobody is enrolled by themselves": "No automatic enrolment",
    r"can be sent to oneself": "Send yourself a test",
    r"leads to no private network": "Public HTTPS URL",
    r"that would disable it": "disabled after 20",
    r"also future ones": "including future types",
    r"Times are those of UTC": "Times in UTC",
    r"What it holds is kept": "Its data is kept.",
}

#: The packages whose functions are verbs: not the tests, whose fixtures and builders are named for what they return.
_PRODUCT = ("cms_api/", "commerce/", "events/", "home/")
#: Words that end in "ed" and are no participles.
_VERBS = {"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "succeed"}
#: Participles that end otherwise; "cut", "put" and "read" are verbs too.
_IRREGULAR = re.compile(
    "begun|bound|built|chosen|drawn|found|given|gone|held|kept|known|laid|left|lost|made|meant|paid|said|seen|sent|shown|sold"
    "|spoken|taken|told|unread|woken|written"
)
#: A sentence with a relative "who" or "what" as its subject; a question may begin so.
_SENTENCE = re.compile(r"""(?:^|(?<=[.!?:;>]))[\s#:*|"'-]*(?:Who|What|Whoever) (?![^.?!<]*\?)""", re.MULTILINE)
_NAMES = re.compile("|".join(f"(?:{pattern})" for pattern in NAMES))
_TEXTS = re.compile("|".join(TEXTS))
#: Most files have none of these words, and no retired name, and need not be parsed.
_SUBJECTS = {"Who", "What", "Whoever"}
_MAYBE_PARTICIPLE = re.compile(rf"\bdef _*(?:[a-z]+ed|{_IRREGULAR.pattern})_*\(")
#: Demo records contain headings for visitors, such as "Who it is for".
_DEMO = re.compile(r"/demo(/|\.(py|yaml)$)")
_COMMENT = re.compile(r"(?:^|\s)#:?\s(.*)$", re.MULTILINE)


class Place(NamedTuple):
    kind: str
    path: str
    line: int
    found: str


def files() -> Iterator[Path]:
    """Every text file of the project that is searched."""
    for name in SEARCHED:
        top = ROOT / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.suffix in {".py", ".html", ".txt", ".md", ".js", ".yaml"} and not EXEMPT & {*path.parts}:
                yield path


def places_in(text: str, path: str) -> Iterator[Place]:
    """Every place where a text, or the source of a Python file, uses a retired word."""
    for found in _TEXTS.finditer(text):
        yield Place("texts", path, _line(text, found.start()), found[0])
    if not path.endswith(".py"):
        for found in () if _DEMO.search(path) else _SENTENCE.finditer(text):
            yield Place("sentences", path, _line(text, found.start()), found[0].strip())
        return
    stem = Path(path).stem
    if _is_retired(stem):
        yield Place("names", path, 0, stem)
    if path.startswith(_PRODUCT):
        yield from _participles_in(text, path)
    if not any(word in _SUBJECTS or _is_retired(word, is_class=True) for word in set(re.findall(r"\w+", text))):
        return
    for found in _COMMENT.finditer(text):
        for _ in _SENTENCE.finditer(found[1]):
            yield Place("sentences", path, _line(text, found.start(1)), found[1][:40])
    for node in ast.walk(ast.parse(text)):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not _DEMO.search(path):
            for found in _SENTENCE.finditer(node.value):
                yield Place("sentences", path, line, node.value[found.start() : found.start() + 40].strip())
        elif (name := _name(node)) and _is_retired(name, is_class=isinstance(node, ast.ClassDef)):
            yield Place("names", path, line, name)


def _participles_in(text: str, path: str) -> Iterator[Place]:
    """Every function, apart from properties, whose whole name is a participle."""
    if not _MAYBE_PARTICIPLE.search(text):
        return
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        is_property = any("property" in ast.unparse(each) for each in node.decorator_list)
        if not is_property and _is_participle(node.name.strip("_")):
            yield Place("functions", path, node.lineno, node.name)


def _is_participle(word: str) -> bool:
    return bool(_IRREGULAR.fullmatch(word)) or (word.endswith("ed") and "_" not in word and word not in _VERBS)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _name(node: ast.AST) -> str:
    """The name that a piece of code gives to something; what it refers to was named elsewhere."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
        return node.id if isinstance(node, ast.Name) else node.attr
    return node.arg or "" if isinstance(node, ast.arg | ast.keyword) else ""


@cache
def _is_retired(name: str, *, is_class: bool = False) -> bool:
    lower = name.lstrip("_").lower()
    return bool(_NAMES.fullmatch(lower)) and (is_class or lower not in _CLASSES)


def places() -> list[Place]:
    """Every place of the project."""
    return [place for path in files() for place in places_in(path.read_text(), str(path.relative_to(ROOT)))]


if __name__ == "__main__":
    for place in places():
        print(f"{place.path}:{place.line}: {place.kind}: {place.found}")
