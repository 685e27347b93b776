"""Baselines that choose sentences and ask nobody: LexRank, and one line for each paper."""

import asyncio
from collections.abc import Sequence

from nodes.write.lines import LinePaper, line_papers
from nodes.write.writers.answers import NextSentence, sentences_of
from nodes.write.writers.drafting import attach, begin
from nodes.write.writers.passage import extract
from nodes.write.writers.port import Job, Stage, Writer, keys_of
from nodes.write.writers.telling import shown_as
from state.channels import WriteState
from tools.evidence.prompt_injection import without_injections
from tools.services import Services
from tools.text.salience import choose_sentences, passages


class BaselineWriter(Writer):
    """Shows sentences of the papers' abstracts, at most as many as there are papers."""

    async def write(self, services: Services, stage: Stage, job: Job) -> WriteState:
        """Choose the sentences; no mind is asked."""
        keys = keys_of(job.lines)
        drafting = await begin(services, stage, keys)
        papers = await line_papers(services, stage.keys, keys)
        made: Sequence[NextSentence]
        if self.name == "lexrank":
            made = await asyncio.to_thread(_central, papers)
        else:
            told = await asyncio.to_thread(
                extract, services.clients.embedder, text=stage.request.text, papers=papers
            )
            made = sentences_of(told)
        sentences = [attach(item, 1, drafting.papers, stage.request.text) for item in made]
        return drafting.written(job.draft, sentences, len(job.lines))


def _central(papers: Sequence[LinePaper]) -> list[NextSentence]:
    """Show the most central sentences of all abstracts, as many as there are papers."""
    shown = [
        (paper, passage)
        for paper in papers
        for passage in passages(without_injections(paper.abstract)[0])
    ]
    chosen = choose_sentences([passage.text for _, passage in shown], len(papers))
    return [shown_as(passage, paper) for paper, passage in (shown[place] for place in chosen)]
