"""Debate: argue for and against citing each paper, with quotes that are checked, and score it.

After LitLLM, section 3.3. The rule of the score: the mind gives 0..100. Where any quote of either
side is not in its paper, or a paper is left out, the question is asked once more with these faults
named, and of the two debates on a paper the one with more supported sides counts. An argument whose
quote failed stands unsupported, and each side without any supported argument multiplies the score
by UNSUPPORTED. Debates belong to papers by id. A paper that both answers leave out is scored by the
extractive way, which its debate and a failure say.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from nodes.ask_checked import ask_checked
from nodes.find.rankers.candidates import candidates, commanding, keyed
from nodes.find.rankers.debate_extract import extract
from nodes.find.rankers.port import Ranker, Ranking
from nodes.find.rankers.verdicts import Debates, best_supported, failed_quotes, judge
from state.finding import RankerName
from state.paper import Paper
from state.quote import Debate
from state.request import Request
from state.run import Failure
from tools.evidence.quotes import quote_paper
from tools.llm.task import Task
from tools.services import Services

PROMPT = """\
You judge which papers a researcher should discuss in the related-work section of the work described
in the input.

For every candidate hold a short debate: one or two arguments for citing it (shared problem, method,
data, findings to compare with) and one or two against (different aim, field, setting; too general).
Each argument rests on words copied letter by letter from that candidate's own title or abstract: at
least four consecutive words, never from another candidate and never from the input. Then give a
score from 0 (unrelated) to 100 (must be cited). Judge only by what is written. Answer for every
candidate, under its id. Where faults of an earlier answer are listed, mend them.
"""

TASK = Task(
    name="debate_papers", prompt=PROMPT, answer=Debates, tier="strong", extract=extract,
    max_output_tokens=4000,
)  # fmt: skip
LEFT_OUT = "no debate was given for it"


class DebateRanker(Ranker):
    """Scores each paper by a debate; all its answers and quotes are checked."""

    name: ClassVar[RankerName] = "debate"
    weighs_links = True

    def split(self, papers: Sequence[str], size: int) -> list[list[str]]:
        """Divide the papers into groups of `size`, one question each."""
        step = max(size, 1)
        return [list(papers[at : at + step]) for at in range(0, len(papers), step)]

    async def rank(self, services: Services, request: Request, papers: Sequence[Paper]) -> Ranking:
        """Debate these papers in one question, or two; none is lost whatever the answers."""
        named = keyed(papers)
        # The input comes first: it is the same in all questions, so that prefix caches bite.
        inputs = {"text": request.text, "candidates": candidates(named)}
        asked = await ask_checked(
            services.mind, TASK, inputs, partial(_faults, named), again_as="faults"
        )
        answers = [answer for answer, _ in asked.tried]
        debates: list[Debate] = []
        failures: list[Failure] = []
        for key, paper in named.items():
            verdicts = [one for answer in answers for one in answer.debates if one.id == key]
            if verdicts:
                verdict = best_supported(paper, verdicts, quote_paper)
                debates.append(judge(paper, verdict, services.mind.name, quote_paper))
                continue
            debates.append(await self._by_similarity(services, request.text, key, paper))
            why = str(asked.error) if asked.error else "the mind gave no debate for it"
            failures.append(
                Failure(
                    stage="rank_papers", subject=paper.id, cause=why,
                    remedy="scored by similarity alone, which its debate says",
                )
            )  # fmt: skip
        return Ranking(
            scores={debate.paper: debate.score for debate in debates},
            debates=debates,
            failures=[*failures, *commanding(papers)],
        )

    async def _by_similarity(self, services: Services, text: str, key: str, paper: Paper) -> Debate:
        shown = candidates({key: paper})
        answer = await asyncio.to_thread(
            extract, services.clients.embedder, text=text, candidates=shown
        )
        return judge(paper, answer.debates[0], "extractive", quote_paper)


def _faults(named: Mapping[str, Paper], answer: Debates) -> list[str]:
    """Say which quotes are not in their papers, and which papers were left out."""
    wrong = [
        f"{verdict.id}: not in its text: {quote!r}"
        for verdict in answer.debates
        if verdict.id in named
        for quote in failed_quotes(named[verdict.id], verdict, quote_paper)
    ]
    given = {verdict.id for verdict in answer.debates}
    return [*wrong, *(f"{key}: {LEFT_OUT}" for key in named if key not in given)]
