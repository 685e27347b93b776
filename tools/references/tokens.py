"""The words of a reference, and the features by which the tagger knows each of them."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

MOST = 500
"""Words of one reference that are read; the rest is not looked at."""
_BOUNDARY = re.compile(
    r"\s+|(?<=[,;:)\]])(?=[^\W\d_]|\()|(?<=[;:)])(?=\d)|(?<=\d)(?=\()|(?<=[a-z]\.)(?=\d)"
)
"""Between two words: white space, or what stands for it in '2014;11(3):4' and 'pp.3'."""
_PAIRED = {"“": "”", "„": "“”", "«": "»", "‘": "’", "`": "'’", '"': '"'}
"""The marks that open a quotation, and those that close it."""
_LONGEST = 30
"""Characters of a word that are looked at."""
_CUES = {
    word: cue
    for cue, words in {
        "J": "journal proceedings proc trans transactions conference conf symposium workshop review revue rev "
        "zeitschrift int acta annals annales bulletin magazine letters lett archives advances phys chem",
        "P": "press publishers publishing university univ universität université presses verlag éditions "
        "editorial springer wiley elsevier routledge sage inc ltd",
        "E": "eds ed editor editors edited hrsg hg dir dirs coord translated transl traduit translator übersetzt",
        "V": "vol volume vols bd band jg no nr num issue v",
        "G": "pp pages page seiten pgs",
        "T": "thesis dissertation phd thèse diss report manuscript unpublished memorandum",
        "I": "in",
    }.items()
    for word in words.split()
}
"""Words that tell what a part of a reference is: a container, a publisher, editors, numbers, pages, a report."""


class Token(NamedTuple):
    """A word, with the marks that touch it."""

    text: str
    start: int
    end: int


class _Form(NamedTuple):
    core: str
    """The word in lower case, without the marks around it; digits are 0."""
    before: str
    after: str
    kind: str
    """One letter: Y a year, N another number, I initials, C a capital first, l small letters, o others."""
    shaped: str
    """Its shape and the marks behind it."""
    marked: str
    """Its kind and the marks behind it."""
    own: tuple[str, ...]
    """The features of the word by itself."""
    closers: str
    """The marks that end the quotation which begins at it; empty where none does."""
    cue: str
    """One letter for a word that tells what its part is."""
    stop: bool
    """Whether a full stop, question mark or exclamation mark ends it, and it is no initial."""


class _Stretch(NamedTuple):
    """The words between two marks."""

    first: str
    tells: str
    """How many words there are, how many of them are small, and whether there are numbers and initials."""


def tokens_of(text: str) -> list[Token]:
    """Return the words of a reference, in order."""
    found: list[Token] = []
    start = 0
    for gap in _BOUNDARY.finditer(text):
        if gap.start() > start:
            found.append(Token(text[start : gap.start()], start, gap.start()))
        start = gap.end()
        if len(found) == MOST:
            return found
    if start < len(text):
        found.append(Token(text[start:], start, len(text)))
    return found


@lru_cache(maxsize=20_000)
def _form(word: str) -> _Form:
    start, end = 0, len(word)
    while start < end and not word[start].isalnum():
        start += 1
    while end > start and not word[end - 1].isalnum():
        end -= 1
    if start == end and word[:1] not in _PAIRED:
        start = end = 0
    before, inner, after = word[:start][-3:], word[start:end][:_LONGEST], word[end:][:3]
    core = "".join("0" if char.isdigit() else char for char in inner.lower())
    shape, kind = _shape(inner), _kind(inner)
    closers = next((_PAIRED[mark] for mark in before if mark in _PAIRED), "")
    own = [f"w={core}", f"s={shape}", f"b={before}", f"a={after}", f"k={kind}{before}{after}"]
    if len(core) > 3:
        own += [f"p3={core[:3]}", f"x3={core[-3:]}", f"x2={core[-2:]}"]
    stop = bool(after) and any(mark in after for mark in ".?!") and kind not in "IN"
    return _Form(
        core,
        before,
        after,
        kind,
        f"{shape}{after}",
        f"{kind}{after}",
        tuple(own),
        closers,
        _CUES.get(core, ""),
        stop,
    )


def _kind(word: str) -> str:
    if word.isdigit():
        return "Y" if len(word) == 4 and "1400" < word < "2100" else "N"
    if len(word) == 1 or (
        word[:1].isupper()
        and (("." in word and len(word) < 8) or (len(word) < 4 and word.isupper()))
    ):
        return "I"
    if word[:1].isdigit():
        return "Y" if len(word) == 5 and word[:4].isdigit() and "1400" < word[:4] < "2100" else "N"
    return "C" if word[:1].isupper() else "l" if word[:1].islower() else "o"


def _shape(word: str) -> str:
    """Return the form of a word: 'Xx' of 'Looms', 'X.X' of 'A.B', '00-00' of '12-34', '0000' of '2019'."""
    if word.isdigit():
        return "0" * min(len(word), 5)
    if word.isalpha():
        if len(word) == 1:
            return "X" if word.isupper() else "x"
        if word.isupper():
            return "XX" if len(word) < 4 else "XXXX"
        if word.islower():
            return "xx"
        return "Xx" if word[0].isupper() and word[1:].islower() else "xX"
    shape = ""
    for char in word:
        kind = "0" if char.isdigit() else char
        if char.isalpha():
            kind = "X" if char.isupper() else "x"
        if shape[-1:] != kind:
            shape += kind
    return shape[:8]


def features_of(tokens: Sequence[Token]) -> list[list[str]]:
    """Return the features of each word: its own, those of its neighbours, and where it stands."""
    forms = [_form(token.text) for token in tokens]
    edge = _form("")
    padded = [edge, edge, edge, *forms, edge, edge, edge]
    return [
        [*form.own, *_around(padded, at + 3), *place, *narrow, *wide]
        for at, (form, place, narrow, wide) in enumerate(
            zip(forms, _places(forms), _stretches(forms, "m"), _stretches(forms, "st"), strict=True)
        )
    ]


def _around(forms: Sequence[_Form], at: int) -> list[str]:
    """Return what the neighbours of a word tell of it."""
    b3, b2, b1, here, n1, n2, n3 = forms[at - 3 : at + 4]
    led, following = f"{here.before}{here.kind}", f"{n1.before}{n1.shaped}"
    found = [
        f"-1w={b1.core}",
        f"-2w={b2.core}",
        f"+1w={n1.core}",
        f"+2w={n2.core}",
        f"-1s={b1.shaped}",
        f"+1s={following}",
        f"-1a={b1.after}|{here.before}|{here.kind}",
        f"-k={b3.kind}{b2.kind}{b1.marked}|{here.kind}",
        f"+k={here.marked}|{n1.kind}{n2.kind}{n3.kind}",
        f"k3={b1.marked}|{here.marked}|{n1.before}{n1.marked}",
        f"-1|0={b1.shaped}|{here.before}{here.shaped}",
        f"-2|0={b2.marked}|{b1.marked}|{led}",
        f"0|+1={here.shaped}|{following}",
        f"0|+2={here.marked}|{n1.marked}|{n2.marked}",
        f"-1w|0={b1.core}{b1.after}|{here.core}",
        f"0|+1w={here.core}{here.after}|{n1.core}",
    ]
    return [*found, "+opens"] if n1.closers else found


def _places(forms: Sequence[_Form]) -> Iterator[list[str]]:
    """Yield where each word stands: among the parts, in quotation marks or brackets, from either end."""
    count = len(forms)
    years = [at for at, form in enumerate(forms) if form.kind == "Y"]
    early = "y?" if not years else "y<" if years[0] < 0.45 * count else "y>"
    quoted = "q" if any(form.closers for form in forms) else ""
    cues, later = "".join(sorted({form.cue for form in forms})), _later(forms)
    left = sum(form.stop for form in forms)
    stops = commas = dated = 0
    closers, bracket, seen = "", False, False
    for at, form in enumerate(forms):
        if form.before:
            if form.closers and not closers:
                closers, seen = form.closers, True
            bracket = bracket or "(" in form.before or "[" in form.before
        stopped, parted, inside = min(stops, 5), min(commas, 3), "q" if closers else ""
        part = f"{early}{quoted}{stopped}{min(dated, 2)}"
        yield [
            f"@={min(at, 8)}",
            f"@-={min(count - at, 6)}",
            f"part|s={part}|{form.kind}{form.after}",
            f"in={inside}{bracket:d}{seen:d}",
            f"c={parted}{part}",
            f"cues={cues}|{stopped}{quoted}{inside}",
            f"later={later[at]}|{form.marked}",
            f"on={later[at]}{parted}{stopped}",
            f"left={min(left, 4)}{stopped}{early}",
        ]
        dated += form.kind == "Y"
        if form.after:
            commas += "," in form.after
            if form.stop:
                stops, commas, left = stops + 1, 0, left - 1
            if closers and any(mark in form.after for mark in closers):
                closers = ""
            if ")" in form.after or "]" in form.after:
                bracket = False


def _later(forms: Sequence[_Form]) -> list[str]:
    """Return for each word which cues, and whether a year, stand behind it."""
    found, cues = [""] * len(forms), ""
    for at in range(len(forms) - 1, -1, -1):
        found[at] = cues
        cue = "Y" if forms[at].kind == "Y" else forms[at].cue
        if cue and cue not in cues:
            cues = "".join(sorted((*cues, cue)))
    return found


def _stretches(forms: Sequence[_Form], level: str) -> Iterator[tuple[str, ...]]:
    """Yield for each word what the stretch tells that it stands in, and its neighbours.

    Args:
        forms: The words.
        level: "m" for stretches between any two marks, "st" for those that end at a full stop.
    """
    cut: list[list[_Form]] = [[]]
    for form in forms:
        if form.before and level == "m":
            cut.append([])
        cut[-1].append(form)
        if form.stop if level == "st" else form.after and form.after.strip("'’-"):
            cut.append([])
    cut = [one for one in cut if one]
    told = [_tells(one) for one in cut]
    for at, one in enumerate(cut):
        behind = told[at + 1] if at + 1 < len(told) else _Stretch("", ">")
        here = told[at].tells
        shared = [f"{level}={here}", f"{level}1={told[at].first}", f"+{level}1={behind.first}"]
        if level == "m":
            before = told[at - 1].tells if at else "<"
            shared += [f"-m={before}|{here}", f"+m={here}|{behind.tells}"]
        yield from [tuple(shared)] * len(one)


def _tells(forms: Sequence[_Form]) -> _Stretch:
    kinds = [form.kind for form in forms]
    small = kinds.count("l")
    length = min(len(forms), 4) if len(forms) < 6 else 6 if len(forms) < 9 else 9
    bits = "".join([*filter(kinds.__contains__, "YNI"), *sorted({form.cue for form in forms})])
    return _Stretch(forms[0].core, f"{length}{min(small, 3)}{bits}{forms[-1].after[-1:]}")
