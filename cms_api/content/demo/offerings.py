"""Services and projects of the demo's arts centre."""

from typing import Any

SERVICE_CATEGORIES = ("Courses", "Spaces", "For schools")
PROJECT_CATEGORIES = ("Commission", "Residency", "Public realm")


def _service(slug: str, picture: str, category: str, days_ago: int, **data: Any) -> dict[str, Any]:
    return {"slug": slug, "picture": picture, "days_ago": days_ago, "data": {**data, "category": [category]}}


SERVICES: list[dict[str, Any]] = [
    _service(
        "evening-courses",
        "pots",
        "courses",
        300,
        title="Evening courses",
        summary="Ten weeks of ceramics, printmaking, weaving or life drawing, in a small group with a teacher who makes a "
        "living from it.",
        description="<p>Every course is ten evenings long and has at most ten people in it. Materials are included, and so is "
        "the use of "
        "the studio on Sunday afternoons for as long as your course runs.</p><h2>Who it is for</h2><p>Beginners, mostly. If you "
        "have done a course before, say so, and we will place you with people who have too.</p><p>One place in five is free. "
        "There is "
        "no form to fill in: ask at the desk.</p>",
        price="from £120",
        duration="10 weeks",
    ),
    _service(
        "studio-membership",
        "tools",
        "spaces",
        310,
        title="Studio membership",
        summary="Your own shelf, a key card, and the run of four studios from seven in the morning until eleven at night.",
        description="<p>Members share the print room, the dye studio, the ceramics studio and the long studio. A technician "
        "is in on "
        "weekdays and will teach you any machine you have not met.</p><p>Membership is by the month and can be paused.</p>",
        price="£48 a month",
        duration="Monthly",
    ),
    _service(
        "room-hire",
        "hall",
        "spaces",
        320,
        title="Room hire",
        summary="Five rooms for meetings, rehearsals, weddings and wakes, from a snug for eight to a hall for two hundred.",
        description="<p>Each room comes with tables, chairs, strong coffee and someone who knows where the light switches "
        "are. Charities "
        "and groups from the town pay half.</p><p>The Turbine Hall has a sprung floor, a lighting rig and a piano that is "
        "tuned twice a year.</p>",
        price="from £14 an hour",
        duration="By the hour or the day",
    ),
    _service(
        "school-visits",
        "pencils",
        "for-schools",
        330,
        title="School visits",
        summary="A day of making for up to sixty children, planned with their teacher and tied to what they are learning.",
        description="<p>Classes rotate through three studios and finish with a show in the hall, to which parents are "
        "invited. We supply "
        "aprons, materials and patience.</p><ul><li>Early years to Year 13</li><li>Step-free throughout</li><li>A quiet room is "
        "always available</li></ul>",
        price="£6 a child",
        duration="One day",
    ),
    _service(
        "printing-for-you",
        "print",
        "courses",
        340,
        title="Custom printing",
        summary="Posters, invitations and small editions, screen-printed by hand in runs of twenty to five hundred.",
        description="<p>Send us a drawing, a photograph or an idea on the back of an envelope. We separate the colours, cut "
        "the stencils "
        "and show you a proof before the first sheet is printed.</p><p>Paper is recycled and inks are water-based.</p>",
        price="from £90",
        duration="Two to three weeks",
    ),
    _service(
        "kiln-firing",
        "kiln",
        "courses",
        350,
        title="Kiln firing",
        summary="Bring work you have made at home. We'll fire it and let you know when it's cool enough to hold.",
        description="<p>We fire to earthenware and stoneware temperatures on alternate weeks. Work is charged by the shelf, "
        "and shared "
        "shelves are shared fairly.</p><p>Please tell us which clay and glaze you used. The kiln is new, and we are fond of "
        "it.</p>",
        price="£12 a shelf",
        duration="About a week",
    ),
]


def _project(slug: str, picture: str, category: str, days_ago: int, services: list[str], **data: Any) -> dict[str, Any]:
    data |= {"category": [category], "services": services}
    return {"slug": slug, "picture": picture, "days_ago": days_ago, "data": data}


PROJECTS: list[dict[str, Any]] = [
    _project(
        "market-hall-tiles",
        "tiles",
        "public-realm",
        20,
        ["kiln-firing", "school-visits"],
        title="Tiles for the market hall",
        client="Harrowford Town Council",
        completed_on="2025-09-12",
        website="https://example.org/market-hall",
        description="<p>Six hundred tiles, each pressed by someone who shops at the market, now line the stairs between the "
        "fish stalls "
        "and the street.</p><p>We set up a table beside the flower stall for eleven Saturdays. People chose a shape and a "
        "colour, and "
        "left the rest to the kiln. The pattern was settled on the wall, by the tilers, by eye.</p>",
    ),
    _project(
        "river-banners",
        "loom",
        "commission",
        60,
        ["evening-courses"],
        title="Banners for the river festival",
        client="Harrowford River Trust",
        completed_on="2025-06-21",
        website="https://example.org/river-trust",
        description="<p>Twelve woven banners, nine metres long, dyed with plants from our own garden and hung from the "
        "footbridge for the "
        "week of the festival.</p><p>They have faded as they were meant to, and now hang in the library.</p>",
    ),
    _project(
        "hospital-corridor",
        "print",
        "commission",
        130,
        ["printing-for-you"],
        title="A corridor for the children's ward",
        client="St Bride's Hospital",
        completed_on="2025-03-04",
        description="<p>Forty prints turn the long walk to theatre into a search for a missing otter. Patients, nurses and "
        "porters all "
        "drew for it; the otter appears thirty-nine times.</p>",
    ),
    _project(
        "sound-of-the-mill",
        "mill",
        "residency",
        190,
        ["studio-membership", "room-hire"],
        title="The sound of the mill",
        client="Residency: Anouk Verhoeven",
        completed_on="2024-11-30",
        website="https://example.org/sound-of-the-mill",
        description="<p>For three months the composer Anouk Verhoeven recorded the building: the weir, the pigeons, the lift, "
        "the hum of the "
        "transformer. The piece she made of it was played once, in the dark, to two hundred people.</p>",
    ),
    _project(
        "the-long-table",
        "people",
        "public-realm",
        260,
        ["evening-courses", "room-hire"],
        title="The long table",
        client="The people of Weir Lane",
        completed_on="2024-07-07",
        description="<p>A table thirty-one metres long, made of reclaimed loom timber in ninety pieces, that comes out of its "
        "shed once a year "
        "and goes down the middle of the street.</p>",
    ),
    _project(
        "lanterns",
        "moon",
        "residency",
        320,
        ["school-visits"],
        title="Lanterns for a dark December",
        client="Four primary schools",
        completed_on="2023-12-15",
        description="<p>Four schools, four hundred lanterns and one very wet evening. The designs were drawn from the "
        "children's own windows.</p>",
    ),
]
