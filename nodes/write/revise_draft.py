"""Revise: read the draft once more as a whole, with what the check found, and write its last version.

Reads `run`, `request`, `choices`, `keys`, `outline`, `final`, `verdicts`. Writes `final`, `verdicts`,
`rejections`. A sentence that stays word for word keeps its verdicts; the others are checked anew. Where
no usable text comes of it the draft goes on as it is.
"""

from collections.abc import Sequence
from functools import partial
from itertools import groupby

from pydantic import BaseModel

from nodes.cost.kept_budget import saving_services
from nodes.write.rewrite_unsupported import (
    checked_quotes,
    fault_with_evidence,
    needs_rewrite,
    rejections_of,
)
from nodes.write.writers.along_plan import placed
from nodes.write.writers.draft_answers import Revision, SectionAnswer, as_answered
from nodes.write.writers.drafting import DraftQuestion, open_draft_session
from nodes.write.writers.whole_section import (
    section_faults,
    section_question,
    with_output_tokens_for,
)
from nodes.write.writers.writer import drafting_state
from state.channels import WriteState
from state.writing import Sentence
from tools.embed.embedder import Embedder
from tools.evidence.own_sentences import without_markers
from tools.llm.task import Exchange, Task
from tools.services import NodeRuntime

STAGE = "revise_draft"
_ENOUGH = 0.6
"""Share of a draft's sentences below which a revision has lost too much."""

PROMPT = """\
Now read this section once more, as the last to do so before its authors: a demanding reviewer of the field. Each of
the `findings` is what a check against the papers could not confirm: the sentence, the key of the paper (none, where a
sentence without citation is meant), what it claims, the verdict, why it does not stand, as `words` what the paper's
full text says about it, where that was read, and as `instead` the key of a paper that does say it, if one does.

First, as `reading`, make brief notes:
- Take each thing that `text` sets out to do, builds on, claims or finds. Which papers come closest to it? Are these
  cited, with the difference that matters most, and is it true by their words and by `text`?
- Is a line of work missing that a reader of the field expects? Is a paper cited that such a reader would not miss?
- Would a researcher nearby, who knows none of these papers, follow every sentence at first reading? Does each paragraph
  bring its line of work in by name, make one point and lead to the next? Where is something only listed, said twice,
  squeezed into half a clause, stronger than its paper says, or near to a formula ("X does. Y does.")?
- Is it plain where each line of work ends what the authors' work does about it, by its name and in words of its own?

Then give, as `paragraphs`, those that change, each whole and with its number; what you do not give stays as it is.
Mend every finding: say of the paper what it does say, cite the one that says it, or let the claim go. What is good
stays letter by letter, and a mended sentence reads as well as the one before it: where a shade is too strong, change
that word and keep the sentence. The rules of the first answer hold. The section has `length` words now and may have
`longest` in all when you are done: what comes in takes the place of something else. Where `faults` are listed, mend
them and give these paragraphs again.
"""


class Found(BaseModel):
    """What the check could not confirm, as the mind sees it."""

    sentence: str
    key: str | None = None
    claim: str
    verdict: str
    why: str
    words: list[str] | None = None
    instead: str | None = None


def extract(embedder: Embedder, **_: object) -> Revision:
    """Leave the text as it is: the embedded engine revises nothing as a whole."""
    return Revision()


TASK = Task(
    name="revise_draft",
    prompt=PROMPT,
    answer=Revision,
    tier="strong",
    extract=extract,
    max_output_tokens=4500,
)


async def revise_draft(state: WriteState, runtime: NodeRuntime) -> WriteState:
    """Have the draft revised by whoever wrote it, in the conversation in which it was written."""
    services = saving_services(state, runtime, drafted=True)
    stage, old = drafting_state(state), state["final"]
    drafting = await open_draft_session(services, stage, list(state["keys"]), STAGE)
    drafting.known = [*drafting.known, *checked_quotes(state["verdicts"])]
    drafting.remedy = "CiteLoom keeps the draft as it is"
    drafting.standing = {item.text: as_answered(item, item.line) for item in old.sentences}
    first = await section_question(services, stage)
    if first is None:  # what drafted it cannot be asked any more
        return {}
    paragraphs = _paragraphs(old.sentences)
    draft = Exchange(first.task, first.inputs, SectionAnswer(text="\n\n".join(paragraphs)))
    given = await drafting.ask(
        DraftQuestion(
            with_output_tokens_for(TASK, first.inputs["most"]),
            {
                "length": sum(len(without_markers(text).split()) for text in paragraphs),
                "longest": first.inputs["longest"],
                "findings": _findings(state),
            },
            after=draft,
            paragraphs=paragraphs,
        ),
        line_of=lambda _: None,
        missing=partial(section_faults, first, stage),
    )
    if stage.outline.lines:
        given = [placed(item, stage.lines) for item in given]
    kept = await drafting.keep_good(given, None, [])
    update: WriteState = {"failures": drafting.failures, "rejections": drafting.rejections}
    if len(kept) < _ENOUGH * len(old.sentences):
        drafting.fail("section", "too little of the revised text passed", drafting.remedy)
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


def _paragraphs(sentences: Sequence[Sentence]) -> list[str]:
    paragraphs = groupby(sentences, key=lambda item: item.line)
    return [_shown(" ".join(item.text for item in group)) for _, group in paragraphs]


def _shown(text: str) -> str:
    """Return a text with its citations as who wrote it gives them: {P3, P7}."""
    return text.replace("}{", ", ")


def _findings(state: WriteState) -> list[Found]:
    by_id = {paper: key for key, paper in state["keys"].items()}
    return [
        Found(
            sentence=_shown(state["final"].sentences[item.sentence - 1].text),
            key=item.key or None,
            claim=item.claim,
            verdict=item.verdict,
            why=fault_with_evidence(item),
            words=[one.text for one in checked_quotes([item])] or None,
            instead=by_id.get(item.better or ""),
        )
        for item in state["verdicts"]
        if needs_rewrite(item)
    ]
