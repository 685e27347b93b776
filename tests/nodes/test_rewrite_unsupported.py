"""nodes/write/rewrite_unsupported.py: what a new sentence must keep, and what is told of the old one."""

from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.write.rewrite_unsupported import rewrite_unsupported
from state.inputs import CheckedRequest
from state.quote import Quote
from state.writing import CitationVerdict, Draft, Plan, Sentence
from tests.fakes.made_papers import made_papers
from tests.fakes.openai_server import Refusal, inputs_of
from tests.graphs.conftest import Scripted
from tools.bibliography.read_record import paper_from
from tools.services import open_services
from tools.settings import Settings

PAPERS = {f"P{place}": paper_from(item) for place, item in enumerate(made_papers(3), start=1)}
KEYS = {key: paper.id for key, paper in PAPERS.items()}
LICHENS = "in tiled chapels the copper roofs of lichens bleach under sulphur rain"
OTTERS = "in brackish harbours the estuary weirs of otters cross under tidal locks"
GLACIERS = "in alpine basins the basalt ridges of glaciers carve under meltwater pulses"
TEXTS = (f"Some say {GLACIERS} {{P3}}.", f"Thus {LICHENS} {{P1}}, whereas otters sing {{P2}}.")
OWN = "We compare thirty reports of such causes and propose a shared vocabulary for them."


def verdict(sentence: int, key: str, name: str, **fields: Any) -> CitationVerdict:
    return CitationVerdict(
        sentence=sentence,
        key=key,
        paper=KEYS[key],
        verdict=name,  # type: ignore[arg-type]
        **fields,
    )


VERDICTS = [
    verdict(1, "P3", "supported"),
    verdict(2, "P1", "supported"),
    verdict(2, "P2", "not_in_source", cause="mis_cited", claim="otters sing"),
]


class Mind:
    """A mind that gives one answer, and what it was shown."""

    def __init__(self, settings: Settings) -> None:
        self.answer: Any = {}
        self.llm = Scripted(lambda request: self.answer, settings)

    @property
    def shown(self) -> dict[str, Any]:
        return inputs_of(self.llm.server.requests[-1])

    async def rewrite(self, answer: Any, **changes: Any) -> dict[str, Any]:
        self.answer = answer
        runtime = Runtime(context=self.llm.context, store=InMemoryStore())
        await open_services(runtime, "run").run_store.papers.put(PAPERS.values())
        sentences = tuple(Sentence(text=text, line=1) for text in TEXTS)
        state: Any = {
            "run": "run",
            "request": CheckedRequest(text=OWN),
            "keys": KEYS,
            "outline": Plan(lines=()),
            "checks": 1,
            "removed": [],
            "final": Draft(id="d", sentences=sentences),
            "verdicts": VERDICTS,
            **changes,
        }
        return dict(await rewrite_unsupported(state, runtime))


@pytest.fixture
def mind(settings: Settings) -> Iterator[Mind]:
    one = Mind(settings)
    with one.llm:
        yield one


def answer(sentence: str, line: int = 2, **quotes: str) -> dict[str, Any]:
    grounds = [{"sentence": 1, "key": key, "quotes": [quote]} for key, quote in quotes.items()]
    return {"sentences": [{"line": line, "text": sentence}], "grounds": grounds}


GOOD = f"Thus {LICHENS} {{P1}}, whereas {OTTERS} {{P2}}."


async def test_good_rewriting_stands_and_its_verdicts_are_asked_for_anew(mind: Mind) -> None:
    update = await mind.rewrite(answer(GOOD))
    assert [item.text for item in update["final"].sentences] == [TEXTS[0], GOOD]
    assert [(item.sentence, item.key) for item in update["verdicts"]] == [(1, "P3")]
    (told,) = update["rejections"]
    assert (told.action, told.sentence, told.key) == ("rewritten", TEXTS[1], "P2")
    quotes = [item.quote for item in update["final"].sentences[1].citations]
    assert all(quote and quote.verified for quote in quotes)


async def test_paper_that_says_it_is_offered_instead(mind: Mind) -> None:
    verdicts = [*VERDICTS[:2], VERDICTS[2].model_copy(update={"better": KEYS["P3"]})]
    await mind.rewrite(answer(GOOD), verdicts=verdicts)
    assert {item["key"] for item in mind.shown["papers"]} == {"P1", "P2", "P3"}
    (fault,) = mind.shown["faults"]
    assert (fault["key"], fault["instead"]) == ("P2", "P3")


async def test_mind_that_refuses_leaves_the_sentence_to_the_second_check(mind: Mind) -> None:
    update = await mind.rewrite(Refusal())
    assert update["final"].sentences[1].text == TEXTS[1]
    assert [item.subject for item in update["failures"]] == ["sentence 2"]
    assert update["rejections"] == [], "nothing was kept out of the text yet"


async def test_second_round_takes_out_and_forgets_nothing_taken_out_before(mind: Mind) -> None:
    before = verdict(9, "P3", "contradicted")
    update = await mind.rewrite({}, checks=2, removed=[before])
    assert [item.text for item in update["final"].sentences] == [TEXTS[0]]
    assert before in update["removed"]
    assert [item.key for item in update["removed"]] == ["P3", "P1", "P2"]
    assert [item.subject for item in update["failures"]] == ["sentence 2"]
    assert mind.llm.server.requests == [], "nobody is asked any more"


BOTH_BAD = [VERDICTS[0], verdict(2, "P1", "contradicted", cause="mis_cited"), VERDICTS[2]]


@pytest.mark.parametrize(
    ("reply", "verdicts", "cause", "key"),
    [
        (answer(f"Thus {OTTERS} {{P2}}."), VERDICTS, "off_plan", "P1"),
        (answer(GOOD.replace("otters", "otters [44]", 1)), VERDICTS, "fabricated", "[44]"),
        (answer(TEXTS[0].replace("P3", "P1")), BOTH_BAD, "repeated", ""),
        (answer(OWN, input=OWN), BOTH_BAD, "off_plan", ""),
    ],
    ids=["drops a citation that stands", "invents", "repeats", "cites nobody"],
)
async def test_rewriting_with_a_fault_is_replaced_by_the_papers_own_words(
    mind: Mind, reply: dict[str, Any], verdicts: list[CitationVerdict], cause: str, key: str
) -> None:
    update = await mind.rewrite(reply, verdicts=verdicts)
    new = update["final"].sentences[1]
    assert new.text not in {reply["sentences"][0]["text"], TEXTS[1]}
    assert set(new.keys) == {"P1", "P2"}
    replaced = [item for item in update["rejections"] if item.action == "replaced"]
    assert (cause, key) in [(item.cause, item.key) for item in replaced]


async def test_made_up_quote_of_a_rewriting_is_told_and_not_used(mind: Mind) -> None:
    update = await mind.rewrite(answer(GOOD, P2="All trials agree."))
    told = [item for item in update["rejections"] if item.cause == "fabricated_quote"]
    assert [(item.key, item.action) for item in told] == [("P2", "replaced")]
    assert update["final"].sentences[1].citations[1].quote.text.lower() == f"{OTTERS}."


async def test_paragraph_is_asked_about_once_and_a_neighbour_may_be_mended(mind: Mind) -> None:
    both = [verdict(1, "P3", "contradicted", cause="mis_cited", reason="It carves."), *VERDICTS[1:]]
    neighbour = f"As some say, {GLACIERS} {{P3}}."
    for verdicts, count in ((both, 2), (VERDICTS, 1)):
        reply = {"sentences": [*answer(GOOD)["sentences"], *answer(neighbour, 1)["sentences"]]}
        update = await mind.rewrite(reply, verdicts=verdicts)
        assert [item.text for item in update["final"].sentences] == [neighbour, GOOD]
        assert update["verdicts"] == [], "both are checked anew"
        assert len(mind.shown["faults"]) == count
        assert [item["number"] for item in mind.shown["paragraph"]] == [1, 2]
    assert len(mind.llm.server.requests) == 2
    drops = {"sentences": [*answer(GOOD)["sentences"], {"line": 1, "text": f"So {GLACIERS}."}]}
    other = VERDICTS[2].model_copy(update={"claim": "another question"})
    update = await mind.rewrite(drops, verdicts=[*VERDICTS[:2], other])
    assert [item.text for item in update["final"].sentences] == [TEXTS[0], GOOD]


async def test_empty_text_takes_a_faulty_sentence_out_and_no_other(mind: Mind) -> None:
    update = await mind.rewrite({"sentences": [{"line": 2, "text": ""}, {"line": 1, "text": " "}]})
    assert [item.text for item in update["final"].sentences] == [TEXTS[0]]
    assert [(item.sentence, item.key) for item in update["verdicts"]] == [(1, "P3")]
    assert [(item.action, item.key) for item in update["rejections"]] == [("removed", "P2")]
    assert {item.action for item in update["removed"]} == {"removed"}


async def test_sentence_on_several_papers_is_mended_in_its_place(mind: Mind) -> None:
    faulty = CitationVerdict(sentence=1, key="", paper="", verdict="contradicted", claim="None do.")
    sentences = (
        Sentence(text="None do.", line=1, rests_on=("P1", "P2")),
        Sentence(text=TEXTS[1], line=2),
    )
    reply = {
        "sentences": [{"line": 1, "text": "Both look at slow change."}],
        "grounds": [{"sentence": 1, "key": key} for key in ("P1", "P2")],
    }
    update = await mind.rewrite(reply, verdicts=[faulty], final=Draft(id="d", sentences=sentences))
    new = update["final"].sentences[0]
    assert (new.text, new.rests_on) == ("Both look at slow change.", ("P1", "P2"))
    assert mind.shown["faults"][0]["why"] == "its evidence does not say it"


async def test_words_that_the_check_found_in_a_full_text_are_shown_and_can_be_quoted(
    mind: Mind,
) -> None:
    words = "otters cross the weirs at slack water only, which no earlier count had seen"
    read, known = (
        Quote(text=text, paper=KEYS["P2"], part=part, start=0, end=len(text), verified=True)
        for text, part in ((words, "passage"), (f"{OTTERS}.", "abstract"))
    )
    weak = VERDICTS[2].model_copy(update={"quote": known, "further": (read,)})
    update = await mind.rewrite(answer(GOOD, P2=words), verdicts=[*VERDICTS[:2], weak])
    assert mind.shown["faults"][0]["words"] == [words], "the abstract is shown anyway"
    assert [item for item in update["rejections"] if item.action == "replaced"] == []
    assert update["final"].sentences[1].citations[1].quote == read
