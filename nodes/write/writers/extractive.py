"""Baselines that choose sentences and ask nobody: LexRank, and one line for each paper."""

import asyncio
from collections.abc import Sequence

from nodes.write.lines import LinePaper, line_papers
from nodes.write.writers.answers import NextSentence
from nodes.write.writers.drafting import attach, known_papers
from nodes.write.writers.passage import keys_of
from nodes.write.writers.port import Job, Settled, Stage, Written, one_line_each, whole
from nodes.write.writers.telling import shown_as, tell
from state.writing import Draft, Part, Plan, Schedule, WriterName
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.evidence.prompt_injection import without_injections
from tools.services import Services
from tools.text.lexrank import choose_sentences
from tools.text.salience import passages


class BaselineWriter:
    """Shows sentences of the papers' abstracts, as many as there are papers."""

    follows_plan = False

    def __init__(self, name: WriterName) -> None:
        self.name: WriterName = name

    def parts(self, plan: Plan, keys: Sequence[str], schedule: Schedule) -> list[Part]:
        """Return one part."""
        return whole(one_line_each(keys))

    def jobs(self, stage: Stage, context: RunContext) -> list[Job]:
        """Return one job: everything."""
        return [] if stage.position else [Job(draft=stage.empty, lines=stage.part.lines)]

    async def write(self, services: Services, stage: Stage, job: Job) -> Written:
        """Choose the sentences; no mind is asked."""
        keys = keys_of(job.lines)
        papers = await line_papers(services, stage.keys, keys)
        known = await known_papers(services, stage, keys)
        choose = _by_lexrank if self.name == "lexrank" else _one_each
        made = await asyncio.to_thread(
            choose, services.clients.embedder, stage.request.text, papers
        )
        sentences = [
            attach(item, number, known, stage) for number, item in enumerate(made, start=1)
        ]
        draft = Draft(
            id=f"{job.draft.id}.0", parent=job.draft.id, sentences=tuple(sentences), round=1,
            part=stage.part.number,
        )  # fmt: skip
        return Written(draft=draft)

    async def settle(
        self, services: Services, stage: Stage, candidates: Sequence[Draft]
    ) -> Settled:
        """Take what was chosen."""
        return Settled(drafts=list(candidates[:1]), position=max(len(stage.part.lines), 1))


def _one_each(embedder: Embedder, about: str, papers: Sequence[LinePaper]) -> list[NextSentence]:
    """Show of each paper its most telling sentence."""
    made: list[NextSentence] = []
    for paper in papers:
        made.append(tell(embedder, about, [paper], [item.sentence for item in made]))
    return [item for item in made if item.sentence]


def _by_lexrank(_: Embedder, __: str, papers: Sequence[LinePaper]) -> list[NextSentence]:
    """Show the most central sentences of all abstracts, as many as there are papers."""
    shown = [
        (paper, passage)
        for paper in papers
        for passage in passages(without_injections(paper.abstract)[0])
    ]
    chosen = choose_sentences([passage.text for _, passage in shown], len(papers))
    return [shown_as(passage, paper) for paper, passage in (shown[place] for place in chosen)]
