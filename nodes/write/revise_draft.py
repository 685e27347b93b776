"""Revise: read the draft once more as a whole, with what the check found, and write its last version.

Reads `run`, `request`, `choices`, `keys`, `outline`, `final`, `verdicts`. Writes `final`, `verdicts`,
`rejections`. A sentence that stays word for word keeps its verdicts; the others are checked anew. Where
no usable text comes of it the draft goes on as it is.
"""

from collections.abc import Sequence
from functools import partial
from itertools import groupby

from langgraph.runtime import Runtime
from pydantic import BaseModel

from nodes.cost.kept_budget import saving_services
from nodes.write.cited_papers import load_papers_to_cite
from nodes.write.rewrite_unsupported import fault_with_evidence, needs_rewrite, rejections_of
from nodes.write.writers.draft_answers import Revision, as_answered
from nodes.write.writers.drafting import DraftQuestion, open_draft_session
from nodes.write.writers.passage import placed
from nodes.write.writers.whole import (
    WORDS_A_PAPER,
    candidates,
    citations_missing,
    with_output_tokens_for,
)
from nodes.write.writers.writer import drafting_state
from state.channels import WriteState
from state.writing import Sentence
from tools.embed.embedder import Embedder
from tools.llm.task import Task
from tools.run_settings import RunSettings

STAGE = "revise_draft"
_ENOUGH = 0.6
"""Share of a draft's sentences below which a revision has lost too much."""

PROMPT = """\
You are the last to read the related-work section of a scientific paper before its authors do. `text` is
their abstract, idea or question. `papers` are what a search has found, each with the key that cites it;
`section` is the draft, which cites them by key in braces, such as {P3}. Each of the `findings` is what a
check against the papers could not confirm: the sentence, the key of the paper (none, where a sentence
without citation is meant), what it claims, why that does not stand, and as `instead` the key of a paper
that does say it, if one does.

First, as `reading`, make notes for yourself:
- Go through `text` and take each thing that the authors set out to do, build on, claim or find. Which
  papers here come closest to it? Does the section cite these, and say in what this work goes beyond them
  or goes another way? Is that the difference that matters most, and true by their words and by `text`?
- Which works must a reader of `text` be told of that the section leaves out, and which could give way?
- As the most demanding reviewer of the field: does every paragraph make one point and lead to the next? Is
  anything only listed that should be set against something, said more strongly than its paper says it, said
  twice, padded, or put into a formula? Does the section end where the authors' work begins?

Then, as `text`, give the whole section again, better: with the findings and all that you have noted mended.
Rewrite as much as that takes; what is good stays letter by letter as it is. Its length is about `words`
words, and it cites at most `most` papers, those marked `must` among them. Say of a paper only what its
words given here say, as cautiously as they say it, and of the authors' own work ("we") only what the input
`text` says. Where `faults` of an earlier answer are listed, give the whole answer again with these mended.
"""


class Found(BaseModel):
    """What the check could not confirm, as the mind sees it."""

    sentence: str
    key: str | None = None
    claim: str
    why: str
    instead: str | None = None


def extract(embedder: Embedder, *, section: str, **_: object) -> Revision:
    """Leave the text as it is: the embedded engine revises nothing as a whole."""
    return Revision(text=section)


TASK = Task(
    name="revise_draft",
    prompt=PROMPT,
    answer=Revision,
    tier="strong",
    extract=extract,
    max_output_tokens=4500,
)


async def revise_draft(state: WriteState, runtime: Runtime[RunSettings]) -> WriteState:
    """Have the draft revised by whoever wrote it."""
    services = saving_services(state, runtime, drafted=True)
    stage, old = drafting_state(state), state["final"]
    drafting = await open_draft_session(services, stage, list(state["keys"]), STAGE)
    drafting.remedy = "the draft goes on as it is"
    drafting.standing = {item.text: as_answered(item, item.line) for item in old.sentences}
    papers = candidates(await load_papers_to_cite(services, stage.keys, list(stage.keys)), stage)
    most = min(stage.most, len(papers))
    inputs = {
        "text": stage.request.text,
        "papers": papers,
        "most": most,
        "words": most * WORDS_A_PAPER,
        "section": _printed(old.sentences),
        "findings": _findings(state),
    }
    given = await drafting.ask(
        DraftQuestion(with_output_tokens_for(TASK, most), inputs),
        line_of=lambda _: None,
        missing=partial(citations_missing, papers, most),
    )
    if stage.outline.lines:
        given = [placed(item, stage.lines) for item in given]
    kept = await drafting.keep_good(given, None, [])
    update: WriteState = {"failures": drafting.failures, "rejections": drafting.rejections}
    if len(kept) < _ENOUGH * len(old.sentences):
        drafting.fail("section", "too little of the revised text could stand", drafting.remedy)
        return update
    before = {item.text: (place, item) for place, item in enumerate(old.sentences, start=1)}
    update["verdicts"] = [
        verdict.model_copy(update={"sentence": number})
        for number, item in enumerate(kept, start=1)
        if item.text in before
        for verdict in state["verdicts"]
        if verdict.sentence == before[item.text][0]
    ]
    sentences = [
        before[item.text][1].model_copy(update={"line": item.line}) if item.text in before else item
        for item in kept
    ]
    stand = {item.text for item in kept}
    gone = [place for text, (place, _) in before.items() if text not in stand]
    update["rejections"] = [*rejections_of(state, gone, "rewritten"), *drafting.rejections]
    update["final"] = old.model_copy(
        update={"id": f"{old.id}.revised", "parent": old.id, "sentences": tuple(sentences)}
    )
    return update


def _printed(sentences: Sequence[Sentence]) -> str:
    paragraphs = groupby(sentences, key=lambda item: item.line)
    return "\n\n".join(" ".join(item.text for item in group) for _, group in paragraphs)


def _findings(state: WriteState) -> list[Found]:
    by_id = {paper: key for key, paper in state["keys"].items()}
    return [
        Found(
            sentence=state["final"].sentences[item.sentence - 1].text,
            key=item.key or None,
            claim=item.claim,
            why=fault_with_evidence(item),
            instead=by_id.get(item.better or ""),
        )
        for item in state["verdicts"]
        if needs_rewrite(item)
    ]
