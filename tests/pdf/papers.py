"""A paper in two columns, written for the tests."""

from tests.pdf.writer import BOLD, ITALIC, Page, pdf

LEFT, RIGHT, WIDTH = 50, 322, 240
TITLE = "Rivers that Remember their Floods"
ABSTRACT = (
    "Rivers keep traces of the floods that they had. We measure such traces in sixty valleys and "
    "show that the traces of the last century can be told from those of the century before."
)
OPENING = (
    "Floods shape the valleys in which people live, and much is written about them. What is "
    "missing is a measure that works without instruments, since few rivers had any before the "
    "last war. We offer one here and test it."
)
SECOND = (
    "Our measure counts the layers of silt above a known layer of ash. It needs a spade, a ruler "
    "and a steady hand. Where the ash is missing, it can be replaced by charcoal of known age [2]."
)
METHOD = (
    "We dug in each valley at three places, one near the bed of the river, one on the first "
    "terrace, and one above it. Every place was dug by two people who did not know what the other "
    "had found, and their counts were compared at the end of the season [1, 3]."
)
RUNNING = "Journal of Quiet Rivers 12 (2021)"
REFERENCES = [
    "[1] Anna Lind and Omar Reyes. 2015. Counting silt by hand in small valleys. Silt 4, 1-12.",
    "[2] Bea Holm. 2018. Charcoal as a clock for those without ash. Journal of Embers 7, 33-41.",
    "[3] Carl Moss, Dina Orr. 2020. Two people dig better than one. doi:10.5555/12345678.",
]


def first_page() -> Page:
    """Return the page with title, abstract and introduction."""
    page = Page()
    page.text(110, 720, TITLE, size=18, font=BOLD)
    page.text(180, 695, "Ilse Brook, Tom Ford, and Mira Delta", size=10)
    page.text(190, 682, "University of the Lower Marsh", size=10)
    page.text(20, 250, "arXiv:2101.01234v2 [cs.RV] 3 Feb 2021", size=14, upward=True)
    page.text(LEFT, 650, "Abstract", size=11, font=BOLD)
    y = page.paragraph(LEFT, 636, ABSTRACT)
    page.text(LEFT, y - 10, "1 Introduction", size=11, font=BOLD)
    y = page.paragraph(LEFT, y - 25, OPENING)
    y = page.paragraph(LEFT, y, SECOND, indent=11)
    page.text(LEFT, y - 10, "1.1 What a trace is", size=9, font=BOLD)
    y = page.paragraph(
        LEFT, y - 24, "A trace is a layer that a flood left behind. " * 6, filled=True
    )
    y = 650.0
    y = page.paragraph(RIGHT, y, "and which no later flood carried off. " * 4)
    page.text(RIGHT, y - 10, "2 Method", size=11, font=BOLD)
    y = page.paragraph(RIGHT, y - 25, METHOD)
    page.text(RIGHT + 10, y, "Sites.", size=9, font=BOLD)
    y = page.paragraph(
        RIGHT, y, "The sixty valleys lie in four countries and were chosen by lot.", indent=50
    )
    page.paragraph(RIGHT, y, "Each of them has a name, a number and an owner. " * 5, indent=11)
    page.text(RIGHT, 96, "Copyright 2021 held by the authors.", size=7)
    page.text(RIGHT, 88, "ISSN 1234-5678", size=7)
    page.text(300, 40, "17", size=9)
    return page


def later_page(number: int) -> Page:
    """Return a page with a header, a table, a note at the foot and prose in both columns."""
    page = Page()
    page.text(LEFT, 760, RUNNING, size=8, font=ITALIC)
    y = 720.0
    for row in ("Valley   Layers   Age", "North      12     310", "South       9     275"):
        page.text(LEFT + 20, y, row.split()[0], size=8)
        page.text(LEFT + 90, y, row.split()[1], size=8)
        page.text(LEFT + 160, y, row.split()[2], size=8)
        y -= 11
    y = page.paragraph(
        LEFT, y - 6, f"Table {number}: Layers found in two valleys.", size=8, lead=10
    )
    page.text(LEFT, y - 24, f"{number + 1} Results of year {number}", size=11, font=BOLD)
    page.paragraph(LEFT, y - 40, f"In year {number} the floods were small and left little. " * 12)
    page.text(LEFT, 90, "1 Rulers were of beech.", size=7)
    page.paragraph(RIGHT, 720, f"The other valleys were drier in year {number} than before. " * 14)
    page.text(300, 40, str(16 + number), size=9)
    return page


def last_page() -> Page:
    """Return the page with the list of references."""
    page = Page()
    page.text(LEFT, 760, RUNNING, size=8, font=ITALIC)
    page.paragraph(LEFT, 720, "Nothing else is left to say about the rivers that we saw. " * 9)
    page.text(RIGHT, 720, "References", size=11, font=BOLD)
    y = 705.0
    for entry in REFERENCES:
        y = page.paragraph(RIGHT, y, entry, size=7, lead=9, hang=12)
    page.text(300, 40, "21", size=9)
    return page


def paper() -> bytes:
    """Return the whole paper."""
    return pdf([first_page(), later_page(2), later_page(3), later_page(4), last_page()])
