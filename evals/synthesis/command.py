"""`citeloom eval synthesis`: references held against the truth, and the baselines."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from citeloom.settings import settings
from evals.asking.papers import read_papers
from evals.side_by_side import quiet
from evals.synthesis import arms, references
from evals.synthesis.questions import QUESTIONS, read_questions
from tools.errors import CiteLoomError, InputError

PARTS = ("references", "arms")
INTERRUPTED = 130


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command as given."""

    folder: Path
    """PDFs with a truth.jsonl."""
    questions: Path = QUESTIONS
    papers: Path | None = None
    """Papers with questions, for the comparison of arms; without them there is none."""
    parts: str = ""
    n: int | None = None
    mind: str = "extractive"
    json: Path | None = None
    seed: int = 0


def run(options: Options) -> int:
    """Measure what is asked for; return the command's exit code.

    0: all was measured. 1: it could not go on. 2: what was given cannot be used. 130: stopped by
    Ctrl-C; the parts done until then are written.
    """
    told: dict[str, Any] = {}
    code = 0
    try:
        parts = _checked(options)
        with quiet():
            for part in parts:
                told[part] = _MEASURES[part](options)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except CiteLoomError as error:
        _say(f"citeloom: {error}")
        code = 2 if isinstance(error, InputError) else 1
    if options.json and told:
        options.json.write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
    return code


def _checked(options: Options) -> list[str]:
    usual = [part for part in PARTS if part != "arms" or options.papers]
    parts = [part.strip() for part in options.parts.split(",") if part.strip()] or usual
    if unknown := [part for part in parts if part not in PARTS]:
        raise InputError(f"there is no part '{unknown[0]}'; there are: {', '.join(PARTS)}")
    if "arms" in parts and options.papers is None:
        raise InputError("the arms need papers with questions: give them with --papers")
    if "references" in parts and not (options.folder / "truth.jsonl").is_file():
        raise InputError(f"there is no truth.jsonl in '{options.folder}'")
    if options.mind not in {"extractive", "llm"}:
        raise InputError(f"--mind must be extractive or llm, not '{options.mind}'")
    if options.mind == "llm" and not settings().llm_configured:
        raise InputError("--mind llm needs an LLM: run `citeloom doctor` to see what to set")
    if options.n is not None and options.n < 1:
        raise InputError("--n must be 1 or more")
    path = options.json
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise InputError(f"'{path}' cannot be written: name a file in a folder that exists")
    return parts


def _references(options: Options) -> list[dict[str, Any]]:
    questions = read_questions(options.questions)[: options.n]
    rows = references.measure(options.folder, questions, options.mind)
    _print(references.table(rows).markdown(), references.targets(rows))
    return [asdict(row) for row in rows]


def _arms(options: Options) -> dict[str, Any]:
    if options.papers is None:
        return {}
    plan = arms.plan_of(read_papers(options.papers), options.n, mind=options.mind)
    rows: list[arms.Row] = []
    for row in arms.run_all(plan):
        rows.append(row)
        _say(f"{row.case} {row.stack} {row.arm}: {row.figures['seconds']:.1f} s")
    _print("\n\n".join(table.markdown() for table in arms.tables(rows, seed=options.seed)))
    return {
        "by_stack": arms.summarise(rows, seed=options.seed),
        "minus": arms.minus(rows, seed=options.seed),
        "rows": [asdict(row) for row in rows],
    }


_MEASURES = {"references": _references, "arms": _arms}


def _print(text: str, notes: Sequence[str] = ()) -> None:
    print(text, "", *(f"- {note}" for note in notes), "", sep="\n")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
