"""Read the researcher's own plan of the section; docs/planning.md describes the language.

Two forms:
- one line for each sentence, paragraphs apart by blank lines: `1. Contrast [2] with [3] (20 words)`;
- directives: `5 sentences in 120 words. Cite [1] on lines 1 and 3, [2] on line 2`.
`[n]` is the n-th paper of the list that the section is written from; ids may stand in its place.
"""

from collections.abc import Mapping, Sequence

from nodes.write.plan_language.directives import Directions
from nodes.write.plan_language.listing import Listing
from nodes.write.plan_language.names import Papers, listed, pieces, with_markers
from nodes.write.plan_language.reading import TextLine, read_content, text_lines
from nodes.write.plan_language.render import plan_text
from nodes.write.plan_language.sketch import MAX_LINES, finish
from state.writing import MARKER, Plan
from tools.errors import InputError

__all__ = ["MAX_LINES", "named_papers", "parse_plan", "plan_text"]


def named_papers(plan: str, papers: Sequence[str], aliases: Mapping[str, str]) -> list[str]:
    """Return the ids of the papers that a plan names, in the order of `papers`.

    Raises:
        InputError: The plan names a paper that is not among them (all such names are listed), is too
            long, or has a bracket that is not closed.
    """
    known = Papers(papers, aliases)
    named: set[str] = set()
    unknown: list[str] = []
    for piece in pieces(plan):
        if piece.names:
            found, missing = known.read(piece.text)
            named |= set(found)
            unknown += missing
    if unknown:
        raise InputError(
            f"the plan names {listed(unknown)}, but there "
            f"{'is 1 paper' if len(papers) == 1 else f'are {len(papers)} papers'} to cite: use [1] to "
            f"[{len(papers)}], or ids of papers that were found"
        )
    return [key for key in papers if key in named]


def parse_plan(
    plan: str, papers: Sequence[str], aliases: Mapping[str, str], keys: Mapping[str, str]
) -> Plan:
    """Turn a plan into lines; in their notes the papers are markers.

    Args:
        plan: The researcher's text, not empty.
        papers: Ids in the order in which `[n]` counts them.
        aliases: Other ids of these papers.
        keys: The key (P1, ...) of each paper to be cited, and its id.

    Raises:
        InputError: The plan cannot be followed; the message quotes the piece and says what to write.
    """
    by_id = {paper: key for key, paper in keys.items()}
    text = with_markers(plan, Papers(papers, aliases), by_id.get)
    places = {paper: number for number, paper in enumerate(papers, start=1)}
    numbers = {key: places[paper] for key, paper in keys.items() if paper in places}
    try:
        return _read(text_lines(text))
    except InputError as error:
        told = MARKER.sub(lambda found: f"[{numbers.get(found[1], found[1])}]", str(error))
        raise InputError(told) from error


def _read(lines: Sequence[TextLine]) -> Plan:
    form: Directions | Listing = Directions() if _directs(lines) else Listing()
    form.read(lines)
    plan = finish(form.lines, form.scopes)
    counted = form.scopes[None].number("sentence") is not None
    if isinstance(form, Listing) and not counted and not any(line.keys for line in plan.lines):
        raise InputError(
            f"the plan names no paper and counts no sentences: '{lines[0].text[:60]}'; name papers as "
            "[1] on the lines that cite them, or write such as '5 sentences. Cite [1] on line 1'"
        )
    return plan


def _directs(lines: Sequence[TextLine]) -> bool:
    """Whether a plan is made of directions, not of a line for each sentence.

    Raises:
        InputError: It mixes the two.
    """
    contents = [(line, read_content(line.text)) for line in lines if line.kind == "content"]
    listed_ = [line for line, content in contents if line.numbered or content.firm]
    directing = [
        line for line, content in contents if content.directs and line not in listed_ and not line.label
    ]  # fmt: skip
    if directing and listed_:
        raise InputError(
            f"the plan mixes directions, '{directing[0].text[:60]}', with a list of sentences, "
            f"'{listed_[0].text[:60]}': use one of the two"
        )
    if directing:
        return True
    odd = next((line for line, content in contents if content.directs), None)
    if odd is not None:
        raise InputError(
            f"the plan's line '{odd.text[:80]}' stands for one sentence, but counts sentences or points to "
            "another line: give a line for each sentence, or directions without numbering"
        )
    counted = any(line.kind == "counts" for line in lines)
    named = any(content.keys for _, content in contents)
    return counted and not named and not listed_ and not any(line.label for line, _ in contents)
