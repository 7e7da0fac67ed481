"""Blog posts of the demo's arts centre, in every status."""

from typing import Any

CATEGORIES = ("News", "Workshops", "Exhibitions", "Community", "Behind the scenes")
TAGS = ("Ceramics", "Printmaking", "Music", "Young people", "Volunteering", "The building", "Textiles", "Outdoors")

BULK_PREFIX = "notebook-"


def _post(
    slug: str, title: str, author: str, terms: tuple[list[str], list[str]], excerpt: str, body: str, **more: Any
) -> dict[str, Any]:
    categories, tags = terms
    data = {"title": title, "body": body, "author": author, "category": categories, "tags": tags}
    return {"slug": slug, "excerpt": excerpt, "data": data, **more}


PUBLISHED: list[dict[str, Any]] = [
    _post(
        "the-new-kiln-is-lit",
        "The new kiln is lit",
        "Maren Okafor",
        (["news", "workshops"], ["ceramics", "the-building"]),
        "Eleven months of cake sales, one very heavy delivery, and on Saturday morning the first pots came out whole.",
        "<p>It took six people, a pallet truck and most of a Thursday to get the kiln through the loading door. It took eleven "
        "months before that to pay for it, in raffle tickets, sponsored swims and a remarkable number of lemon cakes.</p>"
        "<p>On Saturday we opened it for the first time. Forty-one pieces went in: mugs from the evening class, a row of "
        "lopsided foxes from the Year 4 group, and a tall jar that Ines had been saving for two years because the old kiln was "
        "too short for it. Forty-one came out.</p>"
        "<h2>What it changes</h2><p>The old kiln fired once a fortnight if the weather was kind. The new one can be packed on a "
        "Monday and emptied on a Wednesday, so from next month every ceramics course ends with finished work to take home.</p>"
        "<blockquote><p>I had forgotten that glaze could be that blue.</p></blockquote>"
        "<p>Open firings are on the first Saturday of the month. Come at ten; the tea is on.</p>",
        picture="kiln",
        days_ago=2,
    ),
    _post(
        "two-colours-forty-hands",
        "Two colours, forty hands",
        "Tomasz Reyes",
        (["exhibitions"], ["printmaking", "young-people"]),
        "Twenty young printmakers were given coral, cobalt and a week. The show fills the whole ground-floor corridor.",
        "<p>The rules were simple. Two inks, one sheet, and no picture of a phone. Twenty people between eleven and seventeen "
        "spent the half-term week in the print room, and what they made now runs the length of the ground-floor corridor.</p>"
        "<p>There are maps of the bus route home. There is a portrait of a grandmother built entirely from overlapping circles. "
        "There is a print called <em>Tuesday</em> that nobody can explain and everybody likes best.</p>"
        "<h2>See it</h2><p>The corridor is open whenever the building is, and every print is for sale at fifteen pounds, framed "
        "or not. Half goes to the artist and half buys ink for the next group.</p>",
        picture="print",
        days_ago=6,
    ),
    _post(
        "a-choir-for-people-who-cannot-sing",
        "A choir for people who say they cannot sing",
        "Priya Nandakumar",
        (["community"], ["music", "volunteering"]),
        "Nobody auditions, nobody solos, and nobody is asked to read music. After a year there are sixty-three of us.",
        "<p>Last autumn nine people came to the first rehearsal, and six of them had been told at school to mouth the words. "
        "This week sixty-three came, and we ran out of chairs.</p>"
        "<p>We learn everything by ear, one line at a time, and we sing it until it belongs to us. Some weeks that is a "
        "sea shanty. Last month it was a Bulgarian harvest song that none of us can spell.</p>"
        "<ul><li>Wednesdays, seven until half past eight</li><li>In the Turbine Hall, where the echo is forgiving</li>"
        "<li>Pay what you can, and nothing is a fine amount</li></ul>"
        "<p>If you have been told that you cannot sing, we would especially like to meet you.</p>",
        picture="choir",
        days_ago=11,
    ),
    _post(
        "what-the-saw-tooth-roof-taught-us",
        "What the saw-tooth roof taught us",
        "Maren Okafor",
        (["behind-the-scenes", "news"], ["the-building"]),
        "Mill owners wanted even north light for their weavers. A century later it turns out to be perfect for painting.",
        "<p>Look up in the long studio and you will see fourteen identical slopes, each with its glass facing north. They were "
        "built in 1908 so that weavers could match threads without a shadow crossing the cloth.</p>"
        "<p>This summer we had every pane out. Eleven were cracked, three were painted shut, and one held a newspaper from 1931, "
        "folded to keep the draught out. The glaziers from Pell &amp; Daughters numbered each frame, mended what could be mended "
        "and copied what could not.</p>"
        "<p>The difference is hard to photograph and easy to feel. Even on a grey day you can work until five without a lamp.</p>"
        "<h2>With thanks</h2><p>The repair was paid for by 212 people who each sponsored a pane. Their names are on the beam "
        "by the door.</p>",
        picture="roof",
        days_ago=19,
    ),
    _post(
        "night-walk-along-the-weir",
        "Night walk along the weir",
        "Joss Whitlock",
        (["community"], ["outdoors", "music"]),
        "A lantern each, a brass trio under the bridge, and a mile of river that most of us only know by daylight.",
        "<p>We set off from the yard at eight, fifty lanterns in a line. The idea was borrowed from a village in Slovenia and "
        "the "
        "lanterns from the textiles group, who had been waxing paper for weeks.</p>"
        "<p>Under the road bridge a brass trio was waiting in the dark. They played for ten minutes. Nobody clapped until the "
        "last echo had gone, and then everybody did.</p>"
        "<p>The next walk is at the full moon. It is about a mile, flat, and fine for pushchairs. Please bring a coat and "
        "leave the "
        "torch at home.</p>",
        picture="moon",
        days_ago=27,
    ),
    _post(
        "learn-to-weave-in-a-weekend",
        "Learn to weave in a weekend",
        "Ines Albrecht",
        (["workshops"], ["textiles"]),
        "Eight looms, two days, and a scarf to show for it. Beginners leave knowing how to warp a loom of their own.",
        "<p>Weaving has a reputation for patience. It deserves it, but not for the part you think: the weaving itself is quick. "
        "It is the setting up that takes time, and we have done half of that before you arrive.</p>"
        "<h2>Saturday</h2><p>You choose yarn from the dye studio, wind a warp and dress the loom. By four o'clock you will have "
        "woven your first hand's breadth.</p>"
        "<h2>Sunday</h2><p>You weave, and talk, and weave. Lunch is soup. Everybody finishes; nobody has failed yet.</p>"
        "<p>Places are limited to eight, one to a loom. Two are always kept at half price.</p>",
        picture="loom",
        days_ago=34,
    ),
    _post(
        "the-garden-behind-the-weir",
        "The garden behind the weir is open",
        "Joss Whitlock",
        (["news", "community"], ["outdoors", "volunteering"]),
        "What was a car park for skips is now a quarter of an acre of dye plants, benches and one very confident hen.",
        "<p>Three years ago the strip behind the weir held four skips and a great deal of bramble. It now holds madder, weld and "
        "woad for the dye studio, a bench made from the old loading beam, and a hen called Margaret who came with the house next "
        "door and stayed.</p>"
        "<p>The garden is open from ten until dusk. The paths are firm and level, there is a ramp from the yard, and the "
        "lowest beds "
        "are at a height that suits a wheelchair.</p>"
        "<p>Volunteers meet on Tuesday mornings. You do not have to know anything about plants. Margaret will supervise.</p>",
        picture="garden",
        days_ago=48,
    ),
    _post(
        "brass-on-the-loading-bay",
        "Brass on the loading bay",
        "Priya Nandakumar",
        (["news"], ["music", "outdoors"]),
        "Four free Sunday concerts, played from the place where the bales used to leave for Liverpool.",
        "<p>The loading bay makes an unexpectedly good stage. It is the right height, it has a roof, and the brick behind it "
        "throws "
        "the sound straight down the yard.</p>"
        "<p>This season's four Sundays belong to brass: the town band first, then a quintet, then a very loud group of "
        "teenagers, "
        "and finally all of them together, which we are told has never been tried.</p>"
        "<p>Bring a blanket. The café opens at noon and the music begins at two. If it rains, we move indoors and turn it "
        "up.</p>",
        picture="brass",
        days_ago=61,
    ),
    _post(
        "cut-paper-with-the-saturday-club",
        "Cut paper with the Saturday club",
        "Tomasz Reyes",
        (["workshops", "community"], ["young-people"]),
        "Scissors, six sheets of coloured paper, and an hour in which nobody is allowed to draw a line first.",
        "<p>The Saturday club is for anyone from five to ten, with a grown-up who is willing to be useful. This term we are "
        "working "
        "with cut paper, and there is only one rule: no drawing first. You cut, you look at what you have cut, and you decide "
        "what "
        "it might be.</p>"
        "<p>Last week it was whales. It was not meant to be whales.</p>"
        "<p>We meet at half past ten in the studio with the yellow door. Four pounds a child, and the second child is free.</p>",
        picture="paper",
        days_ago=75,
    ),
    _post(
        "why-we-keep-one-door-unlocked",
        "Why we keep one door unlocked",
        "Maren Okafor",
        (["behind-the-scenes"], ["volunteering", "the-building"]),
        "There is always a kettle on in the porter's room. It is the cheapest thing we do, and it may be the most important.",
        "<p>The porter's room is the first door on the left. It has a kettle, six chairs, a shelf of books to swap and a "
        "noticeboard, "
        "and it is open from eight in the morning whether or not anything is on.</p>"
        "<p>Some people come to wait for a bus. Some come because it is warm. One gentleman comes each day at eleven, reads "
        "half a "
        "chapter, and goes home. He is on his ninth Trollope.</p>"
        "<p>A volunteer sits there every hour that we are open. If you have two hours a week and like a conversation, we "
        "would be glad "
        "of your company.</p>",
        days_ago=92,
    ),
    _post(
        "light-rigging-for-beginners",
        "Light rigging for beginners",
        "Joss Whitlock",
        (["workshops", "behind-the-scenes"], ["young-people"]),
        "Six evenings to learn how a show is lit, from coiling a cable properly to running your own cues on the night.",
        "<p>Most people who light shows learned by standing next to someone who already did. This course is six evenings of "
        "exactly "
        "that. You start with cables and ladders, go on to focus and colour, and finish by lighting a real performance in the "
        "Turbine "
        "Hall with an audience in it.</p>"
        "<ol><li>Safety, cables and knots</li><li>Lanterns and what they are for</li><li>Hanging and focusing</li>"
        "<li>Colour</li><li>Programming the desk</li><li>The show</li></ol>"
        "<p>You need to be sixteen or over and comfortable on a ladder, or happy to run the desk for someone who is.</p>",
        picture="stage",
        days_ago=118,
    ),
    _post(
        "a-year-in-numbers",
        "A year in numbers",
        "Maren Okafor",
        (["news", "behind-the-scenes"], ["the-building"]),
        "How many people came, what it cost, and where the money went: our year on a single page.",
        "<p>We print this page each year and pin it by the door, because it is your building.</p>"
        "<table><thead><tr><th>What</th><th>How many</th></tr></thead><tbody><tr><td>Visits</td><td>31,400</td></tr>"
        "<tr><td>Workshops</td><td>286</td></tr><tr><td>Volunteers</td><td>94</td></tr><tr><td>Cups of tea</td><td>too many "
        "to count</td></tr>"
        "</tbody></table>"
        "<p>Of every pound we received, sixty-one pence paid people who teach and make, twenty-four kept the roof on and the "
        "heating "
        "running, and fifteen went on everything else.</p>"
        "<p>The full accounts are in the porter's room, next to the biscuits. Questions are welcome at either.</p>",
        picture="river",
        days_ago=150,
    ),
]

_NOTE = "<p>This note is still being written.</p>"


def _waiting(slug: str, title: str, status: str, excerpt: str, **more: Any) -> dict[str, Any]:
    return _post(slug, title, "Maren Okafor", (["news"], []), excerpt, _NOTE, status=status, **more)


UNPUBLISHED: list[dict[str, Any]] = [
    _waiting(
        "notes-on-the-spring-programme", "Notes on the spring programme", "draft", "A first sketch of what spring might hold."
    ),
    _waiting(
        "interview-with-the-glaziers", "An interview with the glaziers", "draft", "Pell & Daughters on a hundred years of panes."
    ),
    _waiting("margaret-the-hen", "Margaret the hen: a profile", "draft", "She has asked to see the text before it appears."),
    _waiting(
        "letter-to-the-next-century", "A letter to the next century", "scheduled", "To be opened when the kiln is an antique."
    ),
    _waiting("the-time-capsule", "The time capsule", "scheduled", "What we put under the yard, and why."),
    _waiting("two-hundred-years-of-the-mill", "Two hundred years of the mill", "scheduled", "The anniversary, as we imagine it."),
    _waiting(
        "cafe-closed-for-repairs",
        "The café is closed for repairs",
        "unpublished",
        "Back on Monday with a new floor.",
        days_ago=200,
    ),
    _waiting(
        "call-for-winter-market-stalls", "A call for winter market stalls", "unpublished", "Stalls are now full.", days_ago=230
    ),
    _waiting(
        "old-opening-hours", "Our opening hours are changing", "unpublished", "These hours are no longer current.", days_ago=260
    ),
]

_ROOMS = (
    "print room",
    "dye studio",
    "long studio",
    "Turbine Hall",
    "porter's room",
    "loading bay",
    "weir garden",
    "ceramics studio",
)
_DOINGS = (
    "A quiet morning in",
    "New tools for",
    "Who works in",
    "Open evening in",
    "A visit to",
    "Small repairs in",
    "Spring cleaning in",
)
_PEOPLE = ("Maren Okafor", "Tomasz Reyes", "Priya Nandakumar", "Joss Whitlock", "Ines Albrecht")


def bulk_slug(number: int) -> str:
    return f"{BULK_PREFIX}{number:06}"


def bulk_post(number: int) -> dict[str, Any]:
    """Return one of any number of additional posts."""
    room, doing = _ROOMS[number % len(_ROOMS)], _DOINGS[number // len(_ROOMS) % len(_DOINGS)]
    author = _PEOPLE[number % len(_PEOPLE)]
    return {
        "slug": bulk_slug(number),
        "excerpt": f"From the notebook, page {number}: what happened in the {room} this week.",
        "data": {
            "title": f"{doing} the {room} (notebook {number})",
            "body": f"<p>Page {number} of the notebook in the {room}. The last person to leave writes down what was made, "
            f"broken and mended.</p><p>This week that was {author.split()[0]}, and little was broken.</p>",
            "author": author,
            "category": ["behind-the-scenes" if number % 2 else "community"],
            "tags": [["the-building", "volunteering", "textiles"][number % 3]],
        },
    }
