"""What a judge is asked of sections: G-Score's six dimensions, a grade, and the measures of DeepScholar-Bench.

ChatCite, section 4: all candidates stand in one conversation, so that they are held against one another,
and one of them is preferred. LitLLM's Llama-3-Eval grades one text against the authors' own.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from string import ascii_uppercase
from typing import Any

from pydantic import BaseModel, Field

from evals.runner import Question, judge_task, read_judged
from evals.writing.cases import Case, numbers_in
from state.paper import Paper, title_key
from tools.text.words import split_sentences

MOST = len(ascii_uppercase)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One text of one system for one case."""

    arm: str
    text: str
    references: tuple[str, ...] = ()
    """Titles, as the text numbers them; empty where it is not known what its numbers stand for."""


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """One case judged once: its texts labelled A, B, ... in an order of chance."""

    case: Case
    labelled: Mapping[str, Candidate]
    turn: int = 0
    """0, 1, ...: the same case judged again, its texts in another order."""


def read_candidates(path: Path) -> dict[str, list[Candidate]]:
    """Return the texts of a file by the id of their case.

    The file is what `eval writing --json` wrote, or JSON lines with `case`, `arm`, `text` and perhaps
    `references` (titles, as the text numbers them).

    Raises:
        InputError: It cannot be read, or holds nothing.
    """
    found: dict[str, list[Candidate]] = {}
    for row in read_judged(path, ("case", "arm", "text"), "writing", _of_figures):
        if text := str(row["text"]).strip():
            candidate = Candidate(
                arm=str(row["arm"]),
                text=text,
                references=tuple(map(str, row.get("references") or ())),
            )
            found.setdefault(str(row["case"]), []).append(candidate)
    return found


def _of_figures(figures: Any) -> list[dict[str, Any]]:
    return [
        {"case": case["id"], "arm": arm, **printed}
        for case in figures["cases"]
        for arm, printed in case["printed"].items()
    ]


def lineup(case: Case, candidates: Sequence[Candidate], seed: str) -> dict[str, Candidate]:
    """Return the texts of a case by label, in an order that the seed decides, whatever theirs was."""
    ordered = sorted(candidates, key=lambda item: item.arm)[:MOST]
    Random(f"{seed} {case.id}").shuffle(ordered)
    return dict(zip(ascii_uppercase, ordered, strict=False))


def listed(case: Case, references: Sequence[str]) -> list[Paper | str]:
    """Return what the numbers of a text stand for: papers of the row, or titles that it does not have.

    Without references of its own a text cites by the keys of the data, where these are numbers, else by
    the order of the row's papers.
    """
    if references:
        titled = {title_key(paper.title): paper for paper in case.papers}
        return [titled.get(title_key(title), title) for title in references]
    numbered = {int(key): case.papers[at] for key, at in case.places.items() if key.isdigit()}
    if not numbered:
        return list(case.papers)
    return [
        numbered.get(number, f"Not in the data: {number}") for number in range(1, max(numbered) + 1)
    ]


DIMENSIONS = (
    "consistency",
    "coherence",
    "comparativeness",
    "integrity",
    "fluency",
    "citation_accuracy",
)


class TextScores(BaseModel):
    """The scores of one text, 1 (poor) to 5 (excellent)."""

    label: str = Field(description="The text's letter.")
    why: str = Field(description="One sentence: what decided the scores.")
    consistency: int = Field(ge=1, le=5)
    coherence: int = Field(ge=1, le=5)
    comparativeness: int = Field(ge=1, le=5)
    integrity: int = Field(ge=1, le=5)
    fluency: int = Field(ge=1, le=5)
    citation_accuracy: int = Field(ge=1, le=5)


class Scored(BaseModel):
    """All texts scored, and the one preferred."""

    scores: list[TextScores] = Field(description="One entry for each text.")
    preferred: str = Field(description="The letter of the text that you would rather publish.")


class Graded(BaseModel):
    """A grade of one text."""

    why: str = Field(description="One or two sentences: what is there, and what is lacking.")
    grade: int = Field(ge=0, le=100)


class Nugget(BaseModel):
    """One fact of the published section."""

    fact: str
    vital: bool = Field(description="Whether a section without it has missed the subject.")
    told_by: list[str] = Field(description="Letters of the candidates that tell it.")


class Nuggets(BaseModel):
    """What the published section tells, and who else."""

    nuggets: list[Nugget]


class SentenceSources(BaseModel):
    """One sentence of a text."""

    number: int
    claims: bool = Field(
        description="Whether it says something of other works that needs a source."
    )
    supported_by: list[int] = Field(description="Numbers of the works it cites that say it.")


class TextSources(BaseModel):
    """All sentences of a text that claim or cite something."""

    sentences: list[SentenceSources]


G_SCORE = """You judge related-work sections for a scientific journal. Several sections were written for the same
paper; you see its abstract, the section that its authors published (the standard), and the candidates,
each under a letter. Their order is random and says nothing.

Score every candidate on six scales from 1 to 5; use the whole range, and let equal quality have equal scores:
- consistency: does what it says agree with the standard? Lower for each statement that contradicts the
  standard or tells of something else; a different choice of words or of order costs nothing.
- coherence: does one sentence lead to the next, in an order that a reader can follow, rather than being a pile
  of facts?
- comparativeness: does it hold works against one another and against the paper itself, and draw similar works
  together, rather than telling of each by itself?
- integrity: does it have what such a section needs: background, what the works did, how they are to be
  valued, and what the paper adds?
- fluency: grammar, spelling, punctuation, choice of words, build of sentences. Nothing else counts here.
- citation_accuracy: does each statement on other work cite by number, and the work that it is about, as its list of
  references tells? Where a candidate has no list, judge whether and where it cites.

Judge each scale by itself. A long text is not better for being long. Then say which candidate you would rather
publish."""

G_SCORES = judge_task("g_score", G_SCORE, Scored, 4000)
GRADES = judge_task(
    "grade",
    """You grade a related-work section against the one that the authors of the paper published. You see the paper's
abstract, the published section and the candidate.

Give a grade from 0 to 100: how well the candidate could stand in the place of the published one. Weigh which
works it discusses and what it says of each, how it relates them to the paper, and whether anything in it is wrong
or made up. 90 and more: as good or better. About 70: usable after small changes. About 50: half of it is of
use. Below 30: it would have to be written anew. Its length alone, and where its wording differs, decide nothing.""",
    Graded,
    800,
)
NUGGETS = judge_task(
    "nuggets",
    """You compare related-work sections for the same paper by the facts that they tell. Take out of the published
section (the standard) at most 20 facts on other works or on the state of the field, each in one short sentence that
can be understood by itself and without citations; mark those as vital without which a section would miss the
subject. Then name, for each, the candidates that tell it, in whatever words; one that tells half of it does not.""",
    Nuggets,
    3000,
)
CITATIONS = judge_task(
    "citations",
    """You check the citations of a related-work section. You see its sentences by number, and the works that it
cites: their numbers, titles and abstracts. For each sentence that cites or claims something tell whether it makes a
claim on other works that needs a source, and which of the works that it cites itself say what it says of them. A
work of which you see no abstract says only what its title says.""",
    TextSources,
    4000,
)


def shown_of(sitting: Sitting, label: str = "") -> dict[str, object]:
    """Return what the judge is shown of a case: all of its texts, or the one of a label."""
    texts = {
        key: [item.text, "", *(f"[{at}] {title}" for at, title in enumerate(item.references, 1))]
        for key, item in sitting.labelled.items()
    }
    candidates = {key: "\n".join(lines).strip() for key, lines in texts.items()}
    return {
        "paper": f"{sitting.case.title}\n\n{sitting.case.abstract}".strip(),
        "standard": sitting.case.gold,
        **({"candidate": candidates[label]} if label else {"candidates": candidates}),
    }


def written_sentences(item: Candidate) -> list[str]:
    """Return the sentences of a text, in order."""
    return [span.text for part in item.text.split("\n") for span in split_sentences(part)]


def cited_of(sitting: Sitting, label: str) -> dict[str, object]:
    """Return what the judge is shown of the citations of one text: its sentences, and the works they cite."""
    item, sentences = sitting.labelled[label], written_sentences(sitting.labelled[label])
    cited = {int(key) for text in sentences for key in numbers_in(text)}
    works = {
        number: one if isinstance(one, str) else f"{one.title}\n{one.abstract or ''}".strip()
        for number, one in enumerate(listed(sitting.case, item.references), 1)
        if number in cited
    }
    return {"works": works, "sentences": dict(enumerate(sentences, 1))}


def questions_of(sitting: Sitting, measures: Collection[str]) -> Iterator[Question]:
    """Yield what is asked of a sitting."""
    yield G_SCORES, shown_of(sitting), _EACH * len(sitting.labelled)
    for label in sitting.labelled:
        if "grade" in measures:
            yield GRADES, shown_of(sitting, label), _EACH
        if "deepscholar" in measures:
            yield CITATIONS, cited_of(sitting, label), 10 * _EACH
    if "deepscholar" in measures:
        yield NUGGETS, shown_of(sitting), 10 * _EACH


def deepscholar(
    sitting: Sitting, label: str, checked: TextSources | None, told: Nuggets | None
) -> dict[str, float]:
    """Return the measures of DeepScholar-Bench for one text, so far as its data allow.

    nuggets, vital_nuggets   Facts of the published section that the text tells; of the vital ones.
    reference_coverage       Works of the published section that are cited.
    citation_precision       Citations whose work says what the sentence says.
    claim_coverage           Claims with such a citation, in their sentence or in one beside it.
    """
    item, case = sitting.labelled[label], sitting.case
    cites = [{int(key) for key in numbers_in(text)} for text in written_sentences(item)]
    cited = {
        one.id
        for at, one in enumerate(listed(case, item.references), 1)
        if isinstance(one, Paper) and any(at in keys for keys in cites)
    }
    tells = [
        (one.vital, label in map(str.upper, one.told_by)) for one in (told.nuggets if told else ())
    ]
    measured = {
        "nuggets": [found for _, found in tells],
        "vital_nuggets": [found for vital, found in tells if vital],
        "reference_coverage": [paper.id in cited for paper in case.papers],
    }
    if checked:
        said = {one.number - 1: one for one in checked.sentences if 0 < one.number <= len(cites)}
        held = [
            keys.intersection(said[at].supported_by if at in said else ())
            for at, keys in enumerate(cites)
        ]
        measured["citation_precision"] = [
            key in stands for keys, stands in zip(cites, held, strict=True) for key in keys
        ]
        measured["claim_coverage"] = [
            any(held[max(at - 1, 0) : at + 2]) for at, one in said.items() if one.claims
        ]
    return {name: fmean(marks) for name, marks in measured.items() if marks}


def faults_of(answer: Scored, sitting: Sitting) -> list[str]:
    """Say what is wrong with scores: texts left out, scored twice or made up."""
    told = [item.label.strip().upper() for item in answer.scores]
    wanted = list(sitting.labelled)
    faults = [f"text {label} has no scores" for label in wanted if label not in told]
    faults += [f"there is no text {label}" for label in dict.fromkeys(told) if label not in wanted]
    faults += [f"text {label} is scored twice" for label in wanted if told.count(label) > 1]
    if answer.preferred.strip().upper() not in wanted:
        faults.append(f"preferred is none of {', '.join(wanted)}")
    return faults


_EACH = 90
"""Tokens of what is said of one text, about."""
