"""`citeloom eval asking`: ask each question in each way and tell what came of it."""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.settings import settings
from evals.asking.arms import Arm, choose_arms
from evals.asking.cases import Case, choose_cases, read_questions
from evals.asking.libraries import Built, build_papers, build_starter
from evals.asking.papers import PaperCases, read_papers
from evals.asking.report import markdown
from evals.asking.schedule import rows_of
from evals.asking.summary import summarise
from evals.asking.trial import Row, Setting, forget
from evals.retrieval.intervals import RESAMPLES
from evals.side_by_side import quiet
from evals.writing.rouge import scorer
from tools.errors import CiteLoomError, InputError, PermanentError

INTERRUPTED = 130


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command as given."""

    data: Path | None = None
    """Papers with questions; the packaged questions over the starter library if not given."""
    n: int | None = None
    groups: str = ""
    arms: str = ""
    mind: str = "extractive"
    json: Path | None = None
    workers: int = 1
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is to be asked, of what."""

    cases: list[Case]
    data: PaperCases | None


def run(options: Options) -> int:
    """Ask the questions; return the command's exit code.

    0: all runs were done. 1: it could not go on, or no run answered anything. 2: what was given
    cannot be used. 130: stopped by Ctrl-C; what was done until then is shown and written.
    """
    try:
        return _measure(options)
    except CiteLoomError as error:
        _say(f"citeloom: {error}")
        return 2 if isinstance(error, InputError) else 1


def _measure(options: Options) -> int:
    _check(options)
    arms = choose_arms(options.arms)
    data = read_papers(options.data) if options.data else None
    cases = choose_cases(data.cases if data else read_questions(), options.groups, options.n)
    asked = Asked(cases=cases, data=data)
    rows: list[Row] = []
    prepared: dict[str, Any] = {}
    code = 0
    try:
        with quiet():
            _run_all(options, asked, arms, rows, prepared)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except PermanentError as error:
        _say(f"citeloom: {error}")
        code = 1
    if rows:
        found = _found(options, asked, arms, rows, prepared, complete=code == 0)
        _write(options, found)
        print(markdown(found))
    return code or int(not any(row["sentences"] for row in rows))


def _check(options: Options) -> None:
    if options.workers < 1:
        raise InputError("--workers must be 1 or more")
    if options.mind not in {"extractive", "llm"}:
        raise InputError(f"--mind must be extractive or llm, not '{options.mind}'")
    if options.mind == "llm" and not settings().llm_configured:
        raise InputError("--mind llm needs an LLM: run `citeloom doctor` to see what to set")
    path = options.json
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise InputError(f"'{path}' cannot be written: name a file in a folder that exists")
    if options.data:
        scorer()  # its package may be missing, which is better known now


def _run_all(
    options: Options, asked: Asked, arms: Sequence[Arm], rows: list[Row], prepared: dict[str, Any]
) -> None:
    """Append the row of each run to `rows`, one question after the other."""
    tasks = [(case, arm) for case in asked.cases for arm in arms]
    with tempfile.TemporaryDirectory(
        prefix="citeloom-asking-", ignore_cleanup_errors=True
    ) as folder:
        home = Path(folder) / "shared"
        try:
            built = _build(asked, home)
            prepared |= vars(built)
            setting = _setting(options, asked, built, home)
            with closing(rows_of(tasks, setting, options.workers)) as done:
                for row in done:
                    rows.append(row)
                    _say(f"{len(rows)}/{len(tasks)} {row['case']} {row['arm']}: {_outcome(row)}")
        finally:
            forget()


def _build(asked: Asked, home: Path) -> Built:
    if asked.data is None:
        _say("making the starter library")
        return build_starter(home)
    needed = {paper for case in asked.cases for paper in case.within}
    sources = [item for item in asked.data.sources if item.paper.id in needed]
    _say(f"making a library of {len(sources)} documents")
    return build_papers(home, sources)


def _setting(options: Options, asked: Asked, built: Built, home: Path) -> Setting:
    texts = {key: paper.abstract or "" for key, paper in built.records.items()}
    if asked.data:
        texts |= {item.paper.id: item.text for item in asked.data.sources}
    return Setting(
        mind=options.mind, library=built.name, home=home, texts=texts, records=built.records,
        likeness=asked.data is not None,
    )  # fmt: skip


def _outcome(row: Row) -> str:
    if row["error"]:
        return row["error"]
    told = f"{row['cost']['seconds']:.1f} s, {row['counts']['sentences']:.0f} sentences"
    covered = row["counts"].get("coverage")
    return told if covered is None else f"{told}, coverage {100 * covered:.0f} %"


def _found(
    options: Options, asked: Asked, arms: Sequence[Arm], rows: Sequence[Row],
    prepared: Mapping[str, Any], *, complete: bool,
) -> dict[str, Any]:  # fmt: skip
    years = {key: paper.year for key, paper in prepared["records"].items() if paper.year}
    model = settings().strong_model if options.mind == "llm" else None
    return {
        "settings": {
            "data": options.data.name if options.data else "questions over the starter library",
            "n": len(asked.cases), "mind": options.mind, "model": model, "seed": options.seed,
            "resamples": RESAMPLES, "likeness": asked.data is not None,
            "arms": {arm.name: dict(arm.settings) for arm in arms},
        },
        "preparation": {
            key: prepared[key] for key in ("passages", "vector_seconds", "keyword_seconds")
        },
        "complete": complete,
        "left_out": asked.data.left_out if asked.data else {},
        **summarise(asked.cases, rows, years, seed=options.seed),
    }  # fmt: skip


def _write(options: Options, found: dict[str, Any]) -> None:
    if options.json is None:
        return
    # NaN and infinity are no JSON: better an error here than a file that others cannot read.
    text = json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    temporary = options.json.with_name(f"{options.json.name}.part")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(options.json)
    except OSError as error:
        raise InputError(f"'{options.json}' cannot be written: {error}") from error


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
