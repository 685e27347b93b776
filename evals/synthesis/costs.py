"""What `synthesize` asks of an LLM, beside LLM-Ref's formula and its own way of asking.

    python -m evals.synthesis.costs FOLDER [--question TEXT] [--window 32000] [--json FILE]

FOLDER has PDFs; all of them make one stack. A scripted LLM (evals.synthesis.scripted), which says the
same of a paragraph or a pair of lines however many it is asked about at once, answers the same question
twice, each time from an empty home:

document   relevance, updates and alignment one by one, as LLM-Ref does.
default    Relevance cascaded and batched, paragraphs packed, one question for each paragraph of the text.
formula    N + c + p*q calls for a question (LLM-Ref, appendix A.3.2): N paragraphs judged, c contexts
           folded in, p lines held against q source lines; and N summaries, made once for all questions.
           Here with the N, c, p and q of the document's way.
tokens     A quarter of the characters, as the scripted LLM counts them.
same       Lines of the document's way that the default has as well, with the same references of both kinds.
"""

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from evals.synthesis.runs import Synthesis, Upload, file_upload, home_at, synthesize
from evals.synthesis.scripted import script
from evals.synthesis.table import Table, tell
from state.run import Usage
from tests.fakes.openai_server import OpenAIServer
from tools.clients import Clients
from tools.errors import InputError
from tools.text.sentences import split_sentences

ARMS: dict[str, dict[str, str]] = {
    "document": {"relevance": "each", "updates": "each", "alignment": "pairwise"},
    "default": {},
}
QUESTION = "How are language models used to represent and rank documents?"
CALLS, TOKENS = 1 / 10, 1 / 2
"""Shares of the document's calls and tokens that are to be reached."""
_ONCE = "summarize_paragraphs"
_WINDOW = 32_000


@dataclass(frozen=True)
class Spent:
    """Calls and tokens."""

    calls: int = 0
    read: int = 0
    written: int = 0

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.read + self.written

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.calls + other.calls, self.read + other.read, self.written + other.written)


def spent(usage: Sequence[Usage]) -> dict[str, Spent]:
    """Return what each task cost, those of the embedded engine left out."""
    found: dict[str, Spent] = {}
    for item in usage:
        if item.mind != "extractive":
            mine = Spent(item.calls, item.input_tokens, item.output_tokens)
            found[item.task] = found.get(item.task, Spent()) + mine
    return found


def query(by_task: Mapping[str, Spent]) -> Spent:
    """Return what one question costs, summaries left out."""
    return sum((one for task, one in by_task.items() if task != _ONCE), Spent())


@dataclass(frozen=True)
class Sizes:
    """The quantities of the document's formula."""

    paragraphs: int
    contexts: int
    lines: int
    source_lines: int

    @property
    def calls(self) -> int:
        """N + c + p*q."""
        return self.paragraphs + self.contexts + self.lines * self.source_lines


def sizes(run: Synthesis) -> Sizes:
    """Return the sizes of a run, counted from what it gave and not from what it asked.

    Lines that were left out count, too. Source lines are sentences of the contexts as split_sentences
    finds them; those that the product holds lines against are cut with the citations in mind.
    """
    result = run.result
    return Sizes(
        paragraphs=len({key for item in result["stacked"] for key in item.paragraphs}),
        contexts=len(result["contexts"]),
        lines=len(result["lines"]) + len(result["lost"]),
        source_lines=sum(len(split_sentences(item.quote.text)) for item in result["used"]),
    )


Traced = tuple[str, frozenset[str], frozenset[str]]


def traced(run: Synthesis) -> set[Traced]:
    """Return each line with the ids of its primary and of its secondary references."""
    ids = {item.number: item.paper.id for item in run.result["references"]}
    return {
        (line.text, frozenset(ids[n] for n in line.primary), frozenset(ids[n] for n in line.secondary))
        for line in run.lines
    }  # fmt: skip


def listed(run: Synthesis) -> set[tuple[str, str]]:
    """Return the list of references: roles and ids."""
    return {(item.role, item.paper.id) for item in run.result["references"]}


def measure(
    question: str, uploads: Sequence[Upload], window: int = _WINDOW
) -> dict[str, Synthesis]:
    """Answer in each way, each from an empty home.

    Raises:
        InputError: A run was stopped.
    """
    runs: dict[str, Synthesis] = {}
    for name, options in ARMS.items():
        with (
            tempfile.TemporaryDirectory(
                prefix="citeloom-eval-", ignore_cleanup_errors=True
            ) as folder,
            OpenAIServer(script) as server,
        ):
            here = home_at(
                Path(folder), llm_base_url=server.url, llm_api_key=SecretStr("none"),
                strong_model="scripted", fast_model="scripted", llm_context_tokens=window,
            )  # fmt: skip
            runs[name] = synthesize(question, uploads, Clients(here), {"mind": "llm", **options})
        if runs[name].stop:
            raise InputError(f"the run '{name}' was stopped: {runs[name].stop}")
        tell(f"{name}: {query(spent(runs[name].result['usage'])).calls} calls for the question")
    return runs


def table(runs: Mapping[str, Synthesis], title: str) -> Table:
    """Return calls and tokens by task, and their sums."""
    by_arm = {name: spent(run.result["usage"]) for name, run in runs.items()}
    tasks = list(dict.fromkeys(task for mine in by_arm.values() for task in mine))
    tasks.sort(key=lambda task: task != _ONCE)
    rows = [_row(task, [mine.get(task, Spent()) for mine in by_arm.values()]) for task in tasks]
    sums = [query(mine) for mine in by_arm.values()]
    rows.append(_row("a question, summaries made before", sums))
    rows.append(
        _row("a question and its summaries", [sum(mine.values(), Spent()) for mine in by_arm.values()])
    )  # fmt: skip
    return Table(title, rows)


def _row(name: str, costs: Sequence[Spent]) -> dict[str, object]:
    found: dict[str, object] = {"task": name}
    for arm, cost in zip(ARMS, costs, strict=True):
        found |= {
            f"{arm}: calls": cost.calls, f"{arm}: tokens in": cost.read,
            f"{arm}: tokens out": cost.written,
        }  # fmt: skip
    whole, ours = costs
    both = whole.calls and ours.calls
    return found | {
        "calls, share": f"{ours.calls / whole.calls:.3f}" if both else "",
        "tokens, share": f"{ours.tokens / whole.tokens:.3f}" if both else "",
    }


def notes(runs: Mapping[str, Synthesis]) -> list[str]:
    """Say how the runs compare with the formula, with each other, and with what is to be reached."""
    whole, ours = runs["document"], runs["default"]
    known = sizes(whole)
    cost, mine = (query(spent(run.result["usage"])) for run in (whole, ours))
    first, second = traced(whole), traced(ours)
    reached = {
        "calls": (mine.calls, cost.calls, CALLS), "tokens": (mine.tokens, cost.tokens, TOKENS)
    }  # fmt: skip
    shared = {line.paragraph for line in whole.result["contexts"]}
    other = {line.paragraph for line in ours.result["contexts"]}
    return [
        f"formula: N + c + p*q = {known.paragraphs} + {known.contexts} + {known.lines} * "
        f"{known.source_lines} = {known.calls} calls, beside {cost.calls} of the document's way and "
        f"{mine.calls} of the default; summaries, once: {known.paragraphs} by the formula",
        f"contexts: {len(shared & other)} of both ways, {len(shared - other)} of the document's alone, "
        f"{len(other - shared)} of the default's alone",
        f"same: {len(first & second)} of the document's {len(first)} lines, and {len(second - first)} "
        f"more of the default; lists of references "
        f"{'the same' if listed(whole) == listed(ours) else 'differ'} "
        f"({len(listed(whole) & listed(ours))} of {len(listed(whole) | listed(ours))} entries of both)",
        *(
            f"{name}: {a / b if b else 0:.3f} of the document's, {share:g} wanted: "
            f"{'yes' if a <= share * b else 'NO'}"
            for name, (a, b, share) in reached.items()
        ),
    ]


def folder_uploads(folder: Path) -> list[Upload]:
    """Return the PDFs of a folder.

    Raises:
        InputError: There are none.
    """
    files = sorted(folder.glob("*.pdf"))
    if not files:
        raise InputError(f"there is no PDF in '{folder}'")
    return [file_upload(path) for path in files]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--question", default=QUESTION)
    parser.add_argument("--window", type=int, default=_WINDOW, help="tokens of the LLM's window")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    try:
        uploads = folder_uploads(options.folder)
        runs = measure(options.question, uploads, options.window)
    except InputError as error:
        parser.error(str(error))
    found = table(runs, f"{len(uploads)} papers: {options.question}")
    print(found.markdown(), "", *(f"- {line}" for line in notes(runs)), sep="\n")
    if options.json:
        told: dict[str, Any] = {"rows": list(found.rows), "notes": notes(runs)}
        options.json.write_text(json.dumps(told, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
