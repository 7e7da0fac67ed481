"""Sample content of each kind of row, for its preview in the admin."""

from typing import Any

WORDS = "<p>A few sentences about the topic and why it matters to your visitors.</p>"
LINK = {"text": "Learn more", "page": None, "url": "/"}

EXAMPLES: dict[str, dict[str, Any]] = {
    "hero": {"heading": "Your main message", "text": WORDS, "links": [LINK, {**LINK, "text": "Visit us"}]},
    "text": {"heading": "How we work", "text": WORDS + "<h3>In detail</h3>" + WORDS},
    "media_text": {"heading": "Show what you do", "text": WORDS, "links": [LINK], "side": "right"},
    "gallery": {"heading": "A look around", "pictures": [{"caption": f"Picture {number}"} for number in (1, 2, 3)]},
    "cards": {
        "heading": "What we offer",
        "cards": [{"title": name, "text": "In one sentence."} for name in ("One", "Two", "Three")],
    },
    "quote": {"quote": "I came for an hour and stayed for a year.", "name": "Dana Reyes", "role": "Visitor"},
    "faq": {
        "heading": "Good to know",
        "questions": [{"question": "Do I have to book?", "answer": WORDS}, {"question": "Is it free?", "answer": WORDS}],
    },
    "item_list": {"heading": "", "type": "blog-post", "count": 3, "link": True},
    "call_to_action": {"heading": "Come along", "text": "Your first visit is free.", "links": [LINK]},
    "map": {"heading": "Where we are", "address": "Weir Lane 4\nHarrowford", "directions": WORDS},
}
