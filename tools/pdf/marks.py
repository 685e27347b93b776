"""What stands raised in a line: marks of footnotes are taken away, powers are written as such."""

import re
from collections import defaultdict
from collections.abc import Sequence

from tools.pdf.lines import Line

_MARK = re.compile(r"\d{1,2}|[*∗†‡§¶]{1,3}")
_POWER = re.compile(r"[-−–+]?\d{1,4}")


def clear_marks(lines: Sequence[Line]) -> None:
    """Take the marks that point to a footnote of the same page out of the lines' texts.

    Other raised numbers stay, as they may be citations; behind a digit they get a circumflex.
    """
    marks: dict[int, set[str]] = defaultdict(set)
    for line in lines:
        if line.kind == "footnote":
            match = _MARK.match(line.mark or line.text)
            if match:
                marks[line.page].add(match[0])
    for line in lines:
        for start, end in reversed(line.raised):
            raised = line.text[start:end]
            before = line.text[start - 1 : start]
            if (line.kind == "footnote" and start == 0) or not before:
                continue
            if line.kind == "title" and _MARK.fullmatch(raised) and before.isalpha():
                line.text = line.text[:start] + line.text[end:]
            elif raised in marks[line.page] and not before.isdigit():
                line.text = (line.text[:start].rstrip() + line.text[end:]).strip()
            elif before.isdigit() and _POWER.fullmatch(raised):
                line.text = f"{line.text[:start]}^{line.text[start:]}"
