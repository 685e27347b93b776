"""Answer at once: read what the keywords found and answer in one question, or say "I don't know".

Reads `run`, `request`, `standalone`, `hops`. Writes `hops`, `held`, `draft`, `missing` (Keyword Augmented Retrieval,
section 1.2). As many of the passages are shown as the model's window holds. Each sentence names words
that it rests on; one whose words code does not find is no part of the answer, and is told as unchecked.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from pydantic import BaseModel

from nodes.ask.choose_passages import extract as choose
from nodes.ask.compose_answer import in_words
from nodes.ask.draw_claims import NO_QUOTE, best_sentences, claim_on, quote_in
from nodes.ask.judge_sentence import Sources
from nodes.ask.shown import (
    PASSAGE_FIELDS,
    Rests,
    ShownPassage,
    fitting,
    papers_of,
    quoted,
    show_passages,
)
from nodes.ask_checked import ask_checked
from state.asking import AskState, AskUpdate, Claim, DraftSentence, LostClaim
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.llm.task import Task
from tools.services import open_services
from tools.text.language import language_name

STAGE = "answer_at_once"
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

Where `quotes_that_failed` is given, these words of an earlier answer are not in their passage: copy anew.
"""


class Sentence(BaseModel):
    """One sentence, what it rests on first."""

    quotes: list[Rests]
    text: str


class Answer(BaseModel):
    """The mind's answer; without sentences it is "I don't know"."""

    sentences: list[Sentence]
    missing: list[str] = []


def extract(
    embedder: Embedder, *, question: str, passages: Sequence[ShownPassage], **_: object
) -> Answer:
    """Quote the one sentence that answers best, where one answers."""
    picked = choose(embedder, question=question, aspects=[], most=1, passages=passages).ids
    best = [
        (item, best_sentences(embedder, question, item)) for item in passages if item.id in picked
    ]
    return Answer(
        sentences=[
            Sentence(quotes=[Rests(passage=item.id, words=words)], text=quoted(words, item))
            for item, (words, *_) in best
        ]
    )


TASK = Task(
    name="answer_at_once", prompt=PROMPT, answer=Answer, tier="strong", extract=extract,
    max_output_tokens=1500,
)  # fmt: skip


async def answer_at_once(state: AskState, runtime: Runtime[RunContext]) -> AskUpdate:
    """Answer, and keep the sentences with words that are there; ask once more where some are not."""
    services = open_services(runtime, state["run"])
    (hop,) = state["hops"]
    services.progress(STAGE, 0, 1)
    ids = [hit.passage for hit in hop.retrieved]
    found = await services.run_store.passages.get(ids)
    papers = await papers_of(services, state["request"], found.values())
    keyed = show_passages((found[key] for key in ids), papers)
    if not keyed:
        return {}
    language = language_name(state["request"].language)
    inputs: dict[str, object] = {"language": language, "question": state["standalone"]}
    shown = fitting(services.mind, TASK, (item for _, item in keyed), **inputs)
    named = {item.id: passage for passage, item in keyed[: len(shown)]}

    def misquoted(answer: Answer) -> list[str]:
        rests = [item for sentence in answer.sentences for item in sentence.quotes]
        known = ((item.words, named.get(item.passage)) for item in rests)
        return [words[:200] for words, of in known if not (of and quote_in(words, of))]

    inputs["passages"] = shown
    asked = await ask_checked(services.mind, TASK, inputs, misquoted, again_as="quotes_that_failed")
    answer = asked.answer or Answer(sentences=[])
    held: dict[tuple[str, str], Claim] = {}
    draft, lost = list[DraftSentence](), list[LostClaim]()
    for item in answer.sentences:
        numbers: dict[int, None] = {}
        for rest in item.quotes:
            of = named.get(rest.passage)
            if of and (quote := quote_in(rest.words, of)):
                claim = claim_on(quote, of, "", Sources(found, papers), len(held) + 1)
                numbers[held.setdefault((of.id, quote.text), claim).number] = None
        text = " ".join(item.text.split())
        if text and numbers:
            draft.append(DraftSentence(text=text, claims=tuple(numbers)))
        elif text:
            lost.append(LostClaim(text=text, cause=NO_QUOTE))
    services.progress(STAGE, 1, 1, f"{len(draft)} sentences")
    read = hop.model_copy(
        update={"chosen": tuple(item.id for item in named.values()), "lost": tuple(lost)}
    )
    return {
        "hops": [read], "held": [*held.values()], "draft": draft, "missing": in_words(answer.missing),
        "failures": asked.failures(STAGE, state["standalone"][:80], "no answer was given"),
    }  # fmt: skip
