"""Writing paper by paper, side by side, and then joining the pieces (LitLLM, section 4)."""

from collections.abc import Sequence
from typing import Any

from nodes.write.cited_papers import PaperToCite, load_papers_to_cite
from nodes.write.writers.along_plan import extract, for_lines, write_freely
from nodes.write.writers.draft_answers import SentencesAnswer, as_answered, to_sentences_answer
from nodes.write.writers.drafting import DraftQuestion, open_draft_session
from nodes.write.writers.writer import EMPTY_DRAFT, DraftingState, DraftJob, Writer, keys_of
from state.channels import WriteState
from state.writing import Draft, Sentence
from tools.embed.embedder import Embedder
from tools.llm.task import Task
from tools.run_settings import RunSettings
from tools.services import Services
from tools.text.words import SAME, resemblance

_GROUNDS = """\
After the sentences give `grounds`: for each sentence the paper's key and one to three stretches copied
letter by letter from its title or abstract, each at least 20 characters long. Where `faults` of an
earlier answer are listed, give the whole answer again with these mended.
"""

CITED_PROMPT = f"""\
You prepare the related-work section of a paper, for its authors: `text` is their abstract, idea or
question. Write one or two sentences about the one paper given: what it does that matters to the
authors' work, and how it relates to that work. Cite it in each sentence by its key in braces, such as
{{P3}}, behind its authors' names. Say only what its title and abstract say. {_GROUNDS}"""

JOIN_PROMPT = f"""\
You join the pieces of a related-work section, each written about one paper, into one text for the
authors of the work that `text` describes. Put them into an order that makes sense, relate the papers
to each other and to the work, and drop what is said twice. Keep every key in braces, such as {{P3}}, with
what it supports; use no other. Add no claim. {_GROUNDS}"""


def extract_joined(
    embedder: Embedder, *, pieces: SentencesAnswer, papers: Sequence[PaperToCite], **_: object
) -> SentencesAnswer:
    """Leave the pieces in the order in which the papers came."""
    return pieces


CITED = Task(
    name="write_cited",
    prompt=CITED_PROMPT,
    answer=SentencesAnswer,
    tier="strong",
    extract=extract,
    max_output_tokens=900,
)
JOINED = Task(
    name="join_cited",
    prompt=JOIN_PROMPT,
    answer=SentencesAnswer,
    tier="strong",
    extract=extract_joined,
    max_output_tokens=8000,
)


class PerCiteWriter(Writer):
    """Writes about each paper apart in the first round, and joins the pieces in the second."""

    def jobs(self, stage: DraftingState, context: RunSettings) -> list[DraftJob]:
        """Return a job for each paper; then one that joins what came of them."""
        if stage.position == 0:
            return [
                DraftJob(draft=EMPTY_DRAFT, lines=(line,), variant=number)
                for number, line in enumerate(stage.lines)
            ]
        return [DraftJob(draft=stage.best, lines=stage.lines)] if stage.position == 1 else []

    async def write(self, services: Services, stage: DraftingState, job: DraftJob) -> WriteState:
        """Write about one paper, or join all; where joining fails the pieces stand as they were."""
        keys = keys_of(job.lines)
        drafting = await open_draft_session(services, stage, keys)
        papers = await load_papers_to_cite(services, stage.keys, keys)
        inputs: dict[str, Any] = {"text": stage.request.text, "papers": papers}
        if stage.position == 0:
            pieces = await write_freely(drafting, DraftQuestion(CITED, inputs, job.lines, papers))
            return drafting.written(EMPTY_DRAFT, pieces, 1, f"{job.variant:03d}")
        drafting.remedy = "CiteLoom keeps the pieces as written"
        said = [as_answered(item) for item in job.draft.sentences]
        inputs["pieces"] = to_sentences_answer(said)
        task = for_lines(JOINED, len(said))
        joined = await write_freely(drafting, DraftQuestion(task, inputs, job.lines, papers))
        return drafting.written(EMPTY_DRAFT, joined or job.draft.sentences, 2)

    async def settle(
        self, services: Services, stage: DraftingState, candidates: Sequence[Draft]
    ) -> WriteState:
        """Lay the pieces one behind another, in the order of the papers."""
        if stage.position > 0:
            return await super().settle(services, stage, candidates)
        sentences: list[Sentence] = []
        for draft in sorted(candidates, key=lambda draft: draft.id):
            for item in draft.sentences:
                if all(resemblance(item.text, earlier.text) < SAME for earlier in sentences):
                    sentences.append(item.model_copy(update={"line": 1}))
        laid = Draft(id="d.laid", parent="d", round=1, sentences=tuple(sentences))
        return {"drafts": [laid], "position": 1}
