"""Sentences that announce what a paper will say, or point to a table, and say nothing themselves."""

import re

_PART = r"(?:sub-?sections?|sections?|sec\.|figures?|figs?\.|tables?|tabs?\.|append(?:ix|ices)|chapters?|equations?|eqs?\.|algorithms?|listings?)"
_NUMBER = r"(?:\d[\d.]*[a-z]?|[A-Z]\d*(?:\.\d+)*|[IVX]+|[A-Z]+REF\d+|\(\d+\)|above|below)"
_SHOWS = (
    r"(?:shows?|presents?|illustrates?|summari[sz]es?|lists?|gives?|depicts?|reports?|describes?|discuss(?:es)?|displays?|contains?|provides?|plots?|"
    r"reviews?|introduces?|explains?|outlines?|concludes?|compares?|details?|covers?|is|are|was|deals?|visuali[sz]es?|demonstrates?)"
)
_TELL = (
    r"(?:present|describe|discuss|introduce|review|explain|outline|summari[sz]e|report|detail|give|provide|define|evaluate|analy[sz]e|conclude|investigate|"
    r"examine|compare|show|illustrate|list|explore|elaborate|turn|look|start|begin)s?"
)
_WHO = r"(?:we|the authors?|i|this (?:paper|section|chapter|article))"
_HERE = r"(?:this|the (?:next|following|remaining|rest of (?:the|this)|previous|last)|our (?:next|last)) (?:sub)?(?:section|chapter|paragraph|part|appendix)s?"
_ANNOUNCES = re.compile(
    rf"^(?:the |our )?{_PART} {_NUMBER}(?: and {_NUMBER})? (?:\w+ly )?{_SHOWS}\b(?!.*\bthat\b)"
    rf"|^(?:in|within|throughout) (?:{_HERE}|{_PART} {_NUMBER})[^.]{{0,30}}?,? {_WHO} (?:\w+ly |also |first |then |now |will |briefly )*{_TELL}\b"
    rf"|^{_HERE} {_SHOWS}\b"
    rf"|^{_WHO}(?:,)? (?:in|within) (?:{_HERE}|{_PART} {_NUMBER})"
    rf"|^{_HERE} (?:is|are) (?:organi[sz]ed|structured|laid out|devoted)"
    rf"|^(?:the )?(?:rest|remainder|structure|outline) of (?:the|this) (?:paper|article|chapter|section)\b"
    rf"|^(?:{_WHO} )?(?:\w+ly |also |first |then |now |will |briefly |next )*{_TELL}\b[^.]{{0,60}} (?:in|at) (?:{_HERE}|{_PART} {_NUMBER})[ .]*$"
    rf"|^(?:the |our |more |further |full |these |an? )*(?:[\w-]+ ){{1,6}}(?:is|are|can be|were|was) (?:\w+ly )?(?:shown|presented|illustrated|summari[sz]ed|listed|given|depicted|reported|"
    rf"described|discussed|found|provided|seen) in (?:the )?{_PART}(?: {_NUMBER})?[ .]*$"
    rf"|^(?:see|cf\.) |^{_PART} {_NUMBER}\s*[:.–—-] ",
    re.IGNORECASE,
)  # fmt: skip
_CELLS = re.compile(r"(?:[\d.,%±–-]+\s+){5,}[\d.,%±–-]+")
_LETTERS = 0.55
"""Share of letters in a sentence below which it is the rest of a table or a formula."""


def announces(sentence: str) -> bool:
    """Whether a sentence says nothing of the matter: an announcement, a caption, cells of a table.

    'Figure 2 shows that ...' says something; 'Figure 2 shows the results' does not.
    """
    text = " ".join(sentence.split())
    if _ANNOUNCES.search(text) or _CELLS.search(text):
        return True
    solid = text.replace(" ", "")
    return bool(solid) and sum(char.isalpha() for char in solid) < _LETTERS * len(solid)
