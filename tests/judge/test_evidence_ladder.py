"""nodes/judge/evidence_ladder.py: the abstract first, then the text, and what was read is told."""

from typing import Any

from nodes.judge.evidence_ladder import Decision, climb
from nodes.judge.full_text import FullText
from nodes.judge.judge_claims import Item
from nodes.judge.shelf import Shelf
from state.inputs import CheckedRequest
from state.passage import Passage
from tests.fakes.openai_server import OpenAIServer, inputs_of
from tests.judge.conftest import LICHENS, PAPERS, REPHRASED, Open, finding, tasks_of
from tools.evidence.passage_search import Searcher

BODY = (
    "We counted tiles in seven chapels before the survey began. Roofs facing west lost their lichens within "
    "eleven winters of open coal fires. Bats had no part in it at all. We washed each tile by hand."
)
FIRES = "Roofs facing west lost their lichens within eleven winters of open coal fires."
CLAIM = "Coal smoke cost western roofs all lichens in a decade or so {P1}."
REQUEST = CheckedRequest(text="")


def shelf(body: str = BODY, **changes: Any) -> Shelf:
    """A shelf on which the text of P1 lies, read before."""
    paper = PAPERS["P1"].model_copy(update=changes)
    passages = [
        Passage(
            id="b",
            paper=paper.id,
            title=paper.title,
            section=("4 Results",),
            page=5,
            document="d",
            start=0,
            end=len(body),
            text=body or "-",
        )
    ]
    return Shelf({"P1": paper}, texts={paper.id: FullText(tuple(passages) if body else ())})


def judge(**verdicts: str) -> Any:
    """Say of what is shown: FIRES where they are shown with `text`, LICHENS with `abstract`."""

    def said(task: str, inputs: dict[str, Any]) -> Any:
        shown = str(inputs.get("sources"))
        where, quote = ("text", FIRES) if FIRES in shown else ("abstract", LICHENS)
        found = [finding(one["id"], verdicts[where], quote) for one in inputs["asked"]]
        return {"findings": found}

    return said


async def climbed(
    opened: Open, text: str, said: Any, at: Shelf, **how: bool
) -> tuple[Decision, OpenAIServer]:
    with opened([text], said, at) as (bench, server):
        for key, read in at.texts.items():
            if read.passages:
                at.searchers[key] = Searcher(read.passages, bench.services.clients.embedder)
        found = await climb(bench, REQUEST, at, [[Item("1-P1", 1, ("P1",))]], **how)
    return found["1-P1"], server


async def test_abstract_that_decides_ends_the_climb(opened: Open) -> None:
    for verdict in ("supported", "contradicted"):
        found, server = await climbed(opened, REPHRASED, judge(abstract=verdict), shelf())
        assert (found.verdict, len(server.requests)) == (verdict, 1)


async def test_claim_of_the_body_climbs_and_its_words_have_a_place(opened: Open) -> None:
    said = judge(abstract="not_in_source", text="supported")
    found, server = await climbed(opened, CLAIM, said, shelf())
    assert (found.verdict, found.scope, found.by) == ("supported", "full_text", "scripted")
    assert tasks_of(server) == ["judge_claims", "judge_claims"]
    assert [(quote.text, quote.part) for quote in found.quotes] == [(FIRES, "passage")]
    assert "4 Results" in found.quotes[0].place
    assert BODY[found.quotes[0].start : found.quotes[0].end] == FIRES
    found, server = await climbed(opened, CLAIM, said, shelf(), texts_first=True)
    (sources,) = (inputs_of(one)["sources"] for one in server.requests)
    assert (found.verdict, found.scope) == ("supported", "full_text")
    assert LICHENS in sources[0]["abstract"]
    assert FIRES in str(sources[0]["passages"])


async def test_what_no_level_bears_out_is_not_in_the_source_and_a_contradiction_ends_the_climb(
    opened: Open,
) -> None:
    said = judge(abstract="not_in_source", text="not_in_source")
    found, server = await climbed(opened, CLAIM, said, shelf())
    assert (found.verdict, found.cause, found.scope) == ("not_in_source", "mis_cited", "full_text")
    assert len(server.requests) == 2, "levels that show the same are one question"
    said = judge(abstract="not_in_source", text="contradicted")
    found, server = await climbed(opened, CLAIM, said, shelf())
    assert (found.verdict, len(server.requests)) == ("contradicted", 2)
    assert [quote.text for quote in found.quotes] == [FIRES]


async def test_number_that_stands_nowhere_stops_a_claim_whatever_a_judge_says(opened: Open) -> None:
    text = "Acid weather fades metal tops on 900 days {P1}."
    said = judge(abstract="supported", text="supported")
    found, _ = await climbed(opened, text, said, shelf())
    assert (found.verdict, found.cause) == ("not_in_source", "mis_cited")
    assert found.alarms == ("the number 900 does not appear in the paper",)
    found, _ = await climbed(opened, text, said, shelf(body=""))
    assert found.verdict == "not_in_abstract"
    assert found.alarms == ("the number 900 is not in the abstract (full text not read)",)
    in_body = BODY.replace("We washed", "On 900 days we washed")
    assert (await climbed(opened, text, said, shelf(in_body)))[0].verdict == "supported"


async def test_number_that_a_judge_leaves_out_of_the_claim_is_asked_about_once_and_that_answer_stands(
    opened: Open,
) -> None:
    text = "On the 900 days that we were out, we saw what they tell: acid weather fades roofs {P1}."

    def leaving_out(second: str, claim: str) -> Any:
        def said(task: str, inputs: dict[str, Any]) -> Any:
            if task == "judge_claims":
                asked = inputs["asked"]
                return {
                    "findings": [
                        finding(one["id"], "supported", LICHENS, claim=claim) for one in asked
                    ]
                }
            (one,) = inputs["asked"]
            assert one["differs"] == ["the number 900, which stands nowhere in what was read"]
            return {"findings": [{"id": one["id"], "verdict": second}]}

        return said

    own = "Acid weather fades roofs."
    found, server = await climbed(opened, text, leaving_out("supported", own), shelf(body=""))
    assert (found.verdict, tasks_of(server)) == ("supported", ["judge_claims", "judge_again"])
    found, _ = await climbed(opened, text, leaving_out("not_in_source", own), shelf(body=""))
    assert (found.verdict, found.ruling and found.ruling.first) == ("not_in_abstract", "supported")
    # What only repeats the words quoted says nothing of what is claimed, and can hide nothing.
    found, server = await climbed(opened, text, leaving_out("supported", LICHENS), shelf(body=""))
    assert (found.verdict, tasks_of(server)) == ("not_in_abstract", ["judge_claims"])


async def test_paper_without_abstract_begins_with_its_text(opened: Open) -> None:
    found, server = await climbed(opened, CLAIM, judge(text="supported"), shelf(abstract=None))
    assert (found.verdict, found.scope, len(server.requests)) == ("supported", "full_text", 1)
    found, server = await climbed(opened, CLAIM, judge(), shelf("", abstract=None))
    assert (found.verdict, found.cause, found.scope) == ("not_checked", "no_abstract", "none")
    assert not server.requests


async def test_own_sentence_of_the_body_needs_no_further_question(opened: Open) -> None:
    said = judge(abstract="not_in_source")
    found, server = await climbed(opened, f"{FIRES[:-1]} {{P1}}.", said, shelf())
    assert (found.verdict, found.by, found.scope) == ("supported", "code", "full_text")
    assert [quote.text for quote in found.quotes] == [FIRES]
    assert len(server.requests) == 1


async def test_text_that_could_not_be_read_is_told(opened: Open) -> None:
    at = shelf("")
    at.texts[PAPERS["P1"].id] = FullText(unread="unreadable: locked")
    found, _ = await climbed(opened, CLAIM, judge(abstract="not_in_source"), at)
    assert (found.verdict, found.scope, found.cause) == ("not_in_abstract", "abstract", "mis_cited")
    assert found.unread == "unreadable: locked"
