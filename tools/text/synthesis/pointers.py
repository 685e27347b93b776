"""Pointers of a paper to its own figures, tables and sections, which lead nowhere in another text."""

import re

from tools.text.sentences import split_sentences

_PART = (
    r"(?:(?:sub-?)?sections?|sec\.|sect\.|figures?|figs?\.|tables?|tabs?\.|append(?:ix|ices)|chapters?|"
    r"equations?|eqs?\.|algorithms?|listings?|§+)"
)
_NUMBER = r"(?:\s?\(?\d[\d.]*[a-z]?\)?|\s(?-i:[A-Z](?:\.?\d+)*|[IVX]+)(?!\w))"
_WHERE = rf"{_PART}{_NUMBER}(?:(?:,| and|,? to|[–-])\s?(?:{_PART})?{_NUMBER}){{0,3}}"
_ASIDE = re.compile(
    rf"\s*\((?:(?:see|cf\.|also|refer to|shown|as|in|the|e\.g\.,?)\s+)*{_WHERE}[^()]{{0,40}}\)",
    re.IGNORECASE,
)
_AS_SHOWN = re.compile(
    r"(?:^|(?<=[.!?] )|,?\s+)as (?:is |are |can be |it is |we |was |were )?(?:also )?(?:shown|seen|see|illustrated|depicted|reported|described|discussed|"
    rf"summari[sz]ed|presented|mentioned|noted|indicated|listed|given|observed|explained|detailed)(?: above| earlier| before)?(?: in| by| from)? {_WHERE}(?:,\s*|(?=[.;]))",
    re.IGNORECASE,
)
_SHOWS_THAT = re.compile(
    rf"(?:^|(?<=[.!?] ))(?:the |our )?(?:results (?:in|of) )?{_WHERE} (?:also |clearly )?(?:shows?|demonstrates?|indicates?|suggests?|reveals?|confirms?) that ",
    re.IGNORECASE,
)
_POINTER = re.compile(rf"\b{_WHERE}\b|\b(?:equation|eq\.) ?\(", re.IGNORECASE)
_HERE = re.compile(
    r"\b(?:in|of|throughout) (?:this|the next|the following|the previous|the remainder of this|our|the present) (?:(?:sub)?section|chapter|paragraph|paper|work|study|article|survey)\b"
    r"|\b(?:as (?:mentioned|described|discussed|noted|stated|explained)(?: \w+)? (?:above|before|earlier|previously|below|next)|see (?:above|below)|the following|as follows|"
    r"(?:listed|described|shown|given|detailed|discussed|presented) (?:above|below))\b",
    re.IGNORECASE,
)
# A heading that stands in the line of its paragraph: 'Training Data We use'.
_RUN_IN = re.compile(
    r"^(?!(?:In|The|A|An|On|For|At|By|With|From|To|As|Our|We|This|These|Under|Since|When|While|If)\b)[A-Z][\w-]*(?: (?:and|of|for|on|with|the|in|to|[A-Z][\w-]*)){0,5}[.:]? "
    r"(?=(?:We|Our|The|To|In|This|It|All|For|As|A|An|These|There|Each|Since|When|While|Given|Following|Because|If) [A-Za-z\d])"
)
_TITLED = re.compile(r"^[A-Z][\w-]*(?: [\w-]+){0,3}: (?=[A-Z])")
# Bullets, and footnote marks that stand raised behind a word.
_NOISE = re.compile(r"(?:^|\s)[•·▪‣●◦]\s*|(?<=[a-z.,)])\^\d{1,2}(?=[\s,.;:)])")


def unpointed(text: str) -> str:
    """Return a text without its pointers to figures, tables and sections, where it can do without."""
    made = []
    text = _NOISE.sub(_quiet, text).strip()
    for span in split_sentences(text):
        sentence = _AS_SHOWN.sub(_closing, _ASIDE.sub("", span.text))
        sentence = _RUN_IN.sub("", _TITLED.sub("", _SHOWS_THAT.sub("", sentence)))
        made.append(sentence if sentence == span.text else risen(sentence))
    return " ".join(made)


def points_elsewhere(text: str) -> bool:
    """Whether a sentence names a figure, a table, a section, or another place of its paper."""
    return bool(_POINTER.search(text) or _HERE.search(text))


def _quiet(found: re.Match[str]) -> str:
    return "" if "^" in found[0] else " "


def _closing(found: re.Match[str]) -> str:
    # At a sentence's start nothing must stay; inside it a comma may have closed the aside.
    return " " if found[0][:1] in {",", " "} and found[0].rstrip().endswith(",") else ""


def risen(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]
