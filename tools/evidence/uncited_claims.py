"""What gives away that a sentence claims something about the work of others."""

import re

_SUBJECT = (
    r"(?:stud(?:y|ies)|works?|research|approaches|methods?|models|systems?|papers?|authors|researchers|"
    r"scholars|literature|techniques|efforts|solutions|tools|surveys|reviews|experiments|benchmarks|findings)"
)
_CUES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b[^\W\d_a-z][\w'’-]+ et al\b"), "it names authors"),
    (
        re.compile(
            r"\b(?:recent|previous|prior|existing|earlier|several|many|most|numerous|some|other|past|"
            r"traditional|conventional|contemporary|subsequent|a (?:number|variety|body|line) of)\s+"
            rf"(?:[\w-]+\s+){{0,3}}?{_SUBJECT}\b",
            re.IGNORECASE,
        ),
        "it speaks of other work",
    ),
    (
        re.compile(
            r"\b(?:researchers|scholars|studies|surveys|the literature|experiments|others|critics) "
            r"(?:have |has |had |often |also |typically |commonly )*(?:show|argue|find|found|report|suggest|"
            r"demonstrate|propose|note|observe|claim|agree|consider|rel(?:y|ies)|focus|ignore|fail)\w*\b",
            re.IGNORECASE,
        ),
        "it reports what others found or did",
    ),
    (
        re.compile(
            r"\b(?:it (?:has been|is|was) (?:widely |well |often |commonly )?(?:shown|known|reported|accepted|"
            r"argued|demonstrated|found|established|recogni[sz]ed)|has been (?:shown|proposed|demonstrated|"
            r"reported|studied|explored)|have been (?:shown|proposed|demonstrated|reported|studied|explored|"
            r"developed|introduced))\b",
            re.IGNORECASE,
        ),
        "it reports a result of others",
    ),
    (
        re.compile(
            r"\b(?:state[- ]of[- ]the[- ]art|(?:the|most) (?:widely|commonly) (?:used|adopted)|de facto|"
            r"no (?:prior|previous|existing) \w+|the most (?:popular|common|successful|influential|effective)|"
            r"the (?:dominant|predominant|leading|prevailing)|(?:much|great|considerable|growing|increasing|"
            r"significant) (?:attention|interest))\b",
            re.IGNORECASE,
        ),
        "it makes a claim about the field",
    ),
)
_OWN = re.compile(
    r"\b(?:we|our|ours|us)\b|\b(?:this|the present|the current) (?:paper|work|article|study|section|review|"
    r"survey|thesis)\b",
    re.IGNORECASE,
)


def of_own_work(sentence: str) -> bool:
    """Return whether a sentence speaks of the writers' own work."""
    return bool(_OWN.search(sentence))


def cue_of(sentence: str) -> str | None:
    """Return what gives a sentence away as a claim about the work of others, or None.

    A sentence about the writer's own work may name that of others by the way ('unlike existing
    methods, we ...'); only authors named count there.
    """
    for cue, why in _CUES[:1] if of_own_work(sentence) else _CUES:
        if found := cue.search(sentence):
            return f"{why} (“{' '.join(found[0].split())}”) and cites nobody"
    return None
