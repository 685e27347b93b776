"""Three made-up papers for `synthesize`: a PDF with numbers, Markdown with numbers, text with names.

They cite some of the same works, each in its own way, and the third cites the first.
"""

import base64
from functools import cache
from typing import Any

from tests.pdf.writer import BOLD, Page, pdf

QUESTION = "How do barn owls find voles in the dark?"
SHARED = "Counting voles by ear in winter meadows"
"""A work that all three cite, with different labels."""
_ENTRIES = [
    "[1] Anna Lind and Omar Reyes. 2015. Asymmetric ears of owls and what they are for. Quiet Birds 4, 1-12.",
    f"[2] Bea Holm. 2018. {SHARED}. Meadow Letters 7, 33-41. doi:10.5555/voles.2018",
    "[3] Carl Moss, Dina Orr. 2020. Two listeners are better than one. Proceedings of Hearing, 55-60.",
]
_FIRST = {
    "1 Introduction": [
        "Barn owls find voles in complete darkness by their hearing alone [1]. What their eyes add at "
        "dusk is a matter of dispute, and we do not enter it in this paper at all.",
        "The left ear of a barn owl stands higher than the right one, so that barn owls tell the height "
        "of a vole in the dark from the difference in loudness [1, 3]. Counts of voles were taken from "
        "earlier work [2]. The birds were ringed, weighed each morning, and set free again at the farm from "
        "which they had been taken, with its leave, by the same two people.",
    ],
    "2 Costs": [
        "A winter night costs the bird a tenth of its weight. Snow of more than a hand muffles the "
        "sound of a vole, and barn owls then find fewer voles in the dark than in autumn [2].",
        "The barns of the region were built of oak and later of steel, and their owners were asked for "
        "leave in writing before the first night of the study.",
    ],
}
SECOND = f"""# Feathers that make no sound

Rita Vale, Sam Oak

## Abstract

We ask what silent feathers are good for when barn owls hunt voles in the dark. Silence helps the owl to
hear, and not only the vole to hear nothing.

## Hearing in flight

Barn owls with trimmed feathers found half as many voles in the dark, since the noise of their own wings
hid the sound of the vole [1]. The number of voles was taken from counts by ear [2].

## Materials

The feathers were washed in cold water and dried on a line. Each was given a number, and the numbers were
drawn by lot.

## References

[1] Eve Stone. 2012. The noise of wings. Annals of Feathers 2, 10-19.

[2] B. Holm. {SHARED}. Meadow Letters, 7:33-41, 2018.
"""
THIRD = f"""# Young owls learn late

Tom Ash

## Introduction

Young barn owls find no voles in the dark before their twelfth week, because the map of sounds in their
midbrain is not yet sharp (Stone, 2012; Holm, 2018). The asymmetric ears alone do not suffice (Brook and
Ford, 2021). All were reared by hand in one shed, fed at the same hours, and measured with a caliper each
Sunday by two students of the school nearby.

## Discussion

How long the learning takes was measured with dead voles on a string, which is not what happens in a meadow.

## References

Brook, Ilse and Tom Ford. 2021. Owls that Hear the Height of Sounds. Quiet Birds 12.

Holm, Bea. 2018. {SHARED}. Meadow Letters 7, 33-41.

Stone, Eve. 2012. The noise of wings. Annals of Feathers 2, 10-19.
"""
FIRST_TITLE = "Owls that Hear the Height of Sounds"


@cache
def first() -> bytes:
    """Return the first paper as a PDF of two pages."""
    page, last = Page(), Page()
    page.text(60, 720, FIRST_TITLE, size=18, font=BOLD)
    page.text(180, 695, "Ilse Brook and Tom Ford", size=10)
    page.text(60, 650, "Abstract", size=11, font=BOLD)
    y = page.paragraph(
        60,
        636,
        "We show how barn owls tell the height of a sound, and what a winter costs them. The "
        "study took three years and forty birds in nine barns.",
        width=490,
    )
    for heading, paragraphs in _FIRST.items():
        page.text(60, y - 12, heading, size=11, font=BOLD)
        y -= 28
        for number, text in enumerate(paragraphs):
            y = page.paragraph(60, y, text, width=490, indent=11 if number else 0)
    last.text(60, 720, "References", size=11, font=BOLD)
    y = 704.0
    for entry in _ENTRIES:
        y = last.paragraph(60, y, entry, width=490, size=8, lead=10, hang=12)
    return pdf([page, last], title=FIRST_TITLE)


def uploads() -> list[dict[str, Any]]:
    """Return the three papers as uploads."""
    return [
        {"name": "heights.pdf", "content": base64.b64encode(first()).decode()},
        {"name": "feathers.md", "content": SECOND, "encoding": "text"},
        {"name": "young.md", "content": THIRD, "encoding": "text"},
    ]
