"""The writers by name and by what the run's mind can, and those that choose sentences of the papers and ask no mind."""

import asyncio
from collections.abc import Sequence

from nodes.write.cited_papers import PaperToCite, load_papers_to_cite
from nodes.write.writers.along_plan import PassageWriter
from nodes.write.writers.beam import BeamWriter
from nodes.write.writers.draft_answers import NextSentence
from nodes.write.writers.drafting import attach_quotes, open_draft_session
from nodes.write.writers.per_cite import PerCiteWriter
from nodes.write.writers.quoted_sentences import shown_as
from nodes.write.writers.whole_section import WholeWriter
from nodes.write.writers.writer import DraftingState, DraftJob, Writer, keys_of
from state.channels import WriteState
from tools.errors import InputError
from tools.evidence.prompt_injection import without_injections
from tools.services import Services
from tools.text.salience import choose_sentences, passages


class QuotingWriter(Writer):
    """Quotes the papers of each line of the plan; without a plan a sentence of each paper."""

    async def write(self, services: Services, stage: DraftingState, job: DraftJob) -> WriteState:
        """Choose the sentences; no mind is asked."""
        keys = keys_of(job.lines)
        drafting = await open_draft_session(services, stage, [*keys, *job.draft.keys])
        papers = await load_papers_to_cite(services, stage.keys, keys)
        said = [item.text for item in job.draft.sentences]
        sentences = await drafting.quote(job.lines, papers, said)
        return drafting.written(job.draft, sentences, stage.position + len(job.lines))


class LexRankWriter(Writer):
    """Shows the most central sentences of the papers' abstracts, at most as many as there are papers."""

    async def write(self, services: Services, stage: DraftingState, job: DraftJob) -> WriteState:
        """Choose the sentences; no mind is asked."""
        keys = keys_of(job.lines)
        drafting = await open_draft_session(services, stage, keys)
        papers = await load_papers_to_cite(services, stage.keys, keys)
        made = await asyncio.to_thread(_central, papers)
        sentences = [attach_quotes(item, 1, drafting.papers, stage.request.text) for item in made]
        return drafting.written(job.draft, sentences, len(job.lines))


def _central(papers: Sequence[PaperToCite]) -> list[NextSentence]:
    """Show the most central sentences of all abstracts, as many as there are papers."""
    shown = [
        (paper, passage)
        for paper in papers
        for passage in passages(without_injections(paper.abstract)[0])
    ]
    chosen = choose_sentences([passage.text for _, passage in shown], len(papers))
    return [shown_as(passage, paper) for paper, passage in (shown[place] for place in chosen)]


WRITERS: dict[str, Writer] = {
    writer.name: writer
    for writer in (
        WholeWriter("whole", follows_plan=True),
        WholeWriter("plan", follows_plan=True),
        BeamWriter("beam", follows_plan=True),
        PerCiteWriter("per_cite"),
        PassageWriter("sentence_by_sentence", follows_plan=True, at_once=1),
        LexRankWriter("lexrank"),
        QuotingWriter("one_line"),
    )
}


def get_writer(name: str) -> Writer:
    """Return a writer.

    Raises:
        InputError: There is none of this name; a caller of the server may send any text.
    """
    if name not in WRITERS:
        raise InputError(f"no writer '{name}': choose one of {', '.join(WRITERS)}")
    return WRITERS[name]


def writer_for(services: Services) -> Writer:
    """Return the run's writer: the one that its settings name, or the quoting one where its mind composes nothing.

    Raises:
        InputError: There is none of this name.
    """
    chosen = get_writer(services.context.writer)
    asks = not isinstance(chosen, LexRankWriter | QuotingWriter)
    return WRITERS["one_line"] if asks and not services.mind.composes else chosen


def check_writer(name: str, *, planned: bool) -> None:
    """Make sure that a writer can do what is asked of it.

    Raises:
        InputError: There is no such writer, or it cannot keep to the researcher's plan.
    """
    writer = get_writer(name)
    if planned and not writer.follows_plan:
        able = ", ".join(key for key, other in WRITERS.items() if other.follows_plan)
        raise InputError(f"the writer '{name}' cannot follow a plan: use one of {able}")
