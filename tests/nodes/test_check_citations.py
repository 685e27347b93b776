"""Checking citations: what a mind says is held against the words of the papers."""

from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.write.audit_citations import make_audit, omissions_of
from nodes.write.check_citations import check_citations
from nodes.write.rewrite_unsupported import remove_sentences, without_citations
from state.inputs import CheckedRequest, WriteChoices
from state.paper import Paper
from state.quote import Quote
from state.writing import MARKER, Citation, CitationVerdict, Draft, Plan, PlanLine, Sentence
from tests.fakes.made_papers import made_papers
from tests.fakes.openai_server import inputs_of
from tests.graphs.conftest import Scripted
from tools.bibliography.read_record import paper_from
from tools.run_settings import RunSettings
from tools.services import Services, open_services
from tools.settings import Settings

PAPERS = {f"P{place}": paper_from(item) for place, item in enumerate(made_papers(6), start=1)}
LICHENS = "In tiled chapels the copper roofs of lichens bleach under sulphur rain."
OTTERS = "In brackish harbours the estuary weirs of otters cross under tidal locks."


async def test_node_checks_only_what_was_rewritten(
    services: Services, runtime: Runtime[RunSettings]
) -> None:
    await services.run_store.papers.put(PAPERS.values())
    draft = Draft(
        id="d",
        sentences=(
            Sentence(text=f"{LICHENS[:-1]} {{P1}}.", line=1),
            Sentence(text=f"{OTTERS[:-1]} {{P2}}.", line=2),
        ),
    )
    state: Any = {
        "run": "run",
        "keys": {key: paper.id for key, paper in PAPERS.items()},
        "final": draft,
        "checks": 0,
        "verdicts": [],
        "request": CheckedRequest(text=""),
    }
    first = await check_citations(state, runtime)
    assert [item.verdict for item in first["verdicts"]] == ["supported", "supported"]
    marked = first["verdicts"][0].model_copy(update={"by": "kept"})
    state |= {"checks": 1, "verdicts": [marked]}
    again = await check_citations(state, runtime)
    assert [item.by for item in again["verdicts"]] == ["kept", "code"]


SHORT = LICHENS[3:16]


async def test_paragraphs_are_one_question_and_short_quotes_are_sent_back_as_too_short(
    settings: Settings,
) -> None:
    answers = [
        {"findings": [{"id": "2-P1", "quotes": [SHORT], "verdict": "supported"}]},
        {
            "findings": [
                {
                    "id": "2-P1",
                    "quotes": [LICHENS],
                    "verdict": "supported",
                    "reasoning": "As said.",
                },
                {"id": "3-all", "quotes": [LICHENS, OTTERS], "verdict": "supported"},
                {"id": "9-P9", "quotes": ["Nobody asked for this one."], "verdict": "supported"},
            ]
        },
    ]
    texts = (
        f"{OTTERS[:-1]} {{P2}}.",
        "Acid weather fades the metal tops on which lichens live {P1}.",
        "Both tell of lichens or otters.",
    )
    sentences = [Sentence(text=text, line=at) for at, text in enumerate(texts, start=1)]
    sentences[2] = sentences[2].model_copy(update={"rests_on": ("P1", "P2")})
    read = "Roofs lose their sheen within two winters."
    quote = Quote(
        text=read, paper=PAPERS["P1"].id, part="passage", start=9, end=9 + len(read), verified=True
    )
    rests = (Citation(key="P1", quote=quote),)
    sentences[1] = sentences[1].model_copy(update={"citations": rests})
    lines = tuple(PlanLine(number=at, paragraph=at) for at in (1, 2, 3))
    with Scripted(lambda request: answers.pop(0), settings) as llm:
        runtime = Runtime(context=llm.context, store=InMemoryStore())
        await open_services(runtime, "run").run_store.papers.put(PAPERS.values())
        state: Any = {
            "run": "run",
            "keys": {key: paper.id for key, paper in PAPERS.items()},
            "checks": 0,
            "final": Draft(id="d", sentences=tuple(sentences)),
            "outline": Plan(lines=lines),
            "verdicts": [],
            "request": CheckedRequest(text="We count roofs."),
        }
        update = await check_citations(state, runtime)
    shown: list[dict[str, Any]] = [inputs_of(request) for request in llm.server.requests]
    first, again = shown
    assert [item["id"] for item in first["asked"]] == ["2-P1", "3-all"]
    assert [item["number"] for item in first["sentences"]] == [1, 2, 3]
    assert [item["key"] for item in first["sources"]] == ["P1", "P2"]
    assert [item["text"] for item in first["sources"][0]["passages"]] == [read]
    assert first["input"] == "We count roofs."
    assert again["faults"] == [
        f"2-P1: too short, copy at least 20 characters: “{SHORT}”",
        "3-all: missing from the answer",
    ]
    assert [(item.key, item.verdict, item.by, item.reason) for item in update["verdicts"]] == [
        ("P2", "supported", "code", ""),
        ("P1", "supported", "scripted", "As said."),
        ("", "supported", "scripted", ""),
    ]
    assert {item.paper for item in update["verdicts"][2].further} == {PAPERS["P2"].id}
    assert [item.cause for item in update["rejections"]] == ["no_verified_quote"]


def test_sentences_taken_out_are_recorded_and_counts_that_are_no_more_true_go_with_them() -> None:
    said = [("Two papers.", ()), ("A {P1}.", ("P1",)), ("One paper.", ()), ("B {P2}.", ("P2",))]
    lines = [("P1", "P2"), (), ("P2",), ()]
    draft = Draft(
        id="d",
        sentences=tuple(
            Sentence(text=text, line=line, citations=tuple(Citation(key=key) for key in keys))
            for line, (text, keys) in enumerate(said, start=1)
        ),
    )
    verdicts = [
        CitationVerdict(
            sentence=2, key="P1", paper="p1", verdict="not_in_source", cause="mis_cited"
        ),
        CitationVerdict(sentence=4, key="P2", paper="p2", verdict="supported"),
    ]
    outline = Plan(
        lines=tuple(PlanLine(number=at, covers=keys) for at, keys in enumerate(lines, start=1))
    )
    state: Any = {
        "run": "run",
        "request": CheckedRequest(text="x"),
        "keys": {},
        "final": draft,
        "outline": outline,
        "verdicts": verdicts,
        "checks": 2,
        "removed": [],
    }
    update = remove_sentences(state, [2])
    assert [item.text for item in update["final"].sentences] == ["One paper.", "B {P2}."]
    assert [item.sentence for item in update["verdicts"]] == [2]
    assert [item.subject for item in update["failures"]] == ["sentence 2"]
    assert [(item.sentence, item.cause, item.action) for item in update["rejections"]] == [
        ("A {P1}.", "mis_cited", "removed")
    ]


@pytest.mark.parametrize(
    ("text", "keys", "left"),
    [
        ("Several rank by citations {P1}{P2}{P3}.", {"P2"}, "Several rank by citations {P1}{P3}."),
        (
            "A {P1}, B {P2} and others {P3}{P4} rank.",
            {"P4"},
            "A {P1}, B {P2} and others {P3} rank.",
        ),
        ("A {P1} ranks, as B does {P2}.", {"P2"}, None),
        ("Two systems rank {P1}{P2}.", {"P2"}, None),
        ("Several rank {P1}{P2}.", {"P1", "P2"}, None),
        ("Nobody ranks.", {""}, None),
    ],
)
def test_citation_leaves_a_group_whose_others_stand(
    text: str, keys: set[str], left: str | None
) -> None:
    cited = tuple(Citation(key=key) for key in MARKER.findall(text))
    found = without_citations(Sentence(text=text, line=1, citations=cited), keys)
    assert (found.text if found else None) == left
    if found:
        assert [item.key for item in found.citations] == MARKER.findall(found.text)


def test_each_paper_that_is_not_cited_has_its_reason() -> None:
    ids = ["cited", "taken out", "no line", "said nothing", "bare", "beyond"]
    papers = {
        key: Paper(id=key, title=key, abstract=None if key == "bare" else "A.") for key in ids
    }
    keys = {"P1": "cited", "P2": "taken out", "P3": "no line", "P4": "said nothing"}
    plan = Plan(lines=(PlanLine(number=1, keys=("P1", "P2", "P4")),))
    told: dict[str, Any] = {"keys": keys, "removed": {"taken out"}, "choices": WriteChoices(cite=4)}
    found = omissions_of(ids, papers, {"cited"}, **told, plan=plan, stopped=False)
    assert {item.paper: item.reason for item in found} == {
        "taken out": "removed",
        "no line": "not_in_plan",
        "said nothing": "nothing_to_say",
        "bare": "no_abstract",
        "beyond": "beyond_number",
    }
    stopped = omissions_of(["beyond"], papers, set(), **told, plan=plan, stopped=True)
    assert stopped[0].reason == "stopped"


def test_text_that_was_not_wholly_checked_does_not_pass() -> None:
    sentences = [Sentence(text="A {P1} and {P2}.", line=1)]
    one = [CitationVerdict(sentence=1, key="P1", paper="p1", verdict="supported")]
    assert make_audit(sentences, one).reasons == ("1 citation had no verdict",)
    assert not make_audit(sentences, one, checked=False).passed
    assert not make_audit([], []).passed
