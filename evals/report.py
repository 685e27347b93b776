"""One page of a benchmark's figures, and two runs of it compared: `citeloom eval report FIGURES.json`.

It reads what any suite writes with --json: wherever arms have measures with intervals, there is a table and a
picture; the cases stand below, each to be opened.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Annotated, Any

import typer

from evals.bench.growth import pictures
from evals.bench.row import HEADS, Row, lines_of, rows_table
from evals.intervals import Interval, difference
from evals.runner import check_file
from evals.spending import Spent, rows_of, spent_table
from evals.tables import cell, table
from tools.errors import InputError

Arms = Mapping[str, Mapping[str, Interval | float]]
_WIDE, _ROW, _LEFT = 640, 18, 190
_MOST_TEXT = 4000
"""Characters of one value of a case that are shown."""


@dataclass(frozen=True)
class Run:
    """The figures of one run."""

    name: str
    figures: Mapping[str, Any]

    @property
    def tables(self) -> dict[str, Arms]:
        """The measures of arms, by the place where they stand."""
        return dict(_tables(self.figures, ""))

    @property
    def tasks(self) -> Mapping[str, Spent]:
        """What each task of the arms' runs cost and took."""
        found = self.figures.get("tasks")
        return found if isinstance(found, dict) else {}

    @property
    def bench(self) -> list[Row]:
        """The rows of `eval bench`."""
        found = self.figures.get("rows")
        return [Row(**row) for row in found] if "left_out" in self.figures and found else []

    @property
    def cases(self) -> list[Mapping[str, Any]]:
        """The cases, where the suite tells of them."""
        found = self.figures.get("cases") or self.figures.get("queries")
        return [case for case in found if isinstance(case, dict)] if isinstance(found, list) else []


def read_run(path: Path) -> Run:
    """Return the figures of a file.

    Raises:
        InputError: It is not what a suite writes.
    """
    try:
        figures = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"'{path}' cannot be read as figures: {error}") from error
    run = Run(path.name, figures if isinstance(figures, dict) else {})
    if not run.tables and not run.bench:
        raise InputError(f"'{path}' holds no figures of arms: give what a suite wrote with --json")
    return run


def report(
    figures: Annotated[Path, typer.Argument(help="What a suite wrote with --json.")],
    out: Annotated[Path, typer.Option(help="The page; the same as Markdown goes beside it.")],
    against: Annotated[
        Path | None, typer.Option(help="Another run of the suite, to compare with.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap of paired differences.")] = 0,
) -> None:
    """Write one page of a benchmark's figures, or of two runs of it compared."""
    check_file(out)
    run = read_run(figures)
    other = read_run(against) if against else None
    out.write_text(page(run, other, seed=seed), encoding="utf-8")
    out.with_suffix(".md").write_text(markdown(run, other, seed=seed), encoding="utf-8")
    typer.echo(f"wrote {out} and {out.with_suffix('.md').name}", err=True)


def compared(run: Run, other: Run, *, seed: int) -> dict[str, dict[str, Interval | None]]:
    """Return, for each arm that both have, each measure minus the other run's, paired by case.

    Cases that one of them lacks are left out, and so are measures that no case has.
    """
    theirs = {str(case.get("id")): case for case in other.cases}
    pairs = [
        (case, theirs[str(case.get("id"))]) for case in run.cases if str(case.get("id")) in theirs
    ]
    names = [arm for arm in _names(run.cases) if arm in _names(other.cases)]
    found: dict[str, dict[str, Interval | None]] = {}
    for arm in names:
        mine = [(_of(one, arm), _of(two, arm)) for one, two in pairs]
        measures = dict.fromkeys(name for one, two in mine for name in one if name in two)
        found[arm] = {
            name: difference(
                [one.get(name) for one, _ in mine], [two.get(name) for _, two in mine], seed=seed
            )
            for name in measures
        }
    return {arm: told for arm, told in found.items() if told}


def markdown(run: Run, other: Run | None, *, seed: int) -> str:
    """Return the report as Markdown."""
    parts = [f"# {run.name}", _settings_md(run)]
    parts += [_table_md(title, arms) for title, arms in run.tables.items()]
    parts += [spent_table(run.tasks), rows_table(run.bench)]
    if other:
        parts += [
            f"## Minus {other.name}, paired by case",
            _table_md("", compared(run, other, seed=seed)),
        ]
    return "\n\n".join(filter(None, parts)) + "\n"


def page(run: Run, other: Run | None, *, seed: int) -> str:
    """Return the report as one page of HTML that loads nothing."""
    parts = [f"<h1>{escape(run.name)}</h1>", _settings(run)]
    parts += [_section(title, arms) for title, arms in run.tables.items()]
    parts += [_spent(run.tasks)] if run.tasks else []
    parts += (
        [_listed("Speed and cost", HEADS, lines_of(run.bench)), pictures(run.bench)]
        if run.bench
        else []
    )
    if other:
        parts.append(f"<h2>Minus {escape(other.name)}, paired by case</h2>{_settings(other)}")
        differences = compared(run, other, seed=seed)
        parts.append(
            _section("", differences)
            if differences
            else "<p>The runs have no case and arm in common.</p>"
        )
    parts += [_case(case) for case in run.cases]
    frame = Path(__file__).with_suffix(".html").read_text(encoding="utf-8")
    return frame.replace("@title@", escape(run.name)).replace("@body@", "\n".join(parts))


def _tables(value: Any, place: str) -> Iterator[tuple[str, Arms]]:
    """Yield what looks like arms with measures, wherever it stands; cases are told of apart."""
    if not isinstance(value, dict):
        return
    if value and all(
        isinstance(one, dict) and any(map(_is_interval, one.values())) for one in value.values()
    ):
        yield place, value
        return
    for name, inner in value.items():
        if name not in ("cases", "tasks"):
            yield from _tables(inner, f"{place}: {name}" if place else str(name))


def _is_interval(value: object) -> bool:
    return isinstance(value, dict) and {"mean", "low", "high", "n"} <= value.keys()


def _names(cases: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(arm for case in cases for arm in case.get("arms") or {}))


def _of(case: Mapping[str, Any], arm: str) -> dict[str, float]:
    figures = (case.get("arms") or {}).get(arm) or {}
    return {name: float(value) for name, value in figures.items() if isinstance(value, int | float)}


def _settings_md(run: Run) -> str:
    settings = run.figures.get("settings") or {}
    return "\n".join(f"- {name}: {_short(value)}" for name, value in settings.items())


def _table_md(title: str, arms: Mapping[str, Mapping[str, Any]]) -> str:
    measures = dict.fromkeys(name for figures in arms.values() for name in figures)
    rows = [
        [name.replace("_", " "), *(cell(_cell(figures.get(name))) for figures in arms.values())]
        for name in measures
    ]
    return (
        table(title.replace("_", " "), ["", *arms], rows) if arms else "No case and arm in common."
    )


def _cell(value: Any) -> Any:
    return value if value is None or _is_interval(value) or isinstance(value, int | float) else None


def _settings(run: Run) -> str:
    settings = run.figures.get("settings") or {}
    rows = "".join(
        f"<dt>{escape(str(name))}<dd>{escape(_short(value))}" for name, value in settings.items()
    )
    whole = (
        ""
        if run.figures.get("complete", True)
        else "<p><strong>Stopped before its end.</strong></p>"
    )
    return f"{whole}<dl>{rows}</dl>"


def _section(title: str, arms: Mapping[str, Mapping[str, Any]]) -> str:
    measures = dict.fromkeys(name for figures in arms.values() for name in figures)
    head = "".join(f"<th scope=col>{escape(arm)}" for arm in arms)
    rows = "".join(
        f"<tr><th scope=row>{escape(name.replace('_', ' '))}"
        + "".join(f"<td>{escape(cell(_cell(figures.get(name))))}" for figures in arms.values())
        for name in measures
    )
    pictures = "".join(_picture(name, arms) for name in measures)
    return (
        f"<h2>{escape(title.replace('_', ' '))}</h2><div class=wide><table><tr><th>{head}{rows}</table></div>"
        f"<details><summary>Pictures</summary>{pictures}</details>"
    )


def _spent(tasks: Mapping[str, Spent]) -> str:
    heads, *rows = rows_of(tasks)
    return _listed("Cost and latency by task", heads, rows)


def _listed(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th scope=col>{escape(name)}" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(one)}' for one in row)}" for row in rows)
    return f"<h2>{title}</h2><div class=wide><table><tr>{head}{body}</table></div>"


def _picture(name: str, arms: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the intervals of one measure, an arm below the other, on one scale."""
    found: dict[str, Interval] = {
        arm: figures[name] for arm, figures in arms.items() if _is_interval(figures.get(name))
    }
    if not found:
        return ""
    low = min(0.0, *(one["low"] for one in found.values()))
    high = max(0.0, *(one["high"] for one in found.values())) or 1.0

    def x(value: float) -> float:
        return _LEFT + (value - low) / ((high - low) or 1.0) * (_WIDE - _LEFT - 60)

    lines = [
        f'<text x="0" y="{_ROW * at + 13}">{escape(arm[:28])}</text>'
        f'<line x1="{x(one["low"]):.1f}" x2="{x(one["high"]):.1f}" y1="{_ROW * at + 9}" y2="{_ROW * at + 9}" />'
        f'<circle cx="{x(one["mean"]):.1f}" cy="{_ROW * at + 9}" r="4" />'
        f'<text x="{_WIDE - 50}" y="{_ROW * at + 13}">{one["mean"]:.3g}</text>'
        for at, (arm, one) in enumerate(found.items())
    ]
    zero = f'<line class="zero" x1="{x(0):.1f}" x2="{x(0):.1f}" y1="0" y2="{_ROW * len(found)}" />'
    label, high_of_all = escape(name.replace("_", " ")), _ROW * len(found)
    return (
        f"<figure><figcaption>{label}</figcaption>"
        f'<svg viewBox="0 0 {_WIDE} {high_of_all}" role="img" aria-label="{label}">{zero}{"".join(lines)}</svg>'
        "</figure>"
    )


def _case(case: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<dt>{escape(str(name))}<dd><pre>{escape(_short(value))}</pre>"
        for name, value in case.items()
        if name != "id"
    )
    return f"<details class=case><summary>{escape(str(case.get('id')))}</summary><dl>{rows}</dl></details>"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…"
