"""Make the sentences of the sources fit to stand in a synthesis, changing as little as possible.

Each is still known again as the sentence it was copied from: only marks, pointers to figures and
sections, and the first person go. What cannot be read without its neighbours is told to be so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tools.evidence.prompt_injection import without_injections
from tools.evidence.unsupported_entities import unsupported_entities
from tools.text.asking.announcing import announces
from tools.text.asking.standing import Statement, statements
from tools.text.clauses import refers_back
from tools.text.language import language
from tools.text.plain import presentable, presentable_title
from tools.text.pointing import DANGLING
from tools.text.sentences import split_sentences
from tools.text.synthesis.pointers import points_elsewhere, risen, unpointed

_FEWEST, _MOST = 6, 60
"""Words of a sentence that says something and can be read."""
_FEWEST_SIGNS = 12
"""The same for scripts without spaces between words, in characters."""
_SHORT_TITLE = 6
"""Words of what stands before a title's colon, and names it."""
_SYMBOLS = 0.12
"""Share of signs among the words from which a sentence is mostly formulae."""
_OPENS = re.compile(
    r"^(?:for (?:example|instance|comparison)|where|which|whose|who|thus|hence|otherwise|again|also|note|recall|let|given|suppose|assume|"
    r"this|these|it|they|such|here|there|then|indeed|all of|some of (?:them|these)|in (?:this|that|these|such|each|both|other) (?:case|way|sense|work|setting|context|regard|words|cases)|"
    r"the first,|the (?:former|latter|following|above|remaining|rest|same|other|second|third|next|resulting)|at (?:this|that)|on the (?:one|other) hand|"
    r"as (?:a result|such|an example|a consequence|expected)|to (?:do|achieve|this)|similarly|likewise|instead|next|first|second|third|finally|one of (?:them|these))\b",
    re.IGNORECASE,
)
_ADVERBIAL = re.compile(
    r"^(?:importantly|notably|interestingly|surprisingly|meanwhile|besides|still|in summary|to summari[sz]e|to conclude|in conclusion|in short|clearly|"
    r"more precisely|more specifically|more importantly|in fact|of course|concretely|on top of (?:this|that)|as (?:a result|expected|mentioned(?: earlier| above)?)),\s+"
    r"|^(?:note|recall|observe) that ",
    re.IGNORECASE,
)
_TWO = re.compile(r"[.!?] (?:the authors|they|their)\b")
# The last item of a list, taken for a clause of its own: 'The archive, are popular'.
_LIST_END = re.compile(r"^[^,]{3,60}, (?:is|are|was|were|has|have|can)\b")
_CUT_LIST = re.compile(r"[:;.,]\s*\(?(?:\d|[ivx]+)[.)]*$|[:(]\.?$")
_SIGN = re.compile(r"^(?:[^\w\s]+|[b-hj-zB-HJ-Z0-9]\W?|\W*[=<>≤≥∈∑∏→±×∀∃|]+\W*)$")
_FORMULA = re.compile(r"[=≤≥∈∑∏∀∃≈∝∂∇‖]|\b\w_\{?\w")
_ENDED = re.compile(r"[.!?。！？]['\"”’)\]]*$")
_CUT_IN = re.compile(r"[a-z]")
_THE_AUTHORS = re.compile(r"\b[Tt]he authors(['’])?(?!\w)")
_FIRST_PERSON = re.compile(r"\b(?:[Ww]e|[Oo]urs?|[Uu]s)\b")
_THEY = re.compile(r"\b(?:they|them|their)\b", re.IGNORECASE)
_THEIR = re.compile(r"\b[Tt]heir\b")
_THE_PAPER = re.compile(
    r"^(?:this|the|our|the present) (?:paper|work|study|article|survey|review)\b", re.IGNORECASE
)
AUTHORS = "The authors"
"""Who the sentence before has named."""
_NAMED = re.compile(
    r"The authors of “[^”]+”|[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}(?: et al\.| and [A-Z][\w'’-]+)(?= )"
)
_THIS_PAPER = re.compile(
    r"^In (?:this|the present|our) (?:paper|work|study|article|survey|review), ", re.IGNORECASE
)
_NOW = re.compile(
    r"\b(?:now|next|then|will) (?:\w+ )?(?:discuss|describe|present|turn|model|introduce|show|explain|review|define|specify|formali[sz]e)\b"
    r"|\b(?:discuss|describe|explain|outline)s? how\b|^.{3,40}? discuss(?:es)? the\b"
)
# An item of a list, without a subject: 'Hybrid: defines a few rules'.
_ITEM = re.compile(r"^[A-Z][\w-]*(?: [\w-]+){0,2}: [a-z]")
_OWN = re.compile(
    r"^the (?:proposed|resulting|new) ((?:[\w-]+ ){0,2}?(?:method|methodology|approach|model|system|framework|algorithm|pipeline|architecture|technique|"
    r"tool|data ?set|corpus|benchmark|collection|metric|measure))(?= (?:is|are|was|has|can|outperforms?|achieves?|\w+s)\b)",
    re.IGNORECASE,
)  # fmt: skip


class Source(Protocol):
    """A paper as it is shown to whoever answers."""

    @property
    def title(self) -> str:
        """Its title."""
        ...

    @property
    def authors(self) -> str:
        """How a sentence names its authors: 'Lewis et al.'; empty where they are not known."""
        ...

    @property
    def paragraphs(self) -> Sequence[str]:
        """Its paragraphs that bear on the question, without citation marks."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may stand in the answer."""

    text: str
    around: str
    """The paragraph that it is from."""
    source: int
    """Which source it is from; -1 for the answer so far."""
    paragraph: int
    """Its paragraph's number over all sources; -1 for the answer so far."""
    place: int
    """Its number among all candidates, in reading order."""
    depth: float
    """Where it stands in its paragraph, 0 first to 1 last."""
    own: bool = False
    """Whether it tells what the source's authors did."""
    leans: bool = False
    """Whether it points to what stands before."""


def candidates(sources: Sequence[Source], answer_so_far: str) -> list[Candidate]:
    """Return the sentences to choose from: those of the answer so far, then those of the sources.

    CPU-bound: call it in a worker thread.
    """
    made: list[Candidate] = []
    for part in answer_so_far.split("\n\n"):
        named = ""
        for span in split_sentences(part):
            found = _NAMED.match(span.text)
            named = found[0] if found else named if span.text.startswith(AUTHORS) else ""
            text = named + span.text.removeprefix(AUTHORS) if named and not found else span.text
            made.append(Candidate(text, part, -1, -1, len(made), 0.0))
    number = 0
    for index, source in enumerate(sources):
        for paragraph in source.paragraphs:
            for item in _sentences(source, paragraph):
                own = bool(_FIRST_PERSON.search(item.quote) or _THE_PAPER.match(item.quote))
                made.append(
                    Candidate(
                        item.text, paragraph, index, number, len(made), item.place, own, item.leans
                    )
                )
            number += 1
    return made


def _sentences(source: Source, paragraph: str) -> list[Statement]:
    """Return the sentences of one paragraph that may be told, as they may be told."""
    text, _ = without_injections(unpointed(paragraph))
    if not text:
        return []
    if language(text) != "en":
        return _foreign(text)
    around = f"{text} {source.title} {source.authors}"
    found = []
    for item in statements(source.title, text):
        if not _is_whole(item.quote, text) or _only_announces(item.quote):
            continue
        named = _named(item, source)
        if named and _is_fit(told := _bare(named), around):
            found.append(Statement(told, item.quote, item.place, item.leans))
    return found


def _only_announces(quote: str) -> bool:
    """Whether a source sentence tells what the paper will do, or what stands before it."""
    return announces(quote) or bool(_NOW.search(quote)) or refers_back(quote)


def _bare(text: str) -> str:
    """Return a sentence without an adverbial that joined it to the one before."""
    return risen(_ADVERBIAL.sub("", text))


def _is_whole(quote: str, text: str) -> bool:
    """Whether a formula or a page's end has not cut the sentence off."""
    if _CUT_IN.match(quote) and text.startswith(quote):
        return False
    end = text.rstrip().endswith(quote.rstrip())
    return not quote.rstrip().endswith(":") and not (end and not _ENDED.search(quote.rstrip()))


def _is_fit(text: str, around: str) -> bool:
    """Whether a sentence can be read by itself and says something of the matter."""
    words = text.split()
    if not _FEWEST <= len(words) <= _MOST or text.endswith(("?", "?.")):
        return False
    if (
        _CUT_LIST.search(text.rstrip("."))
        or _TWO.search(text)
        or _ITEM.match(text)
        or _LIST_END.match(text)
        or _NOW.search(text)
    ):
        return False
    if DANGLING.match(text) or _OPENS.match(text) or points_elsewhere(text):
        return False
    signs = sum(bool(_SIGN.match(word)) for word in words)
    if signs > _SYMBOLS * len(words) or _FORMULA.search(text):
        return False
    return not announces(text) and not unsupported_entities(text, around)


def named_once(texts: Sequence[str]) -> list[str]:
    """Return sentences in which of several in a row that begin with one name only the first does."""
    made: list[str] = []
    before = ""
    for text in texts:
        found = _NAMED.match(text)
        name = found[0] if found else ""
        made.append(AUTHORS + text.removeprefix(name) if name and name == before else text)
        before = name
    return made


def _named(item: Statement, source: Source) -> str | None:
    """Return the statement with its authors' name in the place of 'the authors' or 'our'.

    None where 'they' would come before the name, and where the paper itself says 'the authors': it
    tells of the authors of another one.
    """
    if _THE_AUTHORS.search(item.quote):
        return None
    text = _THIS_PAPER.sub("", item.text)
    name = _name_of(source)
    if found := _THE_AUTHORS.search(text):
        if _THEY.search(text[: found.start()]):
            return None
        first = text[: found.start()] + name + ("’s" if found[1] else "")
        return risen(first + _THE_AUTHORS.sub(_again, text[found.end() :]))
    if _FIRST_PERSON.search(item.quote):
        return risen(_THEIR.sub(f"{name}’s", text, count=1)) if source.authors else None
    if source.authors and (found := _OWN.match(text)):
        return f"The {found[1]} of {name}{text[found.end() :]}"
    return risen(text)


def _again(found: re.Match[str]) -> str:
    return "their" if found[1] else "they"


def _name_of(source: Source) -> str:
    """Return what names a source's authors in a sentence, its title where they are not known."""
    if source.authors:
        return source.authors
    short = source.title.partition(":")[0]
    title = presentable_title(short if 0 < len(short.split()) <= _SHORT_TITLE else source.title)
    return f"the authors of “{title}”" if title else "the authors"


def _foreign(text: str) -> list[Statement]:
    """Return the sentences of a text that is not English, as they stand."""
    spans = split_sentences(text)
    made = []
    for place, span in enumerate(spans):
        plain = presentable(span.text)
        if plain and len(plain) >= _FEWEST_SIGNS and not plain.endswith(("?", "？")):
            made.append(Statement(plain, span.text, place / max(len(spans) - 1, 1)))
    return made
