"""Fill rows: put all columns to some papers, one question to the model for each paper; the graph comes back for more.

Reads `run`, `request`, `columns`, `row_ids`, `done`. Writes `done`; the rows go to the run store, and each cell to the
cache of answers, so that a new column or paper is all that a later table asks. The passages nearest
to each column are read. Without a model the sentence of them nearest to the question is shown, where it has enough of
the question's words. Only words that code finds in the paper are kept, and none that command a machine.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any

from pydantic import BaseModel, Field

from nodes.common.ask_model import ROOM, ask_with_check
from nodes.judge.full_text import library_text
from nodes.judge.judge_claims import Evidence, Words
from nodes.write.paper_passages import ShownPassage, shown_passages, telling
from state.paper import Paper
from state.passage import Passage
from state.quote import ANNOTATION
from state.run import Failure
from state.table import LibraryRow, TableCell, TableState, TextKind
from tools.cache import AnswerCache, cache_key, open_cache
from tools.documents.document_cache import DocumentStore
from tools.embed.embedder import Embedder
from tools.evidence.facts import standing_nowhere
from tools.evidence.prompt_injection import injection_failure, without_injections
from tools.evidence.quotes import MIN_LENGTH, quote_fault
from tools.library.library import Library
from tools.library.open_library import settings_for
from tools.library.search_types import PassageFilter
from tools.llm.task import Task
from tools.retrieve.retriever import Retriever
from tools.services import NodeRuntime, Services, open_services
from tools.text.answer_sentences import AnswerSource, rate_sentences

STAGE = "fill_rows"
AT_ONCE = 16
"""Papers of a step, after which the run is kept."""
NEAREST, MOST = 6, 30
"""Passages that a model reads for a column, and for all columns of a paper."""
_TELLING = 800
"""Tokens of passages of sections on aim, method, results and limits, which a question's words need not be near to."""
_FEW = 30
"""Words of an answer."""
_FORM = 2
"""Is raised when code makes other cells of the same answers, so that those of earlier versions are made anew."""

PROMPT = f"""\
You fill the row of one paper in a table. The `paper` has its title and `passages` of its text, each under its section;
the `questions` are the columns, by number. Answer each question from these passages alone, about this paper's own
work, not about works that it cites.

In `answers` each question has, once, its `question` number, `quote`: the words of one passage that say it, copied
letter by letter and in one piece, at least {MIN_LENGTH} characters long, and `answer`: what they say in as few words
as a cell of a table needs, at most {_FEW}; a name or a number alone is best, with its unit. Where a value, its measure
and its data stand apart, quote the words with the value, and take the others into the answer. Where a question asks for
the best or the main and the passages name several, take the one that the authors put first. Add nothing that the
passages do not say. Where they do not answer a question, leave its answer and its quote empty: an empty cell is right,
a guess is wrong. Where `faults` of an earlier answer are listed, give the whole answer again with these mended.
"""


class Answer(BaseModel):
    """One cell as the mind gives it."""

    question: int
    quote: str = Field(default="", description="Words of a passage, verbatim; empty if none.")
    answer: str = ""


class Answers(BaseModel):
    """The mind's answer."""

    answers: list[Answer]


class Column(BaseModel):
    """A question as the mind sees it."""

    number: int
    question: str


class TablePaper(BaseModel):
    """A paper as the mind sees it."""

    title: str
    passages: list[ShownPassage]


def extract(
    embedder: Embedder, *, paper: TablePaper, questions: Sequence[Column], **_: object
) -> Answers:
    """Quote the sentence nearest to each question, where its words and meaning are near enough; answer nothing."""
    sources = [
        AnswerSource(item.text, paper.title, tuple(item.section.split(" > ")))
        for item in paper.passages
    ]
    found = {
        one.number: next(
            (item.text for item in rate_sentences(embedder, one.question, sources) if item.answers),
            "",
        )
        for one in questions
    }
    return Answers(answers=[Answer(question=key, quote=text) for key, text in found.items()])


TASK = Task(
    name="fill_rows",
    prompt=PROMPT,
    answer=Answers,
    tier="fast",
    extract=extract,
    max_output_tokens=2400,
)


async def fill_rows(state: TableState, runtime: NodeRuntime) -> TableState:
    """Fill the next rows; those that are filled stay where another one fails for good."""
    services = open_services(runtime, state["run"])
    library = await services.library(state["request"].library)
    done, rows = state["done"], state["row_ids"]
    some = rows[done : done + AT_ONCE]
    table = _Table(services, library, state["columns"], done, len(rows))
    papers = await asyncio.to_thread(library.get, some)
    ended = await asyncio.gather(
        *(table.fill(papers[key]) for key in some if key in papers), return_exceptions=True
    )
    if broken := [one for one in ended if isinstance(one, BaseException)]:
        raise broken[0]
    return {"done": done + len(some), "failures": table.failures}


@dataclass
class _Table:
    """The columns, and what filling rows needs."""

    services: Services
    library: Library
    columns: Sequence[str]
    done: int
    of: int
    failures: list[Failure] = field(default_factory=list)

    async def fill(self, paper: Paper) -> None:
        """Make and keep the row of a paper; cells that an earlier table has are not asked again."""
        passages, kept, asker = await asyncio.to_thread(self._text, paper)
        ids = [item.id for item in passages]
        names = {one: cache_key("cell", asker, one, *ids) for one in self.columns}
        known = {one: await kept.get(key) for one, key in names.items()}
        cells = {one: TableCell.model_validate_json(text) for one, text in known.items() if text}
        new = [one for one in self.columns if one not in cells]
        if not passages:
            none = TableCell(kind="not_read", cause="the library has no text of it")
            cells |= dict.fromkeys(new, none)
        elif new:
            asked = await self._ask(paper, passages, new)
            for one, cell in asked.items():
                if not cell.cause:
                    await kept.put(names[one], cell.model_dump_json())
            cells |= asked
        row = LibraryRow(
            paper=paper.id,
            name=paper.byline,
            title=paper.title,
            text=_kind(passages),
            passages=len(passages),
            cells=tuple(cells[one] for one in self.columns),
        )
        await self.services.run_store.rows.put([row])
        self.done += 1
        more = {"row": row.model_dump(mode="json")}
        self.services.progress(STAGE, self.done, self.of, row.title[:60], more)

    def _text(self, paper: Paper) -> tuple[list[Passage], AnswerCache, str]:
        """Return the paper's full text, else its abstract; where cells are kept; and who asks. Reads the disk."""
        at = self.services.clients.settings
        own = at.prompts / f"{TASK.name}.txt" if at.prompts else None
        prompt = own.read_text("utf-8") if own and own.is_file() else TASK.prompt
        mind, embedder = self.services.mind, self.services.clients.embedder.name
        asker = cache_key(_FORM, mind.name, at.fast_model if mind.composes else embedder, prompt)
        home = settings_for(self.library.name, self.services.caller, at).home
        whole = library_text(self.library, paper, DocumentStore(home))
        passages = whole or self.library.texts.of_paper(paper.id)
        return passages, open_cache(at.home / "answers.sqlite", at.cache_mb), asker

    async def _ask(
        self, paper: Paper, passages: Sequence[Passage], columns: Sequence[str]
    ) -> dict[str, TableCell]:
        """Return the cells of these columns."""
        mind = self.services.mind
        read = await asyncio.to_thread(self._nearest, paper, passages, columns)
        title, ordered = without_injections(paper.title)
        shown, commands = shown_passages(read)
        asked = [Column(number=at, question=one) for at, one in enumerate(columns, start=1)]
        inputs: dict[str, Any] = {
            "questions": asked,
            "paper": TablePaper(title=title, passages=shown),
        }
        while len(shown) > 1 and mind.spare(TASK, **inputs) < ROOM:
            shown.pop()
            inputs["paper"] = TablePaper(title=title, passages=shown)
        if told := [*ordered, *commands]:
            self.failures.append(injection_failure(STAGE, paper.id, told))
        read = read[: len(shown)]
        cells: dict[int, TableCell] = {}
        numbers = {one.number for one in asked}
        answered = await ask_with_check(
            mind, TASK, inputs, lambda answer: _take(answer, read, paper, numbers, cells)
        )
        self.failures += answered.failures(STAGE, paper.id, "its cells are empty")
        why = "the model gave no answer" if answered.answer is None else _UNFOUND
        none = TableCell(kind="not_read", read=len(read), cause=why)
        return {one: cells.get(at, none) for at, one in enumerate(columns, start=1)}

    def _nearest(
        self, paper: Paper, passages: Sequence[Passage], columns: Sequence[str]
    ) -> list[Passage]:
        """Return the passages nearest to each column, the nearest first, and the most telling; all of a short text."""
        if len(passages) <= NEAREST:
            return list(passages)
        retriever = Retriever("hybrid", self.library)
        wanted = PassageFilter(papers=frozenset({paper.id}))
        hits = [retriever.retrieve(one, limit=NEAREST, wanted=wanted) for one in columns]
        found = self.library.texts.get([hit.passage for each in hits for hit in each])
        ranked = [
            [item for hit in each for item in _pieces(passages, found.get(hit.passage))]
            for each in hits
        ]
        turns = chain.from_iterable(zip_longest(*ranked))
        best = {item.id: item for item in [*turns, *telling(passages, _TELLING)] if item}
        return [*best.values()][:MOST]


_LONG = f"more than {_FEW} words"
_UNFOUND = "the model gave no answer with words that are in the text it read"


def _kind(passages: Sequence[Passage]) -> TextKind:
    if not passages:
        return "none"
    if passages[0].document:
        return "full_text"
    return "annotation" if passages[0].part == ANNOTATION else "abstract"


def _pieces(passages: Sequence[Passage], hit: Passage | None) -> list[Passage]:
    """Return the pieces, cut where pages end, of a passage that a search found; none of a list of references."""
    return [
        item
        for item in passages
        if hit and item.document == hit.document and item.start < hit.end and hit.start < item.end
    ]


def _take(
    answer: Answers,
    read: Sequence[Passage],
    paper: Paper,
    numbers: set[int],
    cells: dict[int, TableCell],
) -> list[str]:
    """Keep the cells that stand in the paper's text, and say what is wrong with the others."""
    faults = [
        f"question {at} was left out" for at in numbers - {a.question for a in answer.answers}
    ]
    texts = [item.text for item in read]
    words_read = (Words(item.text, item.part, item.start, place=item.place) for item in read)
    source = Evidence(paper.id, tuple(words_read))
    for one in answer.answers:
        at, words = one.question, " ".join(one.answer.split())
        if at not in numbers:
            faults.append(f"there is no question {at}")
        elif not one.quote.strip():
            cells.setdefault(at, TableCell(kind="not_found", read=len(read)))
        elif at in cells and cells[at].kind == "answer":
            continue
        elif (quote := source.quote(one.quote)) is None:
            wrong = quote_fault(one.quote, texts)
            faults.append(f"question {at}: {wrong[1] if wrong else 'these words are not quoted'}")
        else:
            strange = standing_nowhere(words, [*texts, paper.text])
            cause = f"not in the passages: {', '.join(strange)}" if strange else ""
            if cause := cause or (_LONG if len(words.split()) > _FEW else ""):
                faults.append(f"question {at}: {cause}")
                words, cause = "", f"the answer of the model does not fit: {cause}"
            cells[at] = TableCell(
                kind="answer" if words else "nearest",
                answer=words,
                quote=quote,
                read=len(read),
                cause=cause,
            )
    return faults
