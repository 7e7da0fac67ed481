"""Deterministic articles: item `n` depends on `n` alone, so a larger set begins with the smaller one."""

import io
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from PIL import Image

CATEGORIES = ("news", "culture", "sport", "science", "music", "theatre", "food", "travel")
IMAGES = 50
#: One item in twenty has this word in its title and in its body.
RARE_WORD = "zephyr"
BODY_LENGTH = 1500
FIRST_DAY = datetime(2024, 1, 1, 9, tzinfo=UTC)

_TEXT = (
    "harbour lantern orchard copper meadow bridge garden winter summer festival painter singer captain letter morning "
    "evening shadow mountain valley island ticket station platform journey story museum archive gallery concert quartet "
    "village school library kitchen baker thunder forest engine planet comet telescope language grammar poem novel editor "
    "printer paper silver velvet marble question answer number pattern circle history future memory promise public private "
    "open closed local quiet loud bright narrow wide deep walks opens brings carries builds writes reads plays sings paints "
    "before after during between within without across along under over the a of and with for from into about among while"
)
_WORDS = _TEXT.split()


@dataclass(frozen=True)
class Article:
    """An item as every server stores it; `image` is from 1 to IMAGES, or None for one item in ten."""

    number: int
    title: str
    slug: str
    excerpt: str
    body: str
    category: str
    event_start: datetime
    event_end: datetime
    image: int | None
    published_at: datetime


def article(number: int) -> Article:
    chance = random.Random(f"article {number}")
    rare = number % 20 == 7
    start = FIRST_DAY + timedelta(minutes=15 * chance.randrange(86_400))
    return Article(
        number=number,
        title=" ".join([_sentence(chance, 4, 7), *([RARE_WORD] if rare else []), str(number)]),
        slug=f"article-{number}",
        excerpt=f"{_sentence(chance, 18, 24)}."[:200],
        body=_body(chance, f"A {RARE_WORD} blows. " if rare else ""),
        category=chance.choice(CATEGORIES),
        event_start=start,
        event_end=start + timedelta(minutes=15 * chance.randint(2, 24)),
        image=1 + number % IMAGES if number % 10 else None,
        published_at=published_at(number),
    )


def published_at(number: int) -> datetime:
    return FIRST_DAY + timedelta(seconds=61 * (number % 900_000))


def picture(number: int) -> bytes:
    """Return a PNG of one colour."""
    content = io.BytesIO()
    Image.new("RGB", (640, 480), (5 * number % 256, 90, 150)).save(content, "PNG")
    return content.getvalue()


def settle() -> None:
    """Do what the database does by itself in time: clean up after the writes, and collect statistics.

    Without statistics plans are poor, and a search on PostgreSQL reads all entries that were not merged into its index yet.
    """
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def _sentence(chance: random.Random, fewest: int, most: int) -> str:
    return " ".join(chance.choices(_WORDS, k=chance.randint(fewest, most))).capitalize()


def _body(chance: random.Random, opening: str) -> str:
    """Return about BODY_LENGTH characters of HTML: paragraphs, some with a heading and bold text."""
    blocks: list[str] = []
    while sum(map(len, blocks)) < BODY_LENGTH - 200:
        text = opening + " ".join(f"{_sentence(chance, 8, 16)}." for _ in range(4))
        opening = ""
        heading = chance.random() < 0.2
        blocks.append(f"<h3>{_sentence(chance, 3, 5)}</h3><p><b>{text}</b></p>" if heading else f"<p>{text}</p>")
    return "".join(blocks)
