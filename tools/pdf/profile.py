"""What is usual in a document: the size and font of its prose, the distance of its lines."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tools.pdf.lines import Line, leading


@dataclass(frozen=True, slots=True)
class Profile:
    """Usual values of one document."""

    size: float
    font: str
    leading: float
    """Distance of base lines within a paragraph, as a multiple of the size."""

    def is_size(self, line: Line) -> bool:
        """Whether a line has the size of prose."""
        return abs(line.size - self.size) <= 0.06 * self.size

    def is_far(self, line: Line, factor: float = 1.25) -> bool:
        """Whether a line stands further below the one above than within a paragraph."""
        return line.above == 0 or line.above > factor * self.leading * max(line.size, self.size)

    def is_marked(self, line: Line) -> bool:
        """Whether a line's looks set it off from prose, as a heading's do."""
        return line.bold >= 0.8 or line.size > 1.06 * self.size or is_capitals(line.text)


def is_capitals(text: str) -> bool:
    """Whether a text is in capitals and long enough for that to mean something."""
    return text.isupper() and sum(map(str.isalpha, text)) >= 5


def settle_weights(lines: Sequence[Line]) -> None:
    """Take heavy fonts for bold, unless the file calls most of its characters heavy."""
    total = sum(len(line.text) for line in lines)
    believed = sum(line.heavy * len(line.text) for line in lines) < 0.4 * total
    for line in lines:
        if believed:
            line.bold += line.heavy
            line.lead_look = "bold" if line.lead_look == "heavy" else line.lead_look
        elif line.lead_look == "heavy":
            line.lead, line.lead_look = 0, ""


def profile_of(lines: Sequence[Line]) -> Profile:
    """Return what is usual in a document, by the number of its characters."""
    sizes: Counter[float] = Counter()
    fonts: Counter[str] = Counter()
    for line in lines:
        if line.bold < 0.5:
            sizes[round(line.size * 2) / 2] += len(line.text)
    if not sizes:
        for line in lines:
            sizes[round(line.size * 2) / 2] += len(line.text)
    size = max(sizes, key=lambda key: (sizes[key], key), default=10.0)
    near = [line for line in lines if abs(line.size - size) <= 0.3]
    for line in near:
        fonts[line.font] += len(line.text)
    size = sum(x.size * len(x.text) for x in near) / max(1, sum(len(x.text) for x in near)) or size
    font = max(fonts, key=lambda key: (fonts[key], key), default="")
    prose = [line for line in near if not line.gaps]
    return Profile(size, font, leading(prose) / size)
