"""Baselines that choose sentences and ask nobody: LexRank, and one line for each paper."""

import asyncio
from collections.abc import Sequence

from nodes.write.lines import LinePaper
from nodes.write.writers.answers import NextSentence
from nodes.write.writers.drafting import attach, begin, shown_inputs
from nodes.write.writers.passage import extract
from nodes.write.writers.port import Job, Stage, Writer, keys_of
from nodes.write.writers.telling import shown_as
from state.channels import PartState
from tools.evidence.prompt_injection import without_injections
from tools.services import Services
from tools.text.lexrank import choose_sentences
from tools.text.salience import passages


class BaselineWriter(Writer):
    """Shows sentences of the papers' abstracts, at most as many as there are papers."""

    async def write(self, services: Services, stage: Stage, job: Job) -> PartState:
        """Choose the sentences; no mind is asked."""
        keys = keys_of(job.lines)
        drafting = await begin(services, stage, keys)
        inputs = await shown_inputs(services, stage, keys)
        made: Sequence[NextSentence]
        if self.name == "lexrank":
            made = await asyncio.to_thread(_central, inputs["papers"])
        else:
            told = await asyncio.to_thread(extract, services.clients.embedder, **inputs)
            made = [item for item in told.sentences if item.sentence]
        sentences = [
            attach(item, number, drafting.papers, stage.request.text)
            for number, item in enumerate(made, start=1)
        ]
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
