"""Judge a sentence that cites nobody: by the papers cited around it and by the researcher's own text.

What it says of papers their words must show, and what it says of the researcher's work the input must.
"""

from nodes.write.judge_citation import FAR, MOST_ALARMS, Finding, Hand, Judged, beside, quotes_in
from state.writing import INPUT, Sentence
from tools.counting import counted
from tools.evidence.quotes import quotable
from tools.evidence.support import BAD, judge, verdict_named
from tools.evidence.uncited_claims import cue_of, of_own_work
from tools.text.words import tokens

_NOT_OWN = "it speaks of the authors' own work, and no words of the input were quoted"
_ABSENT = frozenset(("no", "none", "neither", "nor", "nobody", "nothing", "never"))
_OPEN = frozenset("not without lack lacks lacking missing absent open unaddressed yet few".split())  # noqa: SIM905
"""Words of a sentence that says, of several papers, what they do not say."""


def rests_on(sentence: Sentence, hand: Hand) -> tuple[str, ...]:
    """Return the sources by which a sentence that cites nobody is judged; nothing where by none."""
    if sentence.keys:
        return ()
    papers = tuple(key for key in sentence.rests_on if key in hand.papers)
    own = bool(hand.own and (sentence.basis or INPUT in sentence.rests_on))
    return (*papers, INPUT) if own else papers


def judge_uncited(hand: Hand, sentence: Sentence, finding: Finding | None) -> Judged:
    """Turn a finding on a sentence that cites nobody into a verdict.

    'None of these systems reports ...' no words can show: read by an LLM it is at most partly
    supported, and words that speak against it contradict it.
    """
    text = sentence.text
    if hand.is_own(sentence):
        return Judged("supported", "", quotes_in([text], None, hand.own), by="code")
    keys = [key for key in sentence.rests_on if key in hand.papers]
    # What rests on papers that a reader never sees cited rests on nothing.
    keys = [key for key in keys if hand.cited is None or key in hand.cited]
    papers = [hand.papers[key] for key in keys]
    given = finding.quotes if finding else []
    found = [quote for paper in papers for quote in quotes_in(given, paper, known=hand.known)]
    quotes = tuple(dict.fromkeys([*found, *quotes_in(given, None, hand.own)]))
    around = "\n".join(
        [hand.own, hand.called, *(text for paper in papers for text in quotable(paper, hand.known))]
    )
    said = verdict_named(finding.verdict if finding else "")
    words = set(tokens(text)) if papers and said in {"supported", "partly"} else set()
    absent = bool(words & _ABSENT or (not quotes and words & _OPEN))
    shown = [quote.text for quote in quotes] or [""] * absent
    judged = judge(text, shown, around, ("partly" if absent else said) if hand.llm else None)
    told = judged.alarms[:MOST_ALARMS]
    if absent and hand.llm:
        told = (
            f"what {counted(len(papers), 'paper does not say', 'papers do not say')} no words can show",
            *told,
        )
    verdict, cause = judged.verdict, judged.cause
    own = any(quote.part == INPUT for quote in quotes)
    if hand.llm and hand.own and verdict not in BAD and of_own_work(text) and not own:
        verdict, cause, told = "not_in_source", "no_verified_quote", (_NOT_OWN, *told)
    if hand.llm and verdict not in BAD and beside(hand, (text,), quotes):
        # What several papers share may be said in words that none of them has, what others did may not.
        alone = not keys or of_own_work(text) or bool(cue_of(text))
        verdict, cause = ("not_in_source", "mis_cited") if alone else ("partly", "")
        told = (FAR, *told)
    return Judged(verdict, cause, quotes, None, told, hand.llm, finding)
