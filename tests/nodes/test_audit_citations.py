"""nodes/write: what fails a text, what a stopped run can still tell, and what a text has of its plan."""

from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.write.adherence import measure_adherence
from nodes.write.audit_citations import audit_citations, make_audit
from state.audit import ReferenceFinding
from state.quote import Quote
from state.run import Failure
from state.writing import Adherence, CitationVerdict, Draft, Plan, PlanLine, Rejection, Sentence
from tests.fakes.made_papers import made_papers
from tests.fakes.openai_server import Reply
from tests.graphs.conftest import Scripted
from tools.bibliography.read_record import paper_from
from tools.services import open_services
from tools.settings import Settings

PAPERS = {f"P{place}": paper_from(item) for place, item in enumerate(made_papers(4), start=1)}
KEYS = {key: paper.id for key, paper in PAPERS.items()}
SENTENCES = (
    Sentence(text="Lichens bleach {P1}.", line=1),
    Sentence(text="Recent studies agree on it.", line=2),
)


def verdict(name: str, cause: str = "", key: str = "P1") -> CitationVerdict:
    return CitationVerdict(
        sentence=1,
        key=key,
        paper=KEYS[key],
        verdict=name,  # type: ignore[arg-type]
        cause=cause,  # type: ignore[arg-type]
    )


async def audited(reply: Reply, settings: Settings, **changes: Any) -> tuple[dict[str, Any], int]:
    """Return what the node writes, and how often the mind was asked."""
    with Scripted(lambda request: reply, settings) as llm:
        runtime = Runtime(context=llm.context, store=InMemoryStore())
        retracted = PAPERS["P2"].model_copy(update={"retracted": True})
        await open_services(runtime, "run").run_store.papers.put([*PAPERS.values(), retracted])
        state: Any = {
            "run": "run",
            "final": Draft(id="d", sentences=SENTENCES),
            "verdicts": [verdict("supported")],
            "checks": 1,
            "keys": KEYS,
            "selected": list(KEYS.values()),
            "removed": [],
            "rejections": [],
            "failures": [],
            **changes,
        }
        return dict(await audit_citations(state, runtime)), len(llm.server.requests)


NOTHING: Any = {"flags": []}


async def test_stopped_run_is_audited_as_far_as_it_came_and_nobody_is_asked(
    settings: Settings,
) -> None:
    stop = Failure(stage="check", subject="run", cause="the budget is spent", fatal=True)
    update, asked = await audited(NOTHING, settings, failures=[stop], verdicts=[], checks=0)
    audit = update["audit"]
    assert asked == 0
    assert audit.uncited_claims == ()
    assert "CiteLoom did not check the citations" in audit.reasons
    assert {item.reason for item in audit.omissions} == {"stopped"}
    assert {item.paper for item in audit.omissions} == {KEYS["P2"], KEYS["P3"], KEYS["P4"]}


async def test_retracted_paper_fails_the_text_only_where_it_is_cited(settings: Settings) -> None:
    flagged, asked = await audited({"flags": [{"number": 2, "why": "It is others'."}]}, settings)
    assert [item.sentence for item in flagged["audit"].uncited_claims] == [2]
    assert (flagged["audit"].passed, asked) == (False, 1)
    update, _ = await audited(NOTHING, settings)
    assert update["audit"].references == ()
    assert update["audit"].passed
    cites = Draft(id="d", sentences=(Sentence(text="Otters cross {P2}.", line=1),))
    update, _ = await audited(
        NOTHING, settings, final=cites, verdicts=[verdict("supported", key="P2")]
    )
    assert [(item.key, item.cause) for item in update["audit"].references] == [("P2", "retracted")]
    assert update["audit"].reasons == ("1 cited paper: it was retracted",)


async def test_paper_is_told_as_removed_also_where_its_sentence_was_written_anew(
    settings: Settings,
) -> None:
    kept_out = [
        Rejection(
            stage="s",
            line=1,
            sentence="x",
            key=key,
            paper=KEYS[key],
            cause="mis_cited",
            detail="x",
            action=action,  # type: ignore[arg-type]
            by="x",
        )
        for key, action in (("P2", "rewritten"), ("P3", "asked_again"))
    ]
    plan = Plan(lines=(PlanLine(number=1, keys=("P1", "P2", "P3")),))
    gone = [verdict("contradicted", key="P4")]
    update, _ = await audited(NOTHING, settings, rejections=kept_out, outline=plan, removed=gone)
    assert {item.paper: item.reason for item in update["audit"].omissions} == {
        KEYS["P2"]: "removed",
        KEYS["P3"]: "nothing_to_say",
        KEYS["P4"]: "removed",
    }
    assert update["audit"].rejections == tuple(kept_out)
    assert update["audit"].adherence


@pytest.mark.parametrize(
    ("name", "cause", "reason"),
    [
        ("contradicted", "mis_cited", "1 citation: the paper says the opposite"),
        ("not_in_source", "mis_cited", "1 citation: the paper does not say it"),
        (
            "not_in_source",
            "no_verified_quote",
            "1 citation: CiteLoom found no words of the paper for it",
        ),
        (
            "not_in_source",
            "fabricated",
            "1 reference: likely invented: no such paper found",
        ),
        (
            "not_in_source",
            "unresolved",
            "1 reference: not in the reference list, or without a record",
        ),
        ("supported", "retracted", "1 cited paper: it was retracted"),
        ("not_checked", "not_verbatim", "1 citation: not checked"),
        ("not_checked", "no_abstract", "1 citation: not checked"),
        ("partly", "", ""),
        ("supported", "superseded", ""),
    ],
)
def test_each_fault_fails_the_text_with_its_reason(name: str, cause: str, reason: str) -> None:
    audit = make_audit(SENTENCES[:1], [verdict(name, cause)])
    assert audit.reasons == ((reason,) if reason else ())
    assert audit.passed is not bool(reason)


def test_audit_says_who_checked_what_and_passes_only_what_was_checked() -> None:
    title = Quote(text="How", paper=KEYS["P2"], part="title", start=0, end=3, verified=True)
    noted = title.model_copy(update={"part": "annotation"})
    own = verdict("supported").model_copy(update={"by": "code", "quote": noted})
    named = verdict("not_checked", "no_abstract", "P2").model_copy(update={"quote": title})
    by_llm = verdict("partly", "", "P3").model_copy(update={"by": "scripted"})
    cites = (Sentence(text="A {P1}, {P2}, {P3}.", line=1),)
    audit = make_audit(cites, [own, named, by_llm])
    assert audit.passed, "a title told of a paper without abstract claims nothing else"
    assert audit.notes == (
        "1 citation checked by code: word for word the annotation",
        "1 citation judged by scripted",
        "1 citation not checked: no abstract; the text gives only the title",
    )
    open_ = verdict("not_checked", "not_verbatim", "P3")
    audit = make_audit(cites, [own, named, open_])
    assert (audit.passed, audit.reasons) == (False, ("1 citation: not checked",))
    assert "no LLM configured" in audit.notes[-1]


def test_same_reference_is_counted_once_whether_the_list_or_the_text_has_it() -> None:
    def finding(cause: str, paper: str = "") -> ReferenceFinding:
        return ReferenceFinding(key="P1", paper=paper, cause=cause, detail="x", remedy="x")  # type: ignore[arg-type]

    made_up = make_audit(
        SENTENCES[:1], [verdict("not_in_source", "fabricated")], references=[finding("fabricated")]
    )
    assert made_up.reasons == ("1 reference: likely invented: no such paper found",)
    gone = finding("retracted", KEYS["P1"])
    both = make_audit(SENTENCES[:1], [verdict("supported", "retracted")], references=[gone])
    assert both.reasons == ("1 cited paper: it was retracted",)
    listed = make_audit(SENTENCES[:1], [verdict("supported")], references=[gone])
    assert listed.reasons == ("1 cited paper: it was retracted",)


# nodes/write/adherence.py: what a text has of its plan, counted.


def plan(*lines: str, words: int | None = None, paragraphs: str = "") -> Plan:
    """A plan; 'P1 P2' is a line that cites two papers, `paragraphs` such as '112' their places."""
    return Plan(
        lines=tuple(
            PlanLine(
                number=number,
                keys=tuple(keys.split()),
                paragraph=int(paragraphs[number - 1]) if paragraphs else 1,
            )
            for number, keys in enumerate(lines, start=1)
        ),
        words=words,
        origin="user",
    )


def written(*texts: tuple[int, str]) -> list[Sentence]:
    return [Sentence(text=text, line=line) for line, text in texts]


def test_text_that_follows_its_plan_is_right_in_all_its_lines() -> None:
    text = written(
        (1, "Lee et al. {P1} graft pears."),
        (2, "Kim {P2} and Roe {P3} plant them."),
        (3, "We prune."),
    )
    assert measure_adherence(plan("P1", "P2 P3", "", words=12), text) == Adherence(
        lines_asked=3,
        lines_written=3,
        lines_right=3,
        mean_difference=0.0,
        largest_difference=0,
        citations_asked=3,
        citations_in_place=3,
        words_asked=12,
        words_written=12,
    )


@pytest.mark.parametrize(
    ("text", "right", "in_place", "why"),
    [
        ([(1, "Lee {P1} grafts."), (2, "Kim {P2} plants.")], 2, 2, "as asked"),
        (
            [(1, "Lee {P1} grafts as Kim {P2}."), (2, "Kim {P2} plants.")],
            1,
            2,
            "one citation too many",
        ),
        ([(1, "Kim {P2} plants."), (2, "Lee {P1} grafts.")], 0, 0, "the lines changed places"),
        ([(1, "Lee {P1} grafts."), (2, "Kim plants.")], 1, 1, "a citation that is missing"),
        (
            [(1, "Lee {P1} grafts. It works."), (2, "Kim {P2} plants.")],
            1,
            2,
            "two sentences in a line",
        ),
        (
            [(1, "Lee {P1} grafts."), (1, "It works."), (2, "Kim {P2} plants.")],
            1,
            2,
            "two for a line",
        ),
        ([(2, "Kim {P2} plants.")], 1, 1, "a line that is missing"),
        ([(1, ""), (2, "Kim {P2} plants.")], 1, 1, "a line without a word"),
        (
            [(1, "Lee {P1} grafts."), (2, "Kim {P2} plants."), (3, "More {P1}.")],
            2,
            2,
            "a line too many",
        ),
        ([], 0, 0, "no text"),
    ],
)
def test_lines_and_citations_count_where_they_stand(
    text: list[tuple[int, str]], right: int, in_place: int, why: str
) -> None:
    found = measure_adherence(plan("P1", "P2"), written(*text))
    assert (found.lines_right, found.citations_in_place) == (right, in_place), why
    assert (found.lines_asked, found.citations_asked) == (2, 2)


@pytest.mark.parametrize(
    ("counts", "mean", "largest"),
    [
        ((2, 1), 0.0, 0),
        ((3, 1), 0.5, 1),
        ((1, 2), 0.0, 1),
        ((0, 1), -1.0, 2),
        ((6, 2), 2.5, 4),
    ],
)
def test_differences_are_taken_paragraph_by_paragraph(
    counts: tuple[int, int], mean: float, largest: int
) -> None:
    asked = plan("P1", "P1", "P1", paragraphs="112")
    text = written((1, "It works. " * counts[0]), (3, "It works. " * counts[1]))
    found = measure_adherence(asked, text)
    assert (found.mean_difference, found.largest_difference) == (mean, largest)
    assert found.lines_written == sum(counts)


def test_line_that_asks_for_more_than_papers_is_not_right_where_nothing_was_composed() -> None:
    lines = (
        PlanLine(number=1, keys=("P1",), note="Cite {P1}"),
        PlanLine(number=2, keys=("P2",), note="Contrast {P2} with the others"),
        PlanLine(number=3, keys=("P3",), words=20),
    )
    plan = Plan(lines=lines, origin="user")
    sentences = [Sentence(text=f"Lee {{P{at}}} shows it.", line=at) for at in (1, 2, 3)]
    assert measure_adherence(plan, sentences).lines_right == 3
    assert measure_adherence(plan, sentences, composed=False).lines_right == 1
