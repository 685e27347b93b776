"""`citeloom eval writing`: let each writer write each row's section and tell what came of it."""

import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.settings import settings
from evals.retrieval.intervals import RESAMPLES
from evals.side_by_side import quiet
from evals.writing.cases import Cases, read_cases
from evals.writing.report import markdown
from evals.writing.rouge import scorer
from evals.writing.schedule import rows_of
from evals.writing.summary import summarise
from evals.writing.trial import Arm, Row, Setting, choose_arms
from tools.errors import CiteLoomError, InputError, PermanentError

INTERRUPTED = 130


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command as given."""

    data: Path
    n: int | None = None
    writers: str = ""
    mind: str = "extractive"
    json: Path | None = None
    workers: int = 1
    seed: int = 0


def run(options: Options) -> int:
    """Run the benchmark; return the command's exit code.

    0: all runs were done. 1: it could not go on, or no run wrote anything. 2: what was given cannot
    be used. 130: stopped by Ctrl-C; what was done until then is shown and written.
    """
    try:
        return _measure(options)
    except CiteLoomError as error:
        _say(f"citeloom: {error}")
        return 2 if isinstance(error, InputError) else 1


def _measure(options: Options) -> int:
    _check(options)
    arms = choose_arms(options.writers)
    chosen = read_cases(options.data, options.n)
    rows: list[Row] = []
    code = 0
    try:
        with quiet():
            _run_all(options, chosen, arms, rows)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except PermanentError as error:
        _say(f"citeloom: {error}")
        code = 1
    if rows:
        found = _found(options, chosen, arms, rows, complete=code == 0)
        _write(options, found)
        print(markdown(found))
    return code or int(not any(row["text"] for row in rows))


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
    scorer()  # its package may be missing, which is better known now


def _run_all(options: Options, chosen: Cases, arms: Sequence[Arm], rows: list[Row]) -> None:
    """Append the row of each run to `rows`, one row of the data after the other."""
    tasks = [(case, arm) for case in chosen.cases for arm in arms]
    with tempfile.TemporaryDirectory(prefix="citeloom-vectors-") as folder:
        setting = Setting(mind=options.mind, vectors=Path(folder) / "vectors.sqlite")
        with closing(rows_of(tasks, setting, options.workers)) as done:
            for row in done:
                rows.append(row)
                _say(f"{len(rows)}/{len(tasks)} {row['case']} {row['arm']}: {_outcome(row)}")


def _outcome(row: Row) -> str:
    if row["skipped"] or row["error"]:
        return row["skipped"] or row["error"]
    return f"{row['cost']['seconds']:.1f} s, {row['counts']['words']:.0f} words"


def _found(
    options: Options, chosen: Cases, arms: Sequence[Arm], rows: Sequence[Row], *, complete: bool
) -> dict[str, Any]:
    model = settings().strong_model if options.mind == "llm" else None
    return {
        "settings": {
            "data": options.data.name, "n": len(chosen.cases), "mind": options.mind,
            "model": model, "seed": options.seed, "resamples": RESAMPLES,
            "writers": {arm.name: dict(arm.settings) for arm in arms},
        },
        "complete": complete,
        "left_out": chosen.left_out,
        **summarise(chosen.cases, rows, seed=options.seed),
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
