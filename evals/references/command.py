"""`python -m evals references`: how well single references are read, and the training of what reads them."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from evals.figures import markdown
from evals.references.checked import cases_of, measure_fit, measure_hallmark, measure_styles
from evals.references.labelled import (
    FIELDS,
    Measured,
    Reference,
    measure,
    read_set,
)
from evals.references.printed import Work, print_works
from evals.references.training import learnt_from, train
from evals.trials import json_lines
from state.paper import Author
from tools.errors import InputError
from tools.references.tagger import MODEL

WORKS = 40
AnyStyle = Annotated[
    list[Path],
    typer.Option(metavar="FILE", help="A set of AnyStyle, XML; may be given more than once."),
]
Grobid = Annotated[
    list[Path],
    typer.Option(metavar="FILE", help="A set of GROBID, TEI; may be given more than once."),
]
Papers = Annotated[
    list[Path],
    typer.Option(metavar="FILE", help="Papers as JSON lines (title, authors, year, venue)."),
]

references = typer.Typer(
    help="Measure how well single references are read, or train what reads them.",
    invoke_without_command=True,
)


@references.callback()
def measured(
    context: typer.Context,
    anystyle: AnyStyle = [],  # noqa: B006 - Typer's way
    grobid: Grobid = [],  # noqa: B006
    papers: Papers = [],  # noqa: B006
    model: Annotated[
        Path, typer.Option(help="The model; the one that comes with CiteLoom if left out.")
    ] = MODEL,
    everything: Annotated[
        bool, typer.Option("--all", help="Measure on all, not on the fifth that is held out.")
    ] = False,
) -> None:
    """Print how many fields were read right, by set."""
    if context.invoked_subcommand:
        return
    sets = _sets(anystyle, grobid)
    if not everything:
        sets = {name: [one for one in many if one.held_out] for name, many in sets.items()}
    sets |= print_works(_works(papers)) if papers else {}
    if not any(sets.values()):
        raise typer.BadParameter("give --anystyle, --grobid or --papers")
    print(_markdown({name: measure(many, model) for name, many in sets.items() if many}))


@references.command("train")
def trained(
    out: Annotated[Path, typer.Option(help="Write the model there.")],
    anystyle: AnyStyle = [],  # noqa: B006
    grobid: Grobid = [],  # noqa: B006
    papers: Papers = [],  # noqa: B006
    everything: Annotated[
        bool, typer.Option("--all", help="Learn from the fifth too that is else held out.")
    ] = False,
) -> None:
    """Train the tagger on labelled sets, and on references printed in many styles from their fields."""
    labelled = [
        one
        for many in _sets(anystyle, grobid).values()
        for one in many
        if everything or not one.held_out
    ]
    known = learnt_from(labelled, papers, all_styles=everything)
    typer.echo(
        f"learning from {len(labelled)} labelled references and {len(known) - len(labelled)} made ones",
        err=True,
    )
    train(known, out)
    typer.echo(f"wrote {out}", err=True)


@references.command("check")
def checked(
    hallmark: Annotated[
        Path | None, typer.Option(metavar="FILE", help="References of HALLMARK, as JSON lines.")
    ] = None,
    papers: Papers = [],  # noqa: B006
) -> None:
    """Print which references are called wrong, not found or invented, where sources hold the right ones."""
    tables: dict[str, dict[str, dict[str, float]]] = {}
    notes: list[str] = []
    if hallmark:
        tables["Something is told against, %"], left = asyncio.run(measure_hallmark(hallmark))
        notes.append(f"{left} entries are left out: the set does not say what is right.")
    if papers:
        tables["Works that two sources hold, by style"] = asyncio.run(
            measure_styles(_works(papers))
        )
    if not tables:
        raise typer.BadParameter("give --hallmark or --papers")
    print(markdown(tables, notes))


@references.command("fit")
def fit(
    hallmark: Annotated[
        Path, typer.Option(metavar="FILE", help="References of HALLMARK, as JSON lines.")
    ],
) -> None:
    """Fit the weights of `p_valid` on one half of HALLMARK, and print how well they foretell the other."""
    weights, told = measure_fit(asyncio.run(cases_of(hallmark)))
    lines = "".join(f"\n    {name!r}: {value}," for name, value in weights.items())
    print(
        markdown(
            {"On the half that is held out": told},
            ["Weights, for nodes/verify/check_reference.py:"],
        )
        + lines
    )


def _sets(anystyle: Iterable[Path], grobid: Iterable[Path]) -> dict[str, list[Reference]]:
    found: dict[str, list[Reference]] = {}
    for kind, paths in (("anystyle", anystyle), ("grobid", grobid)):
        for path in paths:
            try:
                found[path.name.split(".")[0]] = read_set(path, kind)
            except (OSError, EOFError, SyntaxError) as error:
                raise InputError(f"the set '{path}' cannot be read: {error}") from error
    return found


def _works(paths: Sequence[Path]) -> list[Work]:
    """Return works spread evenly over the files."""
    works: list[Work] = []
    for path in paths:
        rows = [
            row
            for _, row in json_lines(path)
            if row.get("authors") and row.get("venue") and row.get("year")
        ]
        share = -(-WORKS // len(paths))
        for row in rows[:: max(len(rows) // share, 1)][:share]:
            names = [one if isinstance(one, str) else one["name"] for one in row["authors"]]
            works.append(
                Work(
                    row["title"],
                    tuple(Author(name=name) for name in names),
                    row["year"],
                    row["venue"],
                )
            )
    return works


def _markdown(found: Mapping[str, Measured]) -> str:
    shares = {
        name: {
            "references": float(len(one.sure)),
            **{field: 100 * one.right[field] / one.of[field] for field in FIELDS if one.of[field]},
        }
        for name, one in found.items()
    }
    tables = {
        "Fields read right, %": shares,
        "By confidence": _by_confidence(found),
    }
    return markdown(
        tables, ["A field counts where its label is there; letters and digits are compared."]
    )


def _by_confidence(found: Mapping[str, Measured]) -> dict[str, dict[str, float]]:
    """Return how many references were read with that confidence, and how many of these are right."""
    told: dict[str, dict[str, float]] = {}
    for name, one in found.items():
        for low, high, words in (
            (0.9, 1.01, "0.9 or more"),
            (0.5, 0.9, "0.5 to 0.9"),
            (0.0, 0.5, "less than 0.5"),
        ):
            rights = [right for sure, right in one.sure if low <= sure < high]
            if rights:
                told.setdefault(name, {})[f"{words}: of all, %"] = 100 * len(rights) / len(one.sure)
                told[name][f"{words}: right, %"] = 100 * sum(rights) / len(rights)
    return told
