"""Say what a whole answer must cover: the sides of a comparison, the several things asked for."""

import re

from tools.text.asking.keywords import EMPTY, HOW, LEAST, WHY, WORD, implied, in_line, telling
from tools.text.asking.naming import is_strong, names
from tools.text.verbs import common_forms
from tools.text.words import STOP_WORDS

_WHAT_IS = re.compile(
    r"^what(?: is| are| was| were|['’]s) (?:the |an? )?(?:main |key )?((?:[\w-]+ of )?[^,;]+)$",
    re.IGNORECASE,
)
_PHRASE = 7
"""Words of a question's object that is an aspect as it stands."""
_MOST = 5
"""Aspects of one question."""
_THING = (
    r"(?:limitations?|shortcomings?|drawbacks?|weaknesses|disadvantages?|advantages?|benefits?|strengths?|data ?sets?|data|corpora|corpus|benchmarks?|"
    r"metrics?|measures?|results?|findings?|contributions?|methods?|methodology|approach(?:es)?|techniques?|algorithms?|architectures?|models?|authors?|"
    r"baselines?|evaluations?|motivations?|goals?|problems?|tasks?|applications?|causes?|reasons?|strategies|tools?|costs?|pros|cons|year)"
)
_PAIR = re.compile(
    r"\bdifferences? (?:is |are )?(?:there )?(?:between|of) (?P<a1>.+?) (?:and|from|to|vs\.?|versus) (?P<b1>.+)$"
    r"|\b(?:compare|contrast|comparison (?:of|between)|comparing|distinguish(?:es)?|choose between|choice between|relat(?:e|ion|ionship) between) (?P<a2>.+?) "
    r"(?:and|with|to|from|against|vs\.?|versus) (?P<b2>.+)$"
    r"|\b(?:do|does|did|is|are|was|were|can|have|has|should|will) (?P<a3>(?:(?! (?:compare|differ|relate)).)+?) (?:compare|compared|differ|different|relate|related)s?\b (?:in \w+ )?(?:to|with|from|against) (?P<b3>.+)$"
    r"|\b(?:do|does|did|are|were|is) (?P<a4>[^,]+?) and (?P<b4>[^,]+?) (?:differ|compare|relate|different|related)\b(?P<rest4>.*)$"
    r"|^(?:(?:what|how|which|when)\b.*?(?:about|is|are|of|for|better|best|faster|use|does|do|prefer)\b:?,? )?(?P<a5>[^,]+?) (?:vs\.?|versus|or rather|as contradicts to|in contrast to|compared (?:with|to)|rather than|instead of) (?P<b5>.+)$"
    r"|\bboth (?P<a6>.+?) and (?P<b6>[^;,?]+)"
    r"|\b(?:better|worse|faster|larger|bigger|cheaper|stronger|smaller|more \w+|less \w+)\b[^,:]*?[,:] (?P<a7>.+?) or (?P<b7>.+)$"
    r"|^(?:is|are|does|do|was) (?P<a8>.+?) (?:(?:\w+er|more \w+|less \w+|worse)(?: \w+)? than|outperforms?|beats?|improves?(?: on| upon| over)?) (?P<b8>.+)$",
    re.IGNORECASE,
)  # fmt: skip
_BOTH = re.compile(r"\bboth (?=\S+)", re.IGNORECASE)
_SETS = re.compile(r" (?:data ?)?(?:sets?|corpora|collections?|benchmarks?|data|papers|articles)\b")
_LISTED = r"(?:,? (?:and|or) |, )(?:(?:in|of|on|by|with|for|from|to|does|do|did) )?"
_SENTENCE = re.compile(
    r"(?<=[.?!])\s+(?=[A-Z])|:\s+(?=(?:[a-z]+ )?(?:how|what|which|why|who|when|where)\b)"
)
"""Where a question's lead-in ends: 'A had a successor: what does it do?'"""
_SHARED = re.compile(
    r"^(?P<side>.+?)(?P<rest> (?:in terms of|in|on|for|when|with respect to|with regard to|regarding|at|as) .+)$"
)
_THINGS = re.compile(
    rf"\b(?P<first>(?:(?:which|what|the|its|their|key|main) )*(?:[\w-]+ )?{_THING})(?:,? (?:and|or|as well as) |, )(?P<second>(?:(?:which|what|the|its|their|key|main) )*(?:[\w-]+ )?{_THING}"
    rf"(?:(?:,? and |, )(?:[\w-]+ )?{_THING})?)\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_TWO_QUESTIONS = re.compile(
    r"(?:\?\s+(?:and )?|,? and |; |, )(?=(?:how|what|which|why|who|when|where|does|is|are|do|can|did|on what|on which|in what|by what|with what)\b)",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?:and )?(?:how|why|when|where)", re.IGNORECASE)
_BASE = frozenset(form for form in common_forms() if not form.endswith(("s", "ed", "ing"))) | {
    "cope", "deal", "handle", "go", "differ", "represent", "bring", "each",
}  # fmt: skip
_JOINED = re.compile(
    r"\b(?:do|does|did|is|are|was|were|can|could) (?P<a>(?:[\w-]+ ){0,3}[\w-]+) and (?P<b>(?:[\w-]+ ){0,3}?[\w-]+) "
    rf"(?=(?:{'|'.join(sorted(_BASE))})\b)",
    re.IGNORECASE,
)
"""Two subjects of one verb: 'How do A and the B retriever cope'."""
_PRONOUN = re.compile(r"\b(?:it|its|they|their|them|this|these|that|those)\b", re.IGNORECASE)
_LEAD_QUESTION = re.compile(
    r"^(?:(?:in|on|by|for|with|to|from) )?(?:how|what|which|why|who|when|where|does|do|did|is|are|was|were|can|could|should|has|have|will)\b",
    re.IGNORECASE,
)


def aspects(text: str) -> list[str]:
    """Return what a whole answer must cover: the sides of a comparison, the things asked for."""
    found: list[str] = []
    for part in _questions(text):
        sides = _sides(part) or _things(part) or [phrase(part)]
        found += [side for side in sides if side]
    kept = list(dict.fromkeys(found))[:_MOST]
    return kept or [text]


def phrase(text: str) -> str:
    """Return a question as the short phrase of what it asks for."""
    found = _WHAT_IS.match(text)
    if (
        found
        and len(found[1].split()) <= _PHRASE
        and not re.search(r"\b(?:and|or)\b.*\b(?:and|or)\b", found[1])
    ):
        return found[1]
    kept = telling(text)
    if len(kept) < LEAST and not names(text):
        return text
    asks = re.match(r"how|why", text, re.IGNORECASE)
    lead = bool(asks) and bool(HOW.match(text) or WHY.match(text))
    start = [asks[0].lower()] if asks and lead else []
    words = in_line(text, [*start, *kept, *implied(text, kept, lead=not lead)])
    if (
        re.match(r"(?:since )?when\b|(?:in )?(?:what|which) year\b", text, re.IGNORECASE)
        and "year" not in words.split()
    ):
        words += " year"
    return words or text


def _questions(text: str) -> list[str]:
    """Split a question that is several, giving later ones the name of the first.

    A statement before the questions gives them its names, or else its words.
    """
    pieces = [piece.strip(" ?.,;:") for piece in _SENTENCE.split(text)]
    asked = [piece for piece in pieces if _LEAD_QUESTION.match(piece)]
    told = [piece for piece in pieces if piece and not _LEAD_QUESTION.match(piece)]
    if told and (not asked or _PAIR.search(told[0]) or len(told) > 1):
        return [text]
    parts = [part.strip(" ?,;") for piece in asked for part in _TWO_QUESTIONS.split(piece)]
    parts = [part for part in parts if part]
    if len(parts) + len(told) < 2 or any(not _LEAD_QUESTION.match(part) for part in parts):
        return [text]
    if not told and len(parts[0].split()) < 3:
        return [text]
    return _completed(parts, told[0] if told else "")


def _completed(parts: list[str], lead: str) -> list[str]:
    """Give each part what it takes from the lead-in, or from the part before it."""
    whole: list[str] = []
    for part in parts:
        before = whole[-1] if whole else lead
        if not before or names(part):
            whole.append(part)
            continue
        source = lead or parts[0]
        found = names(source)
        # 'What is wrong with A that B mends, and how' asks how B does it.
        if _BARE.fullmatch(part) and names(before):
            found = names(before)[-1:]
        # The capital at a sentence's beginning may be no name's: 'Pairwise prompts are expensive'.
        named = any(map(is_strong, found)) or (bool(found) and not lead)
        about = " and ".join(found) if named else _noun(source)
        if about and _PRONOUN.search(part):
            part = _PRONOUN.sub(lambda _, put=about: put, part, count=1)  # type: ignore[misc]
        elif about and (lead or len(_words(part).split()) < 4):
            part = f"{part} of {about}"
        whole.append(part)
    return whole


def _noun(text: str) -> str:
    return _words(re.sub(r"^(?:how|why)\b", "", text, flags=re.IGNORECASE))


def _sides(text: str) -> list[str]:
    text, _, after = text.partition(": ")
    found = _PAIR.search(text)
    if found is None and after:
        text, found, after = f"{text}: {after}", _PAIR.search(f"{text}: {after}"), ""
    if found is None or (found["a6"] and len(names(text)) > 1):
        return _named(_BOTH.sub("", text)) or _joined(text)
    groups = found.groupdict()
    number = next(key[1] for key in groups if key[0] == "a" and groups[key])
    first, second = groups[f"a{number}"] or "", groups[f"b{number}"] or ""
    rest = groups.get(f"rest{number}") or ""
    if number != "4" and (shared := _SHARED.match(second)) and len(shared["side"].split()) <= 6:
        second, rest = shared["side"], shared["rest"]
    before = text[: found.start()] if number in "6" else ""
    sides = (
        [first, *re.split(r",? and |, ", second)]
        if " and " in second and number in "1256" and len(names(second)) > 1
        else [first, second]
    )
    several = re.split(r", ", first)
    if len(several) > 1 and all(len(item.split()) <= 4 for item in several):
        sides = [*several, *sides[1:]]
    common = _head(sides)
    extra = _words(f"{before} {rest} {after}")
    made = [
        " ".join(
            part for part in (_short(side), common if side != sides[-1] else "", extra) if part
        )
        for side in sides
    ]
    return made if all(_short(side) for side in sides) else []


def _head(sides: list[str]) -> str:
    """Return the noun that the first side leaves out: 'dense and sparse retrieval'."""
    first, last = sides[0].split(), sides[-1].split()
    lonely = len(first) == 1 and first[0].islower() and len(last) == 2 and last[0].islower()
    return last[-1] if lonely and not _NOUN_ENDING.search(first[0]) else ""


_NOUN_ENDING = re.compile(r"(?:tion|sion|ing|ment|ity|ness|ics|ism|ance|ence|s)$")


def _words(text: str) -> str:
    kept = telling(text)
    return in_line(text, [*kept, *implied(text, kept)])


def _short(side: str) -> str:
    words = WORD.findall(re.sub(r"['’]s\b", "", side))
    while words and (words[0].lower() in STOP_WORDS or words[0].lower() in EMPTY):
        words = words[1:]
    while words and (words[-1].lower() in STOP_WORDS or words[-1].lower() in EMPTY):
        words = words[:-1]
    return " ".join(words)


def _named(text: str) -> list[str]:
    """Return an aspect for each of several names that are asked about alike: 'What do A and B use'."""
    found = names(text)
    # Two family names joined by 'and' are the authors of one paper.
    if len(found) < 2 or not any(map(is_strong, found)):
        return []
    joined = re.search(_LISTED.join(re.escape(name) + r"(?:['’]s)?" for name in found), text)
    # 'The A and B data sets' are one matter.
    if joined is None or _SETS.match(text[joined.end() :]):
        return []
    rest = f"{text[: joined.start()]} {text[joined.end() :]}"
    kept = telling(rest)
    extra = " ".join([*kept, *implied(rest, kept)])
    return [" ".join(part for part in (name, extra) if part) for name in found]


def _joined(text: str) -> list[str]:
    """Return an aspect for each of two subjects of one verb, one of which at least is a name."""
    for found in _JOINED.finditer(text):
        if any(map(is_strong, names(found["a"]))):
            rest = _words(f"{text[: found.start()]} {text[found.end() :]}")
            return [" ".join(filter(None, (_short(found[side]), rest))) for side in "ab"]
    return []


def _things(text: str) -> list[str]:
    found = _THINGS.search(text)
    if found is None:
        return []
    heads = [found["first"], *re.split(r",? and |,? or |, |,? as well as ", found["second"])]
    rest = (
        _words(f"{text[: found.start()]} {found['rest']}")
        if _short(f"{text[: found.start()]} {found['rest']}")
        else ""
    )
    return [_of(_short(head), rest) for head in heads if _short(head)]


def _of(head: str, rest: str) -> str:
    if not rest:
        return head
    return f"{head} of {rest}" if len(rest.split()) <= 3 else f"{rest} {head}"
