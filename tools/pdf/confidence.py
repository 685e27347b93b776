"""How far each part of a document can be relied on, from what was seen while it was read.

The values are no measured chances: 1 where everything that was looked at speaks for a part, 0
where the part was not found, and in between the share of the evidence that does.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from state.document import Block
from tools.pdf.front import Front
from tools.pdf.headings import follows, numbers_of
from tools.text.text_quality import text_quality

_PROSE = {"text", "list", "abstract"}
_ENDS = re.compile(r"[.!?:;][\"”’')\]]*(?:\d+|\[[\d,–-]+\])?$")
_GOES_ON = {"equation", "list", "code"}
_DATED = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)|to appear|in press|forthcoming|https?:", re.I)
_LABEL = re.compile(r"\[\s*(\d{1,4})\s*\]|(\d{1,4})\.?\s+\S")


def confidence_of(
    front: Front, blocks: Sequence[Block], *, pages: int, unread: int
) -> dict[str, float]:
    """Return, for each part of a document, how far it can be relied on, 0..1.

    The evidence: of the title, whether the file names it, or by how much it is set off; of the
    authors, whether every name looks like one; of the abstract, its length and that no address
    stands in it; of the sections, whether their numbers go on without gaps; of the paragraphs,
    how much of the prose stands in blocks that begin and end as sentences do; of the references,
    how many entries have a year, the length of one, and the next label. All but the sections
    are lower in a text layer that is garbled, and the last two where pages were not read.

    Args:
        front: What the first page tells.
        blocks: Those of the document.
        pages: How many the file has.
        unread: How many of them were not read.
    """
    legible = legibility(blocks)
    read = 1 - min(1.0, unread / max(1, pages))
    found = {
        "text": legible,
        "title": front.title_share * legible,
        "authors": _authors(front.authors) * legible,
        "abstract": _abstract(blocks) * legible,
        "sections": _sections(blocks),
        "paragraphs": _paragraphs(blocks) * legible * read,
        "references": _references(blocks) * legible * read,
    }
    return {part: round(value, 2) for part, value in found.items()}


def legibility(blocks: Sequence[Block]) -> float:
    """Return how well the prose of a document reads, 0..1, by characters (see text_quality)."""
    prose = [block.text for block in blocks if block.kind in _PROSE]
    size = sum(map(len, prose))
    return sum(text_quality(text) * len(text) for text in prose) / size if size else 1.0


def _authors(names: Sequence[str]) -> float:
    good = [name for name in names if len(name.split()) >= 2 and not re.search(r"[\d_@]", name)]
    return 0.95 * len(good) / len(names) if names else 0.0


def _abstract(blocks: Sequence[Block]) -> float:
    text = " ".join(block.text for block in blocks if block.kind == "abstract")
    if not text:
        return 0.0
    evidence = [20 <= len(text.split()) <= 500, "@" not in text, bool(_ENDS.search(text))]
    return sum(evidence) / len(evidence)


def _sections(blocks: Sequence[Block]) -> float:
    """Return the share of numbered headings whose number is the one to come."""
    titles = dict.fromkeys(title for block in blocks for title in block.section)
    numbers = [number for title in titles if (number := numbers_of(title))]
    if len(numbers) < 2:
        return 0.6 if len(titles) > 3 else 0.3 if titles else 0.0
    steps = [numbers[0] == (1,), *(follows(b, a) for a, b in pairwise(numbers))]
    return sum(steps) / len(steps)


def _paragraphs(blocks: Sequence[Block]) -> float:
    """Return the share of the prose, by characters, in blocks that are whole."""
    whole = total = 0
    for index, block in enumerate(blocks):
        if block.kind not in _PROSE:
            continue
        before = blocks[index - 1].kind if index else ""
        after = blocks[index + 1].kind if index + 1 < len(blocks) else ""
        begins = not block.text[0].islower() or before in _GOES_ON
        ends = bool(_ENDS.search(block.text)) or after in _GOES_ON
        total += len(block.text)
        whole += len(block.text) * (begins + ends) // 2
    return whole / total if total else 0.0


def _references(blocks: Sequence[Block]) -> float:
    texts = [block.text for block in blocks if block.kind == "reference"]
    if not texts:
        return 0.0
    dated = sum(bool(_DATED.search(text)) for text in texts)
    sized = sum(25 <= len(text) <= 900 for text in texts)
    labels = [int(match[1] or match[2]) for text in texts if (match := _LABEL.match(text))]
    shares = [dated / len(texts), sized / len(texts)]
    if len(labels) > 0.5 * len(texts):
        row = sum(after == before + 1 for before, after in pairwise(labels))
        shares.append((row + (labels[0] == 1)) / len(texts))
    return min(shares)
