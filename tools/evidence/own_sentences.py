"""Whether a sentence is its source's own: the one kind of support that needs no judge.

Three forms, and no other: the source's sentence as it stands; its whole sentences in quotation marks
with nothing around them but the authors' name and words of reporting ('Tang et al. [1] write:
“...”'); or its sentence with 'we' or 'this paper' turned into the authors' name, which is made again
from the source (tools.text.self_reference.name_authors) and compared. Of an annotation nothing is its paper's:
its words are quoted as '(annotation)', and no word of reporting puts them in the authors' mouths.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import product

from state.paper import Paper
from state.quote import ANNOTATION
from state.writing import MARKER
from tools.evidence.quotes import find_quote, same_words
from tools.text.self_reference import name_authors
from tools.text.words import Span, split_sentences, tokens

_QUOTED = (
    re.compile(r"[\"“”«»](.+)[\"“”«»]", re.DOTALL),
    re.compile(r"[\"“”«»](.+?)[\"“”«»]", re.DOTALL),
)
"""What stands in quotation marks: from the first mark to the last, or from each to the next."""
_REPORTS = frozenset(
    """write writes wrote state states stated say says said note notes noted add adds added report reports reported
    put puts it thus so as follows go goes on also further then later that they he she the author authors paper its
    same according to in words of and""".split()  # noqa: SIM905
)
"""Words that report what somebody said, in whatever order, and neither doubt nor deny it."""
_ANNOTATES = frozenset(("annotation", "library's", "the", "of", "and"))
_MARKS = re.compile(rf"{MARKER.pattern}(?:[\s,;]*(?:and\s+)?{MARKER.pattern})*")
_YEAR = len("2020a")


def own_sentence_of_paper(sentence: str, key: str, paper: Paper) -> tuple[str, Span] | None:
    """Return the part of a paper ('abstract', 'annotation', 'title') and the words of it that a sentence is.

    Args:
        sentence: With markers. Where it cites several papers, a part between semicolons is enough.
        key: The paper's key.
        paper: The paper.
    """
    cited = set(MARKER.findall(sentence))
    pieces = [sentence]
    if cited != {key}:
        pieces += [part for part in _parts(sentence) if set(MARKER.findall(part)) == {key}]
    for part, text in paper.parts:
        for piece in pieces:
            if span := verbatim(piece, text, names_of(paper), annotated=part == ANNOTATION):
                return part, span
    return None


def annotation_told_as_paper(sentence: str, key: str, paper: Paper) -> Span | None:
    """Return the words of an annotation that a sentence tells as those of the paper's authors, if it does."""
    if paper.abstract_kind != ANNOTATION or own_sentence_of_paper(sentence, key, paper):
        return None
    told = own_sentence_of_paper(
        sentence, key, paper.model_copy(update={"abstract_kind": "abstract"})
    )
    return told and told[1]


def _parts(sentence: str) -> Iterator[str]:
    """Yield the parts between semicolons; one without a marker belongs to the part before it."""
    whole = [""]  # not parted within quotation marks
    for part in sentence.split(";"):
        last = whole[-1]
        opened = last.count("“") > last.count("”") or last.count('"') % 2
        whole = [*whole[:-1], f"{last};{part}"] if opened else [*whole, part]
    held = ""
    for part in whole[1:]:
        if held and MARKER.search(part):
            yield held
            held = part
        else:
            held = f"{held};{part}" if held else part
    yield held


def names_of(paper: Paper) -> tuple[str, ...]:
    """Return what a text may call a paper's authors: 'Lee et al.', 'Lee and Kim', 'Ann Lee'."""
    families = [author.family for author in paper.authors]
    if not families:
        return (paper.citation,)
    names = [paper.citation, families[0], paper.authors[0].name]
    if len(families) > 1:
        first = families[0]
        names += [f"{first} et al.", f"{first} et al", f"{first} and colleagues"]
        listed = ", ".join(families[:-1])
        names += [f"{listed}{joint}{families[-1]}" for joint in (" and ", ", and ", " & ")]
    return tuple(dict.fromkeys(names))


def verbatim(
    sentence: str, text: str, names: Collection[str] = (), *, annotated: bool = False
) -> Span | None:
    """Return where in a text the words of a sentence stand, if it is made of them alone, or None.

    'Tang et al. {P1} evaluate X.' -> the place of 'This study evaluates X.'; 'Tang et al. never
    evaluate X.' -> None. Whole sentences only: half of one may say the opposite of it.

    Args:
        sentence: May have markers.
        text: The source.
        names: What the sentence may call the source's authors.
        annotated: Whether the source is an annotation of the paper, by somebody else.
    """
    known = _sentences(text, tuple(names), annotated)
    # '\\citet{tang} evaluate X': there the marker stands for the name.
    led = MARKER.match(sentence.lstrip())
    rest = sentence.lstrip()[led.end() :].lstrip() if led else ""
    named = [f"{name} {rest}" for name in names if rest[:1].islower()]
    for bare in map(without_markers, (sentence, *named)):
        if found := _reported(bare, known, () if annotated else names):
            return found
        if quoted := _quoted(bare, text, names, annotated):
            return quoted
    return None


def without_markers(sentence: str) -> str:
    """Return a sentence without markers and the brackets that held them."""
    bare = _closed(_MARKS.sub(" ", sentence))
    return _closed(bare.replace("()", "").replace("[]", ""))


def _closed(text: str) -> str:
    """Return a text with single spaces, and none before the marks that close."""
    text = " ".join(text.split()).replace("( ", "(").replace("[ ", "[")
    for mark in ".,;:!?)]":
        text = text.replace(f" {mark}", mark)
    return text


@lru_cache(maxsize=512)
def _sentences(text: str, names: tuple[str, ...], annotated: bool) -> dict[str, Span]:
    """Return the sentences of a text, and what they are with the authors named, by folded words."""
    known: dict[str, Span] = {}
    for span in split_sentences(text):
        known.setdefault(_ended(span.text), span)
        for name, plural in product(names, (True, False)):
            if said := name_authors(span.text, name, plural, annotated=annotated):
                known.setdefault(_ended(said), span)
    return known


def _ended(text: str) -> str:
    return same_words(_closed(text)).strip(" .!?\"'")


def _reported(bare: str, known: Mapping[str, Span], names: Collection[str]) -> Span | None:
    """Return the source's sentence that a sentence is, or that it reports: 'Lee et al. write that ...'."""
    said = _ended(bare)
    if found := known.get(said):
        return found
    for own, span in known.items():
        follows = names and own and said.endswith((f" {own}", f",{own}"))
        if follows and _reports(said.removesuffix(own), names):
            return span
    return None


def _quoted(bare: str, text: str, names: Collection[str], annotated: bool) -> Span | None:
    if bare.count("“") > bare.count("”"):
        bare = f"{bare}”"  # a quotation that goes on in the next sentence
    for pattern in _QUOTED:
        found = [_whole(quote[1], text) for quote in pattern.finditer(bare)]
        around = pattern.sub(" ", bare)
        if found and all(found) and _reports(around, names, annotated=annotated):
            return found[0]
    return None


def _whole(quote: str, text: str) -> Span | None:
    """Return where words stand in a text, if they are whole sentences of it."""
    span = find_quote(quote, text)
    if span is None:
        return None
    spans = split_sentences(text)
    last = next((item for item in spans if item.end >= span.end), spans[-1])
    begins = any(item.start == span.start for item in spans)
    return span if begins and not text[span.end : last.end].strip(" .!?\"'”’)") else None


def _reports(around: str, names: Collection[str], *, annotated: bool = False) -> bool:
    """Whether words beside a quotation only say whose it is; of an annotation they must say that it is one."""
    words = f" {' '.join(tokens(around))} "
    for name in sorted(names, key=len, reverse=True):
        words = words.replace(f" {' '.join(tokens(name))} ", " ")
    said = {word for word in words.split() if not (word[:4].isdigit() and len(word) <= _YEAR)}
    if annotated:
        return said <= _ANNOTATES and "annotation" in said
    return said <= _REPORTS
