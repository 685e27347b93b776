"""`citeloom eval writing`: let each writer write each row's section and tell what came of it."""

import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from evals.figures import RESAMPLES, grouped, means, minus, noted, sums
from evals.runner import Options, Suite, choose
from evals.trials import Row, results_of
from evals.writing.cases import Case, read_cases, without_marks
from evals.writing.judge_texts import Candidate, read_candidates
from evals.writing.trial import ARMS, LEXRANK, VERDICTS, Arm, Counts, try_arm
from tools.errors import InputError
from tools.settings import settings

MEASURES = ("rouge1", "rouge2", "rougeL")


def rouge(gold: str, text: str) -> dict[str, float]:
    """Return the F1 of each measure, 0..1, words stemmed; 0 for an empty text.

    Raises:
        InputError: The package rouge-score is not installed.
    """
    found = scorer().score(gold, text)
    return {name: float(found[name].fmeasure) for name in MEASURES}


@cache
def scorer() -> Any:
    """Open the scorer, which takes a second.

    Raises:
        InputError: The package rouge-score is not installed.
    """
    try:
        package = import_module("rouge_score.rouge_scorer")
    except ModuleNotFoundError as error:
        raise InputError(
            "ROUGE needs the package rouge-score, which comes with no other part of CiteLoom: "
            "install it with `uv pip install rouge-score`"
        ) from error
    return package.RougeScorer(list(MEASURES), use_stemmer=True)


def bertscore(model: str) -> Callable[[str, str], dict[str, float]]:
    """Return what measures the F1 of BERTScore, 0..1, not rescaled; 0 for an empty text.

    Args:
        model: A name of Hugging Face's that the package knows, such as roberta-large, or a folder and the
            layer to take, such as models/minilm:6. At most as many tokens count as the model takes.

    Raises:
        InputError: The package bert-score is not installed, or does not know the model.
    """
    try:
        package = import_module("bert_score")
    except ModuleNotFoundError as error:
        raise InputError(
            "BERTScore needs the package bert-score, which brings PyTorch: install it with "
            "`uv pip install bert-score`"
        ) from error
    name, _, layer = model.rpartition(":") if ":" in model else (model, "", "")
    try:
        scorer: Any = package.BERTScorer(
            model_type=name, num_layers=int(layer) if layer else None, device="cpu"
        )
    except (OSError, KeyError, ValueError, AssertionError) as error:
        raise InputError(
            f"there is no model '{model}' for BERTScore: name one that the package knows, such as "
            f"roberta-large, or a folder and its layer, such as models/minilm:6 ({error!r})"
        ) from error

    def measured(gold: str, text: str) -> dict[str, float]:
        if not text.strip():
            return {"bertscore": 0.0}
        *_, f1 = scorer.score([text], [gold])
        return {"bertscore": float(f1[0])}

    return measured


Likeness = Callable[[str, str], dict[str, float]]
"""Measures of how like a text is to the gold, which comes first."""
SHARES = {
    "covered": ("cited", "given"),
    "hallucinated": ("hallucinated", "citations"),
    "quoted": ("quoted", "citing"),
    "accounted": ("accounted", "given"),
    "lines_right": ("lines_right", "lines"),
    "citing_right": ("citing_right", "citing_lines"),
    "in_place": ("in_place", "places"),
}
"""What is told as a share, of what it is one."""
AMOUNTS = ("sentences", "words", "repeated", "passed", *VERDICTS)
COSTS = ("seconds", "questions", "llm_calls", "input_tokens", "output_tokens", "usd")


def summarise(
    cases: Sequence[Case], rows: Sequence[Row], likeness: Likeness = rouge, *, seed: int
) -> dict[str, Any]:
    """Return the figures of each writer, over rows that can be checked and over the others apart.

    A run that broke counts in likeness as one that wrote nothing; one that was skipped does not count.
    """
    told = [_case(case, mine, likeness) for case, mine in grouped(cases, rows)]
    return {
        "checkable": _group([one for one in told if one["checkable"]], seed),
        "no_abstracts": _group([one for one in told if not one["checkable"]], seed),
        "cases": told,
    }


def _case(case: Case, rows: Mapping[str, Row], likeness: Likeness) -> dict[str, Any]:
    gold = without_marks(case.gold)
    arms = {
        name: _figures(likeness(gold, row["text"]), row)
        for name, row in rows.items()
        if not row.get("skipped")
    }
    found: dict[str, Any] = {
        "id": case.id,
        "checkable": case.checkable,
        "papers": len(case.papers),
        "with_abstract": sum(bool(paper.abstract) for paper in case.papers),
        "gold_words": len(gold.split()),
        "unusable": list(case.unusable),
        "arms": arms,
        "counts": {},
        "adherence": {},
        "texts": {name: row["text"] for name, row in rows.items()},
    }
    return found | noted(rows, ("counts", "adherence", "printed", "skipped", "error", "failures"))


def _figures(like: Mapping[str, float], row: Row) -> dict[str, float | None]:
    """Return all measures of one run; None where one does not apply."""
    counts: Counts = {**row["counts"], **row["adherence"]}
    found: dict[str, float | None] = {**like, "empty": float(not row["text"])}
    found |= {name: counts[name] for name in AMOUNTS if name in counts}
    for name, (part, whole) in SHARES.items():
        if counts.get(whole):
            found[name] = counts[part] / counts[whole]
    if row["adherence"]:
        found |= {name: counts[name] for name in ("same_length", "sentences_more", "words_more")}
    return found | {name: row["cost"][name] for name in COSTS if name in row["cost"]}


def _group(told: Sequence[Mapping[str, Any]], seed: int) -> dict[str, Any]:
    names = list(dict.fromkeys(name for one in told for name in one["arms"]))
    return {
        "n": len(told),
        "writers": means(told, names, seed=seed),
        "minus_lexrank": minus(told, names, LEXRANK, seed=seed),
        "totals": {name: _totals(told, name) for name in names},
    }


def _totals(told: Sequence[Mapping[str, Any]], name: str) -> dict[str, float]:
    """Return the sums of all that was counted over the rows, and how far plans were missed."""
    mine = [one["arms"][name] for one in told if name in one["arms"]]
    plans = [one["adherence"][name] for one in told if name in one["adherence"]]
    found: dict[str, float] = {"runs": len(mine), "empty": sum(bool(one["empty"]) for one in mine)}
    found |= sums((*(one["counts"].get(name, {}) for one in told), *plans))
    if plans:
        more = [abs(one["sentences_more"]) for one in plans]
        found["plans"] = len(plans)
        found["mean_sentences_more"], found["largest_sentences_more"] = fmean(more), max(more)
        found["mean_words_more"] = fmean(abs(one["words_more"]) for one in plans)
    return found


@dataclass(frozen=True, kw_only=True)
class WritingOptions(Options):
    """The command as given."""

    data: Annotated[
        Path,
        typer.Option(help="JSON lines (also gzip) with id, target, gold_related_work and cited."),
    ]
    writers: Annotated[
        str,
        typer.Option(metavar="A,B", help="What to compare; 'lexrank' always is. All if left out."),
    ] = ""

    texts: Annotated[
        list[Path] | None,
        typer.Option(
            help="Texts that other systems published, JSON lines with case, arm, text and perhaps references; "
            "may be repeated."
        ),
    ] = None
    bertscore: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Measure BERTScore too (needs bert-score): a name such as roberta-large, or FOLDER:LAYER.",
        ),
    ] = ""


class Writing(Suite[WritingOptions]):
    """Let each writer write the related-work sections of papers, and compare with their own.

    It runs the real graph on the papers that each section cites, and checks each citation anew.
    """

    def prepare(self) -> None:
        """Read the rows of the data."""
        scorer()  # its package may be missing, which is better known now
        self.arms = [ARMS[name] for name in choose(self.options.writers, ARMS, "writer", [LEXRANK])]
        self.chosen = read_cases(self.options.data, self.options.n)
        self.published = [
            (case, text)
            for path in self.options.texts or []
            for found in [read_candidates(path)]
            for case in self.chosen.cases
            for text in found.get(case.id, ())
        ]
        if same := next((text.arm for _, text in self.published if text.arm in ARMS), None):
            raise InputError(f"a published text is called '{same}', as one of the writers is")
        measured = bertscore(self.options.bertscore) if self.options.bertscore else None
        self.likeness: Likeness = (
            (lambda gold, text: rouge(gold, text) | measured(gold, text)) if measured else rouge
        )

    def rows(self) -> Generator[Row]:
        """Write with each writer, one row of the data after the other."""
        written = [(case, arm) for case in self.chosen.cases for arm in self.arms]
        tasks: list[tuple[Case, Arm | Candidate]] = [*written, *self.published]
        self.runs = len(tasks)
        with tempfile.TemporaryDirectory(prefix="citeloom-vectors-") as folder:
            vectors, cases = Path(folder) / "vectors.sqlite", tuple(self.chosen.cases)
            run = partial(try_arm, mind=self.options.mind, vectors=vectors, cases=cases)
            with closing(results_of(run, tasks, self.options.workers)) as done:
                yield from done

    def failed(self, row: Row) -> bool:
        """Whether nothing was written."""
        return not row["text"]

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the figures."""
        options = self.options
        return {
            "settings": {
                "data": options.data.name,
                "n": len(self.chosen.cases),
                "mind": options.mind,
                "model": settings().strong_model if options.mind == "llm" else None,
                "seed": options.seed,
                "resamples": RESAMPLES,
                "bertscore": options.bertscore or None,
                "writers": {arm.name: dict(arm.settings) for arm in self.arms},
            },
            "left_out": self.chosen.left_out,
            **summarise(self.chosen.cases, rows, self.likeness, seed=options.seed),
        }

    def notes(self, found: dict[str, Any]) -> list[str]:
        """Say what was not run, and what counts as nothing."""
        notes = super().notes(found)
        skipped = Counter(why for case in found["cases"] for why in case.get("skipped", {}).items())
        notes += [f"{name} was not run on {n} rows: {why}" for (name, why), n in skipped.items()]
        if unusable := sum(len(case["unusable"]) for case in found["cases"]):
            notes.append(
                f"{unusable} cited works have no usable record in the data, and were not given"
            )
        return [*notes, "A run that wrote nothing counts 0 in likeness; in honesty, nothing."]
