"""The questions to a judge of claims: what the sources say of a text's sentences, and what near copies change.

One question for `write`, `verify`, `revise`, `ask` and `synthesize`; a model of inference answers it as an LLM does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator, Field

from state.writing import INPUT, Purpose
from tools.embed.embedder import Embedder
from tools.evidence.own_sentences import without_markers
from tools.evidence.quotes import MIN_LENGTH
from tools.llm.entailment import Entailment
from tools.llm.task import Task
from tools.text.words import split_sentences

PROMPT = f"""\
You check whether the sources of a text say what its sentences say of them.

`input` is what the text's authors write of their own work; it may be empty. `question`, where there is one, is
what the text answers. `sources` are papers, each under its key, with what was read of it: its abstract, or
passages of its text under their sections. `sentences` are consecutive sentences of the text with their numbers;
{{P3}} marks a citation of P3, and numbers in brackets are citations of others. `asked` lists what you judge: a
sentence, and the sources to judge it by. Answer each item of `asked` under its id, in this order:

1. claim: what the sentence says of these sources alone, as one clean statement. Tell who 'they' or 'it'
   is. Leave out what it says of other papers or of the authors' own work ('we', 'our'), and nothing else: each
   number, name, negation and comparison about the source stays. Where `input` is empty, take 'we' before a
   citation as said of the source, unless the sentence sets 'we' apart from it.
2. quotes: of each source one to three stretches of its words that decide, copied letter by letter, each at
   least {MIN_LENGTH} characters long, the one that decides first; where nothing is said, what comes nearest.
3. reasoning: one sentence on what the words show and what they do not.
4. verdict:
   - supported: they say it, in whatever words; also where the sentence claims less than they do.
   - partly: they say a part of it, or say it more weakly: the sentence has a stronger or wider word (all for most,
     prove for suggest, will for may), a reason or a condition that is not told, or a part that is not there.
   - contradicted: of the same thing they say the opposite, or give another number, unit or direction; or they deny
     one part of the sentence; or `input`, where it is among the item's sources, does not say what the sentence says of
     the authors' work.
   - not_in_source: they say nothing of it, or say it of something or somebody else: of another system, data set
     or group than the sentence names, or the sentence names authors who are not the source's (where its
     authors are given). A related topic is not enough for partly.
5. purpose: what the source is cited for: evidence (a finding of it proves the statement), method (how it proceeds),
   background (a general fact, context, or an example of work on the subject), contrast (to be set apart from), tool
   (data, code or software that is used); empty for a sentence on the topic or on the authors' own work.

Judge by the words alone, not by what you know, and only what the sentence tells; a reading that the words allow
is no fault. Where one statement cites several papers, each is judged for its share of it: what is said of them
all need not be in each. Of sources that are asked about together each that the sentence speaks of must bear it
out. Where `input` is among them, judge by it what the sentence says of the authors' own work, and quote it as
well; elsewhere leave that part alone. What it says there of earlier work as a whole is supported where `input`
says so and no paper shown speaks against it; and what it concludes from the words shown, if it follows from
them. If a sentence says that none of several sources does something, read them all: quote what speaks against
it, or, if nothing does, leave quotes empty and call it supported. If it says so of one source, it is supported
where the words show another way in its place, and partly where they are only silent. Where `faults` of an
earlier answer are listed, give the whole answer again with these mended.

Example. Sentence 2: "Ode and Lim {{P1}} glaze at low heat, which, unlike our single firing, doubles the
time in the kiln." P1: "We glaze earthenware at 900 degrees. Firing takes twice as long." For 2-P1 the
claim is "Ode and Lim glaze at low heat, which doubles the time in the kiln", the quotes "We glaze
earthenware at 900 degrees" and "Firing takes twice as long", the reasoning "The time is doubled, but that
900 degrees is low heat is not told", the verdict partly, the purpose contrast.
"""

AGAIN = """\
You compare sentences with words of the sources that they cite. Each item of `asked` has its id, the `sentence`
(with the sentence before it, where there is one, as `before`), the source's `title` and `authors`, all `words`
of the source on which a first judgement rests, and, as `differs`, in what the sentence differs from them. Some
differences change what is said, others do not.

Answer each item under its id: first `reasoning`, one or two sentences that say of each difference whether it changes
the meaning; then `verdict`:
- supported: none does, or the words say even more than the sentence says of this source;
- partly: for one of them the words say less, or say it more weakly (most for all, suggest for prove);
- contradicted: with one of them the sentence says the opposite of the words, or another number, unit or direction;
- not_in_source: with one of them it speaks of something or somebody else, or of what the words do not have.
Judge by the words alone. A part of the sentence that no difference touches is not asked about, nor what it says of its
own authors' work or of other papers.
"""


def _spelled(said: object) -> object:
    """Return a verdict as the schema spells it, however a small model does."""
    return "_".join(str(said).strip(" .").casefold().replace("-", " ").replace("_", " ").split())


Verdict = Annotated[
    Literal["supported", "partly", "contradicted", "not_in_source"], BeforeValidator(_spelled)
]


def _purpose(said: object) -> object:
    return _spelled(said) if _spelled(said) in get_args(Purpose) else ""


class Passage(BaseModel):
    """Words of a paper's text."""

    section: str = ""
    text: str


class Source(BaseModel):
    """A paper as the judge sees it."""

    key: str
    title: str = ""
    authors: str = ""
    year: int | None = None
    abstract: str | None = None
    passages: list[Passage] | None = None


class JudgedSentence(BaseModel):
    """A sentence of the text."""

    number: int
    text: str


class Asked(BaseModel):
    """What is to be judged: a sentence by one source, or by several together."""

    id: str
    sentence: int
    sources: list[str] = Field(description="Keys of papers, or 'input'.")


class JudgedItem(BaseModel):
    """The judge's verdict on one item."""

    id: str
    claim: str = Field(default="", description="What the sentence says of these sources alone.")
    quotes: list[str] = Field(default=[], description="Words of the sources, verbatim.")
    reasoning: str = Field(default="", description="One sentence.")
    verdict: Verdict
    purpose: Annotated[Purpose, BeforeValidator(_purpose)] = ""


class JudgedItems(BaseModel):
    """The judge's answer."""

    findings: list[JudgedItem]


class Compared(BaseModel):
    """A sentence beside the words that it nearly copies."""

    id: str
    before: str | None = None
    sentence: str
    title: str = ""
    authors: str = ""
    words: str
    differs: list[str]


class Second(BaseModel):
    """The judge's second verdict."""

    id: str
    reasoning: str = ""
    verdict: Verdict


class Seconds(BaseModel):
    """The judge's second answer."""

    findings: list[Second]


def extract(embedder: Embedder, **_: object) -> JudgedItems:
    """Judge nothing: without a judge nothing is decided but facts."""
    return JudgedItems(findings=[])


def extract_again(embedder: Embedder, **_: object) -> Seconds:
    """Judge nothing."""
    return Seconds(findings=[])


def entail(
    model: Entailment,
    *,
    input: str,  # noqa: A002  as the task names it
    sources: Sequence[Source],
    sentences: Sequence[JudgedSentence],
    asked: Sequence[Asked],
    **_: object,
) -> JudgedItems:
    """Judge by a model of inference."""
    texts = {item.number: without_markers(item.text) for item in sentences}
    known = {
        source.key: [
            text
            for text in (source.abstract, *(item.text for item in source.passages or ()))
            if text
        ]
        for source in sources
    } | {INPUT: [input]}
    findings = []
    for item in asked:
        claim = texts[item.sentence]
        found = entailed(model, claim, [text for key in item.sources for text in known[key]])
        quotes = [found.quote] if found.quote else []
        findings.append(
            JudgedItem(
                id=item.id,
                claim=claim,
                quotes=quotes,
                reasoning=found.reason,
                verdict=found.verdict,
            )
        )
    return JudgedItems(findings=findings)


def entail_again(model: Entailment, *, asked: Sequence[Compared]) -> Seconds:
    """Judge near copies by a model of inference."""
    found = {
        item.id: entailed(model, without_markers(item.sentence), [item.words]) for item in asked
    }
    return Seconds(
        findings=[
            Second(id=id_, reasoning=one.reason, verdict=one.verdict) for id_, one in found.items()
        ]
    )


TASK = Task(
    name="judge_claims",
    prompt=PROMPT,
    answer=JudgedItems,
    tier="strong",
    extract=extract,
    entail=entail,
    max_output_tokens=1200,
)
TASK_AGAIN = Task(
    name="judge_again",
    prompt=AGAIN,
    answer=Seconds,
    tier="strong",
    extract=extract_again,
    entail=entail_again,
    max_output_tokens=1200,
)


SURE = 0.5
"""Probability from which a model is believed: neither other label can be as probable. Fitted to nothing."""


@dataclass(frozen=True, slots=True)
class Entailed:
    """What a model makes of a claim and some texts."""

    verdict: Literal["supported", "contradicted", "not_in_source"]
    quote: str
    """The sentence that decides; empty where there is none."""
    reason: str


def entailed(model: Entailment, claim: str, texts: Sequence[str]) -> Entailed:
    """Return whether some sentence of these texts, or one of them as a whole, entails a claim."""
    split = [[span.text for span in split_sentences(text)] for text in texts]
    words = [sentence for sentences in split for sentence in sentences]
    whole = [text for text, of in zip(texts, split, strict=True) if len(of) > 1]
    if not words:
        return Entailed("not_in_source", "", "It has no words.")
    rows = model.judge([(text, claim) for text in (*words, *whole)])
    best = max(range(len(words)), key=lambda at: rows[at][0])
    worst = max(range(len(words)), key=lambda at: rows[at][1])
    entails = max(entail for entail, _ in rows)
    if entails > SURE:
        return Entailed("supported", words[best], f"the words entail it ({entails:.2f})")
    if rows[worst][1] > SURE:
        return Entailed(
            "contradicted", words[worst], f"the words contradict it ({rows[worst][1]:.2f})"
        )
    return Entailed("not_in_source", words[best], f"the words hardly entail it ({entails:.2f})")
