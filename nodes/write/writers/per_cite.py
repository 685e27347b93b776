"""Writing paper by paper, side by side, and then joining the pieces (LitLLM, section 4)."""

from collections.abc import Sequence

from nodes.write.writers.answers import Passage, PassageSentence, as_answered
from nodes.write.writers.drafting import begin, shown_inputs
from nodes.write.writers.passage import extract, for_lines, write_freely
from nodes.write.writers.port import Job, Stage, Writer, keys_of
from state.channels import PartState
from state.writing import Draft, Sentence
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.llm.task import Task
from tools.services import Services
from tools.text.words import SAME, resemblance

CITED_PROMPT = """\
You prepare a related-work section for the authors of the work described in the input. Write one or
two sentences about the one paper given: what it does that matters to the work of the authors, and how
it relates to that work. Cite it in each sentence by its marker, such as {P3}, directly after its
authors' names. Claim only what its title and abstract say, and copy, letter by letter, the words that
support each sentence.
"""

JOIN_PROMPT = """\
You join the pieces of a related-work section, each written about one paper, into one text for the
authors of the work described in the input. Put them into an order that makes sense, relate the papers
to each other and to the work with fitting connectives, and drop what is said twice. Keep every marker,
such as {P3}, with what it supports; use no other. Add no claim. For each citation copy, letter by
letter, the words of that paper's title or abstract that support the sentence.
"""


def extract_joined(
    embedder: Embedder, *, pieces: Sequence[PassageSentence], **_: object
) -> Passage:
    """Leave the pieces in the order in which the papers came."""
    return Passage(sentences=list(pieces))


CITED = Task(
    name="write_cited", prompt=CITED_PROMPT, answer=Passage, tier="strong", extract=extract,
    max_output_tokens=700,
)  # fmt: skip
JOINED = Task(
    name="join_cited", prompt=JOIN_PROMPT, answer=Passage, tier="strong", extract=extract_joined,
    max_output_tokens=4000,
)  # fmt: skip


class PerCiteWriter(Writer):
    """Writes about each paper apart in the first round, and joins the pieces in the second."""

    def jobs(self, stage: Stage, context: RunContext) -> list[Job]:
        """Return a job for each paper; then one that joins what came of them."""
        lines = stage.part.lines
        if stage.position == 0:
            return [
                Job(draft=stage.empty, lines=(line,), variant=number)
                for number, line in enumerate(lines)
            ]
        return [Job(draft=stage.best, lines=lines)] if stage.position == 1 else []

    async def write(self, services: Services, stage: Stage, job: Job) -> PartState:
        """Write about one paper, or join all; where joining fails the pieces stand as they were."""
        keys = keys_of(job.lines)
        drafting = await begin(services, stage, keys)
        inputs = await shown_inputs(services, stage, keys)
        if stage.position == 0:
            pieces = await write_freely(
                drafting, CITED, {**inputs, "lines": [], "so_far": []}, job.lines
            )
            return drafting.written(stage.empty, pieces, 1, f"{job.variant:03d}")
        drafting.remedy = "the pieces stand as they were written"
        del inputs["own"]
        inputs["pieces"] = [as_answered(item) for item in job.draft.sentences]
        joined = await write_freely(
            drafting, for_lines(JOINED, len(inputs["pieces"])), inputs, job.lines
        )
        return drafting.written(stage.empty, joined or job.draft.sentences, 2)

    async def settle(
        self, services: Services, stage: Stage, candidates: Sequence[Draft]
    ) -> PartState:
        """Lay the pieces one behind another, in the order of the papers."""
        if stage.position > 0:
            return await super().settle(services, stage, candidates)
        sentences: list[Sentence] = []
        for draft in sorted(candidates, key=lambda draft: draft.id):
            for item in draft.sentences:
                if all(resemblance(item.text, earlier.text) < SAME for earlier in sentences):
                    sentences.append(item.model_copy(update={"line": len(sentences) + 1}))
        laid = stage.empty.model_copy(
            update={"id": f"{stage.empty.id}.laid", "parent": stage.empty.id, "round": 1,
                    "sentences": tuple(sentences)}
        )  # fmt: skip
        return {"drafts": [laid], "position": 1}
