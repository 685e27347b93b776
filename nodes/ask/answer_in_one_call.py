"""Answer in one call: read what the keywords found, and answer in one question or say "I don't know".

Reads `run`, `request`, `standalone`, `hops`. Writes `hops`, `held`, `draft`, `missing` (Keyword Augmented Retrieval,
section 1.2). As many of the passages are shown as the model's window holds. Each sentence names words
that it rests on; one whose words code does not find is no part of the answer, and is told as unchecked.
"""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from nodes.ask.answer_sources import (
    PASSAGE_FIELDS,
    AnswerSources,
    QuoteInPassage,
    ShownPassage,
    fit_to_window,
    in_words,
    load_answer_sources,
    quote_as_sentence,
)
from nodes.ask.extract_claims import NO_QUOTE, answering, best_sentences, claim_on, quote_in
from nodes.common.ask_model import ask_with_check
from state.ask import AskState, AskUpdate, Claim, DraftSentence, DroppedClaim
from state.passage import Passage
from state.quote import Quote
from tools.embed.embedder import Embedder
from tools.errors import counted
from tools.llm.task import Task
from tools.services import NodeRuntime, open_services
from tools.text.questions import question_parts
from tools.text.words import language_name

STAGE = "answer_in_one_call"
PROMPT = f"""\
Answer `question` in `language` from the `passages` of research papers that its keywords found, and from
nothing else. Many of them will be beside the question: leave these. If none answers it, give no sentence:
"I don't know" is a good answer, a guess is none. If they answer a part of it, answer that part. Name in
`missing`, in short phrases, what is asked and no passage tells.

Answer the question itself in the first sentence; two to six are enough. For each give
1. `quotes`: the one to three places that it rests on, in `passage` the id, in `words` the words of that
   passage that say it, copied letter by letter and in one piece, at least a whole clause;
2. `text`: one sentence of plain prose that says what these words say, of whom they say it, with their
   numbers, conditions and hedges. Put the names in for 'it' and 'we', which the title or the sentences before
   may tell; name a paper by its authors where the reader needs to know whose finding it is. No
   brackets, ids or lists.

{PASSAGE_FIELDS}
Example: asked "Does Linnet survive frost, and who sells it?", with S4, from "Two cabbages compared" by Falk and Ude:
"Linnet and Hoby were sown in May. The former survived 5 degrees of frost, the latter 9.": quotes [{{"passage":
"S4", "words": "The former survived 5 degrees of frost"}}], text "Falk and Ude found that Linnet survives 5 degrees of
frost."; missing ["who sells Linnet"].

Where `faults` is given, these words of an earlier answer are not in their passage, or too few: copy anew.
"""


class Sentence(BaseModel):
    """One sentence, what it rests on first."""

    quotes: list[QuoteInPassage]
    text: str


class Answer(BaseModel):
    """The mind's answer; without sentences it is "I don't know"."""

    sentences: list[Sentence]
    missing: list[str] = []


def extract(
    embedder: Embedder, *, question: str, passages: Sequence[ShownPassage], **_: object
) -> Answer:
    """Quote the one sentence that answers each question put best, where one answers."""
    told: dict[str, Sentence] = {}
    wanting: list[str] = []
    for part in question_parts(question):
        picked = answering(embedder, part, passages)[:1]
        for item in (item for item in passages if item.id in picked):
            words = best_sentences(embedder, [part], item)[0]
            rests = [QuoteInPassage(passage=item.id, words=words)]
            told[words] = Sentence(quotes=rests, text=quote_as_sentence(words, item))
        wanting += [] if picked else [part]
    return Answer(sentences=list(told.values()), missing=wanting if told else [])


TASK = Task(
    name="answer_in_one_call",
    prompt=PROMPT,
    answer=Answer,
    tier="strong",
    extract=extract,
    max_output_tokens=1500,
)


async def answer_in_one_call(state: AskState, runtime: NodeRuntime) -> AskUpdate:
    """Answer, and keep the sentences with words that are there; ask once more where some are not."""
    services = open_services(runtime, state["run"])
    (hop,) = state["hops"]
    services.progress(STAGE, 0, 1)
    ids = [hit.passage for hit in hop.retrieved]
    sources = await load_answer_sources(services, state["request"], ids)
    keyed = sources.shown(ids)
    if not keyed:
        return {}
    inputs: dict[str, object] = {
        "language": language_name(state["request"].language),
        "question": state["standalone"],
    }
    shown = fit_to_window(services.mind, TASK, (item for _, item in keyed), **inputs)
    named = {item.id: passage for passage, item in keyed[: len(shown)]}

    def misquoted(answer: Answer) -> list[str]:
        rests = [item for sentence in answer.sentences for item in sentence.quotes]
        return [item.words[:200] for item in rests if not _found(item, named)]

    inputs["passages"] = shown
    asked = await ask_with_check(services.mind, TASK, inputs, misquoted)
    answer = asked.answer or Answer(sentences=[])
    held, draft, lost = _resting(answer, named, sources)
    services.progress(STAGE, 1, 1, counted(len(draft), "sentence"))
    chosen = tuple(item.id for item in named.values())
    return {
        "hops": [hop.model_copy(update={"read": chosen, "chosen": chosen, "lost": tuple(lost)})],
        "held": held,
        "draft": draft,
        "missing": in_words(answer.missing),
        "failures": asked.failures(STAGE, state["standalone"][:80], "the model gave no answer"),
    }


def _found(rests: QuoteInPassage, named: Mapping[str, Passage]) -> Quote | None:
    passage = named.get(rests.passage)
    return quote_in(rests.words, passage) if passage else None


def _resting(
    answer: Answer, named: Mapping[str, Passage], sources: AnswerSources
) -> tuple[list[Claim], list[DraftSentence], list[DroppedClaim]]:
    """Return the words found, each once, the sentences that rest on them, and those that rest on none."""
    held: dict[Quote, Claim] = {}
    draft, lost = list[DraftSentence](), list[DroppedClaim]()
    for item in answer.sentences:
        found = [
            (quote, named[rests.passage])
            for rests in item.quotes
            if (quote := _found(rests, named))
        ]
        for quote, passage in found:
            held.setdefault(quote, claim_on(quote, passage, "", sources, len(held) + 1))
        text = " ".join(item.text.split())
        numbers = dict.fromkeys(held[quote].number for quote, _ in found)
        if text and numbers:
            draft.append(DraftSentence(text=text, claims=tuple(numbers)))
        elif text:
            lost.append(DroppedClaim(text=text, cause=NO_QUOTE))
    return [*held.values()], draft, lost
