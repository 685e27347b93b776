"""Debate: argue for and against citing each paper, with quotes that are checked, and score it.

After LitLLM, section 3.3. The rule of the score: the mind gives 0..100. Where any quote of either
side is not in the paper, the paper is debated once more with the failed quotes named; an argument
whose quote fails again stands unsupported, and each side without any supported argument multiplies
the score by UNSUPPORTED. Debates belong to papers by id. A paper that both answers leave out is
scored by the extractive way, which its debate and a failure say.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from nodes.find.rankers.candidates import candidates, commanding, keyed
from nodes.find.rankers.debate_extract import extract
from nodes.find.rankers.port import Evidence, Ranking
from nodes.find.rankers.verdicts import Debates, Verdict, best_supported, failed_quotes, judge
from state.finding import RankerName
from state.paper import Paper
from state.quote import Debate, Quote
from state.request import Request
from state.run import Failure
from tools.errors import AnswerError, RefusedError
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
candidate, under its id.
"""

TASK = Task(
    name="debate_papers", prompt=PROMPT, answer=Debates, tier="strong", extract=extract,
    max_output_tokens=4000,
)  # fmt: skip
LEFT_OUT = "Some candidates were left out."
"""What a second question says where no quote failed."""


class DebateRanker:
    """Scores each paper by a debate; all its answers and quotes are checked."""

    name: RankerName = "debate"
    weighs_links = True

    def settle(self, evidence: Mapping[str, Evidence]) -> dict[str, float]:
        """Settle nothing: every paper is debated."""
        return {}

    def split(self, papers: Sequence[str], size: int) -> list[list[str]]:
        """Divide the papers into groups of `size`, one question each."""
        step = max(size, 1)
        return [list(papers[at : at + step]) for at in range(0, len(papers), step)]

    async def rank(self, services: Services, request: Request, papers: Sequence[Paper]) -> Ranking:
        """Debate these papers in one question, or two; none is lost whatever the answers."""
        named = keyed(papers)
        try:
            verdicts, why = await self._ask(services, request.text, named)
        except (AnswerError, RefusedError) as error:
            verdicts, why = {}, str(error)
        debates = [
            judge(named[key], verdict, services.mind.name, self.check)
            for key, verdict in verdicts.items()
        ]
        left = {key: paper for key, paper in named.items() if key not in verdicts}
        debates += await self._by_similarity(services, request.text, left)
        scores = {debate.paper: debate.score for debate in debates}
        failures = [
            Failure(
                stage="rank_papers", subject=paper.id, cause=why or "the mind gave no debate for it",
                remedy="scored by similarity alone, which its debate says",
            )
            for paper in left.values()
        ]  # fmt: skip
        return Ranking(
            scores={paper.id: scores[paper.id] for paper in papers},
            debates=debates,
            failures=[*failures, *commanding(papers)],
        )

    def check(self, claimed: str, paper: Paper) -> Quote:
        """Check the words of one argument against its paper."""
        return quote_paper(claimed, paper)

    async def _ask(
        self, services: Services, text: str, named: Mapping[str, Paper]
    ) -> tuple[dict[str, Verdict], str]:
        """Ask once for all, and once more for what was missing or misquoted."""
        first = await self._debate(services, text, named, note="")
        failed = {
            key: quotes
            for key, verdict in first.items()
            if (quotes := failed_quotes(named[key], verdict, self.check))
        }
        again = {key: paper for key, paper in named.items() if key not in first or key in failed}
        if not again:
            return first, ""
        note = "\n".join(
            f"{key}: not in its text: {quote!r}"
            for key, quotes in failed.items()
            for quote in quotes
        )
        try:
            second = await self._debate(services, text, again, note=note or LEFT_OUT)
        except (AnswerError, RefusedError) as error:
            return first, str(error)
        both = {key: [answer[key] for answer in (first, second) if key in answer] for key in named}
        return {
            key: best_supported(named[key], verdicts, self.check)
            for key, verdicts in both.items()
            if verdicts
        }, ""

    async def _debate(
        self, services: Services, text: str, named: Mapping[str, Paper], *, note: str
    ) -> dict[str, Verdict]:
        """Return what the mind says, by the ids that were given; any other id does not count."""
        # The input comes first: it is the same in all questions, so that prefix caches bite.
        inputs: dict[str, Any] = {"text": text, "candidates": candidates(named)}
        if note:
            inputs["quotes_that_failed"] = note
        answer = await services.mind.do(TASK, **inputs)
        by_id: dict[str, list[Verdict]] = {}
        for verdict in answer.debates:
            if verdict.id in named:
                by_id.setdefault(verdict.id, []).append(verdict)
        return {
            key: best_supported(named[key], verdicts, self.check) for key, verdicts in by_id.items()
        }

    async def _by_similarity(
        self, services: Services, text: str, named: Mapping[str, Paper]
    ) -> list[Debate]:
        if not named:
            return []
        answer = await asyncio.to_thread(
            extract, services.clients.embedder, text=text, candidates=candidates(named)
        )
        return [
            judge(named[verdict.id], verdict, "extractive", quote_paper)
            for verdict in answer.debates
        ]
