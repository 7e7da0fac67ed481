"""What each kind of row holds where people look at it in the admin before they choose it."""

from typing import Any

WORDS = "<p>A few sentences that say what it is about, and why somebody should care.</p>"
LINK = {"text": "Find out more", "page": None, "url": "/"}

EXAMPLES: dict[str, dict[str, Any]] = {
    "hero": {"heading": "One thing to remember", "text": WORDS, "links": [LINK, {**LINK, "text": "Visit us"}]},
    "text": {"heading": "How we work", "text": WORDS + "<h3>In detail</h3>" + WORDS},
    "media_text": {"heading": "A picture tells the rest", "text": WORDS, "links": [LINK], "side": "right"},
    "gallery": {"heading": "Around the house", "pictures": [{"caption": f"Picture {number}"} for number in (1, 2, 3)]},
    "cards": {
        "heading": "What we offer",
        "cards": [{"title": name, "text": "In one sentence."} for name in ("One", "Two", "Three")],
    },
    "quote": {"quote": "I came for an hour and stayed for a year.", "name": "Somebody", "role": "Visitor"},
    "faq": {
        "heading": "Good to know",
        "questions": [{"question": "Do I have to book?", "answer": WORDS}, {"question": "Is it free?", "answer": WORDS}],
    },
    "item_list": {"heading": "", "type": "blog-post", "count": 3, "link": True},
    "call_to_action": {"heading": "Come along", "text": "The first time is free of charge.", "links": [LINK]},
    "map": {"heading": "Where we are", "address": "Weir Lane 4\nHarrowford", "directions": WORDS},
}
