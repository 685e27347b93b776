"""Baselines that choose sentences and ask nobody: LexRank, and one line for each paper."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from nodes.write.lines import LinePaper, as_cited, line_papers
from nodes.write.writers.answers import NextSentence, Support
from nodes.write.writers.drafting import attach, known_papers
from nodes.write.writers.passage import keys_of
from nodes.write.writers.port import Job, Settled, Stage, Written, one_line_each, whole
from state.writing import Draft, Part, Plan, Schedule, WriterName
from tools.context import RunContext
from tools.services import Services
from tools.text.compose import Composed, Composer, resemblance
from tools.text.lexrank import rank_sentences

_ALIKE = 0.5
"""Dice resemblance from which a sentence adds too little to one that was chosen."""


class BaselineWriter:
    """Takes sentences of the papers' abstracts, put into the third person, one for each paper."""

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
        made = await asyncio.to_thread(choose, papers)
        sentences = [
            attach(
                NextSentence(
                    sentence=item.text,
                    support=[Support(key=key, quote=words) for key, words in item.quotes.items()],
                ),
                number, known, stage,
            )
            for number, item in enumerate(made, start=1)
        ]  # fmt: skip
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


def _one_each(papers: Sequence[LinePaper]) -> list[Composed]:
    """Say of each paper what it adds, in its own words."""
    made: list[Composed] = []
    for paper in papers:
        composer = Composer([as_cited(paper)], [item.text for item in made])
        if said := composer.anything(as_cited(paper)):
            made.append(said)
    return made


def _by_lexrank(papers: Sequence[LinePaper]) -> list[Composed]:
    """Take the most central sentences of all abstracts, as many as there are papers."""
    spoken = [
        (paper, sentence)
        for paper in map(as_cited, papers)
        for sentence in (*paper.sentences.values(), *paper.rest)
    ]
    scores = rank_sentences([sentence for _, sentence in spoken])
    order = sorted(range(len(spoken)), key=lambda place: (-scores[place], place))
    made: list[Composed] = []
    for place in order:
        paper, sentence = spoken[place]
        alone = replace(paper, sentences={"findings": sentence}, rest=())
        said = Composer([alone], [item.text for item in made]).anything(alone)
        if said and all(resemblance(said.text, item.text) < _ALIKE for item in made):
            made.append(said)
        if len(made) == len(papers):
            break
    return made
