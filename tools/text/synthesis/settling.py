"""The lines that stay in a synthesis, and those that are left out of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from state.synthesis import Line, LostLine
from tools.text.pointing import DANGLING, points_back
from tools.text.synthesis.origins import BAD, Judged

_CAUSES = {
    "contradicted": "the sources say the opposite",
    "not_in_source": "no line of the sources bears it out",
}
_LEANING = "it leans on a line that was left out"
_LINKS = re.compile(
    r"^(?:however|moreover|furthermore|in addition|additionally|besides|also|therefore|thus|hence|"
    r"consequently|as a result|accordingly|nevertheless|nonetheless|in contrast|by contrast|"
    r"conversely|similarly|likewise|instead|meanwhile|finally|overall|in turn|on the other hand),?\s+",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"^(?:we|i|let us|there|to (?:the best of )?(?:our|my) knowledge)\b", re.IGNORECASE
)
"""Starts that a reader understands without the line before."""
_START = 6
"""Words of a line's start in which it may speak of 'these methods' of the line before."""


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """A line of the draft, its paragraph there, and where it comes from."""

    text: str
    paragraph: int
    judged: Judged


def settle(drafted: Sequence[JudgedLine]) -> tuple[list[Line], list[LostLine]]:
    """Return the lines that are borne out, numbered, and the others with their causes.

    A line behind one that was left out loses the word that links it ('However, ...'); one that
    cannot be understood without it ('This shows ...') is left out, too.
    """
    lines: list[Line] = []
    lost: list[LostLine] = []
    numbers: dict[int, int] = {}
    gap = 0
    for item in drafted:
        text = item.text
        if item.judged.verdict in BAD or not item.judged.origins:
            lost.append(
                LostLine(
                    text=text, cause=_CAUSES.get(item.judged.verdict, _CAUSES["not_in_source"])
                )
            )
            gap = item.paragraph
            continue
        if gap == item.paragraph:
            text = _unlinked(text)
            if _leans(text):
                lost.append(LostLine(text=item.text, cause=_LEANING))
                continue
        gap = 0
        paragraph = numbers.setdefault(item.paragraph, len(numbers) + 1)
        lines.append(
            Line(
                number=len(lines) + 1, paragraph=paragraph, text=text,
                origins=item.judged.origins, verdict=item.judged.verdict,
            )
        )  # fmt: skip
    return lines, lost


def _unlinked(text: str) -> str:
    found = _LINKS.match(text)
    rest = text[found.end() :] if found else text
    return rest[:1].upper() + rest[1:] if rest else text


def _leans(text: str) -> bool:
    """Whether a line is not understood without the one before it."""
    dangling = DANGLING.match(text) and not _ALONE.match(text)
    return bool(dangling) or points_back(" ".join(text.split()[:_START]))
