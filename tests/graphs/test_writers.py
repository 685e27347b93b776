"""Tests of the ways of writing: who is asked what, what is kept, what a plan and a window do."""

from collections import Counter
from typing import Any
from zlib import crc32

import pytest

from graphs.write import graph
from state.writing import MARKER, DraftRound
from tests.fakes.openai_server import OpenAIServer, inputs_of, schema_of, task_of
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import (
    ABSTRACT,
    FOUND,
    PEARS_RECORD,
    Scripted,
    bee_papers,
    context_for,
    played,
    questions,
)
from tools.run_settings import RunSettings
from tools.run_store import RunStore
from tools.settings import Settings

_LIMIT: Any = {"recursion_limit": 500}
FIVE = [paper.id for paper in bee_papers() if paper.abstract][:5]
WRITING_TASKS = {
    "choose_draft",
    "extend_draft",
    "write_section",
    "write_cited",
    "join_cited",
    "plan_section",
    "draft_section",
    "revise_draft",
}


async def write(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = {"text": ABSTRACT, "library": "bees", "papers": FIVE, **inputs}
    return dict(await graph.ainvoke(given, _LIMIT, context=context))


def with_writer(context: RunSettings, **options: Any) -> RunSettings:
    return context_for(context.clients.settings, **options)


def asked(server: OpenAIServer) -> Counter[str]:
    return Counter(
        task for request in server.requests if (task := task_of(request)) in WRITING_TASKS
    )


def supported(result: dict[str, Any]) -> bool:
    verdicts = [item for sentence in result["sentences"] for item in sentence.citations]
    return bool(verdicts) and all(item.verdict in {"supported", "partly"} for item in verdicts)


@pytest.mark.parametrize(
    "writer",
    ["whole", "plan", "beam", "per_cite", "sentence_by_sentence", "one_line"],
)
async def test_embedded_engine_cites_every_paper_in_every_way_of_writing(
    writer: str, extractive: RunSettings
) -> None:
    result = await write(with_writer(extractive, writer=writer))
    assert {item.paper.id for item in result["references"]} == set(FIVE)
    assert supported(result)
    texts = [sentence.text for sentence in result["sentences"]]
    assert len(set(texts)) == len(texts)
    assert not MARKER.search(result["related_work"])
    assert result["outcome"] == "complete"


async def test_lexrank_takes_what_is_central_and_says_what_it_left_out(
    extractive: RunSettings,
) -> None:
    result = await write(with_writer(extractive, writer="lexrank"))
    assert 1 <= len(result["sentences"]) <= len(FIVE)
    assert supported(result)
    cited = {item.paper.id for item in result["references"]}
    assert {item.paper for item in result["audit"].omissions} == set(FIVE) - cited


@pytest.mark.parametrize(
    ("writer", "expected"),
    [
        ("whole", {"draft_section": 1, "revise_draft": 1}),
        ("per_cite", {"write_cited": 5, "join_cited": 1}),
        ("sentence_by_sentence", {"write_section": 5}),
        ("plan", {"plan_section": 1, "draft_section": 1, "revise_draft": 1}),
        ("lexrank", {}),
        ("one_line", {}),
    ],
)
async def test_each_writer_asks_its_own_questions(
    writer: str, expected: dict[str, int], llm_settings: Settings
) -> None:
    result, server = await played(write, llm_settings, how={"writer": writer})
    assert asked(server) == expected
    assert result["references"]
    assert supported(result)


def varied(answer: Any, inputs: dict[str, Any]) -> Any:
    """Write another text on each axis, and behind each draft."""
    after = "indeed " * (crc32(inputs.get("so_far", "").encode()) % 7)
    for item in answer["sentences"]:
        item["text"] = (
            f"{item['text'].rstrip('.')}, {after}as to {inputs.get('axis', 'their aims').split()[-1]}."
        )
    return answer


def first(answer: Any, inputs: dict[str, Any]) -> Any:
    """Vote for what is shown first, so that votes differ."""
    return {**answer, "best": inputs["versions"][0]["label"]}


async def beam(
    settings: Settings, spoil: dict[str, Any] | None = None, **how: Any
) -> tuple[dict[str, Any], list[DraftRound], OpenAIServer]:
    """Write by beam, each draft another text; return the result, its rounds and the server."""
    script = reviewer({"extend_draft": varied} | (spoil or {}))
    with Scripted(script, settings, writer="beam", **how) as llm:
        result = await write(llm.context)
        rounds = await RunStore(llm.context.clients.memory, result["run"]).rounds.all()
    return result, rounds, llm.server


@pytest.mark.parametrize(("schedule", "agreed"), [("themed", False), ("incremental", True)])
async def test_beam_extends_each_survivor_and_votes(
    schedule: str, agreed: bool, llm_settings: Settings
) -> None:
    options: dict[str, Any] = {"samples": 2, "votes": 3, "beam": 2, "schedule": schedule}
    spoil: dict[str, Any] = {} if agreed else {"choose_draft": first}
    result, rounds, server = await beam(llm_settings, spoil, **options)
    count = asked(server)
    assert len(rounds) == (2 if schedule == "themed" else 5), "a round for each paragraph, or paper"
    known = {draft.id: draft for entry in rounds for draft in entry.drafts}
    for entry in rounds:
        tally = Counter(vote.chosen for vote in entry.votes)
        assert set(tally) <= {draft.id for draft in entry.drafts}
        assert len(entry.votes) == (2 if max(tally.values()) == 2 == tally.total() else 3)
        assert len(entry.survivors) == (1 if len(tally) == 1 else 2), "no loser of all is extended"
        for draft in entry.drafts if entry is not rounds[0] else ():
            before = known[draft.parent or ""]  # each draft can be followed back
            assert set(before.keys) < set(draft.keys), "and cites what was cited"
            if schedule == "themed":
                assert draft.sentences[: len(before.sentences)] == before.sentences
    extended = [len({draft.parent for draft in entry.drafts}) for entry in rounds[1:]]
    assert max(extended) == (1 if agreed else 2)
    assert count["choose_draft"] == sum(len(entry.votes) for entry in rounds)
    assert count["extend_draft"] == 2 + sum(2 * len(entry.survivors) for entry in rounds[:-1])
    assert {item.paper.id for item in result["references"]} == set(FIVE)


async def test_beam_counts_every_vote_and_keeps_as_many_drafts_where_asked(
    llm_settings: Settings,
) -> None:
    _, rounds, _ = await beam(llm_settings, every_vote=True, schedule="themed")
    assert [len(entry.votes) for entry in rounds] == [3, 3]
    assert [len(entry.survivors) for entry in rounds] == [2, 2]


async def test_beam_writes_in_one_round_and_from_abstracts_where_asked(
    llm_settings: Settings,
) -> None:
    result, rounds, server = await beam(llm_settings, schedule="at_once", key_elements=False)
    steps = questions(server, "extend_draft")
    assert len(rounds) == 1
    assert all(len(item["plan"]) == 2 and "later" in item for item in steps)
    assert all(paper["abstract"] for item in steps for paper in item["papers"])
    assert {item.paper.id for item in result["references"]} == set(FIVE)


async def test_beam_shows_what_stands_what_comes_and_another_axis_to_each_version(
    llm_settings: Settings,
) -> None:
    _, _, server = await beam(llm_settings, samples=3)
    votes = [request for request in server.requests if task_of(request) == "choose_draft"]
    steps = questions(server, "extend_draft")
    for group in (steps[:3], steps[3:]):
        axes = {item.get("axis") for item in group}
        assert len(axes) == 3, "two beside the plan's own"
        assert None in axes
        assert {len(item["plan"]) for item in group} == {1}
        assert all(item["plan"][0]["axis"] and item["plan"][0]["says"] for item in group)
    assert all("told" not in item for item in steps[:3])
    assert all({"P1", "P2"} == {one["key"] for one in item["told"]} for item in steps[3:])
    ballots: list[dict[str, Any]] = [inputs_of(item) for item in votes[:2]]
    orders = [tuple(one["text"] for one in item["versions"]) for item in ballots]
    assert len(set(orders)) == 2, "each vote sees another version first"
    assert all(item["later"] == ["theme number 2: They differ."] for item in steps[:3])
    assert all("so_far" not in item for item in steps[:3])
    assert all(item["later"] == [] and "{P1}" in item["so_far"] for item in steps[3:])
    assert {request["temperature"] for request in votes} == {0.7}, (
        "votes that cannot differ are one vote"
    )
    ballot: dict[str, Any] = inputs_of(votes[-1])
    assert {item["key"] for item in ballot["papers"]} == {"P3", "P4", "P5"}
    assert "{P1}" in ballot["so_far"]
    assert not any("{P1}" in item["text"] for item in ballot["versions"]), "nothing is sent twice"
    order = list(schema_of(votes[0])["properties"])
    assert order[-1] == "best", "what speaks for it comes first"


@pytest.mark.parametrize("lost", ["first", "all"])
async def test_rewriting_loses_no_paper_that_was_cited(lost: str, llm_settings: Settings) -> None:
    def forget(answer: Any, inputs: dict[str, Any]) -> Any:
        gone = [] if lost == "all" else answer["sentences"][1:]
        return {"sentences": gone, "grounds": []} if "adds" in inputs else answer

    result, _ = await played(
        write, llm_settings, {"extend_draft": forget}, {"writer": "beam", "schedule": "incremental"}
    )
    assert {item.paper.id for item in result["references"]} == set(FIVE)
    told = {item.cause for item in result["failures"] if item.subject == "draft"}
    assert told == ({"the rewritten text lost P1"} if lost == "first" else set())


def begun(text: str) -> Any:
    """Begin the section with a sentence that cites nobody."""
    return lambda answer, inputs: {"text": f"{text} {answer['text']}"}


PLAN = "4 sentences. Cite [1] on lines 1 and 3, [2] on line 2, [3] on line 4"


@pytest.mark.parametrize("writer", ["plan", "beam", "sentence_by_sentence"])
async def test_plan_is_kept_to_the_line(writer: str, extractive: RunSettings) -> None:
    result = await write(with_writer(extractive, writer=writer), plan=PLAN)
    adherence = result["audit"].adherence
    assert (adherence.lines_asked, adherence.lines_right) == (4, 4)
    assert (adherence.citations_asked, adherence.citations_in_place) == (4, 4)
    assert adherence.largest_difference == 0
    assert [[item.paper for item in sentence.citations] for sentence in result["sentences"]] == [
        [FIVE[0]],
        [FIVE[1]],
        [FIVE[0]],
        [FIVE[2]],
    ]


async def test_what_a_plan_asks_beside_papers_is_refused_aloud_without_an_llm(
    extractive: RunSettings,
) -> None:
    plan = "Cite [1].\nContrast [2] with [3].\nSay why [4] matters (25 words)."
    result = await write(extractive, plan=plan)
    told = {item.subject: item.cause for item in result["failures"]}
    assert set(told) == {"line 2", "line 3"}
    assert "“Contrast Bberg et al. with Cberg et al.”" in told["line 2"]
    assert "25 words" in told["line 3"]
    adherence = result["audit"].adherence
    assert (adherence.lines_asked, adherence.lines_right) == (3, 1)
    assert adherence.citations_in_place == 4


async def test_line_that_the_mind_leaves_out_is_written_all_the_same(
    llm_settings: Settings,
) -> None:
    def forget(answer: Any, inputs: dict[str, Any]) -> Any:
        kept = [item for item in answer["sentences"] if item["line"] != 2]
        return {**answer, "sentences": kept}

    result, server = await played(
        write,
        llm_settings,
        {"write_section": forget},
        {"writer": "plan"},
        plan="On bees [1].\nOn the moon [2].\nOn more [3].",
    )
    requests = [item for item in server.requests if task_of(item) == "write_section"]
    assert len(requests) == 2, "it is asked once more"
    assert "line 2 is missing" in str(inputs_of(requests[1])["faults"])
    assert [item.citations[0].paper for item in result["sentences"]] == FIVE[:3]


async def test_mind_that_writes_nothing_of_the_papers_leaves_the_engine_to_write(
    llm_settings: Settings,
) -> None:
    def silent(answer: Any, inputs: dict[str, Any]) -> Any:
        return {"text": "Much has been written."}

    result, _ = await played(write, llm_settings, {"draft_section": silent})
    assert {item.paper.id for item in result["references"]} == set(FIVE)
    assert "Much has been written" not in result["related_work"]
    assert "uncited_claim" in {item.cause for item in result["audit"].rejections}


async def test_mind_with_the_same_draft_each_time_needs_no_vote(llm_settings: Settings) -> None:
    result, server = await played(write, llm_settings, how={"writer": "beam"})
    assert asked(server)["choose_draft"] == 0
    assert {item.paper.id for item in result["references"]} == set(FIVE)


async def test_empty_votes_are_told_and_a_draft_survives(llm_settings: Settings) -> None:
    def silent(answer: Any, inputs: dict[str, Any]) -> Any:
        return {"best": ""}

    spoil = {"choose_draft": silent, "extend_draft": varied}
    result, _ = await played(write, llm_settings, spoil, {"writer": "beam"})
    assert {item.paper.id for item in result["references"]} == set(FIVE)
    assert all(
        "none of the versions" in item.cause
        for item in result["failures"]
        if item.stage == "choose_draft"
    )
    assert any(item.stage == "choose_draft" for item in result["failures"])


@pytest.mark.parametrize("writer", ["whole", "beam"])
async def test_small_window_costs_context_and_says_so(writer: str, llm_settings: Settings) -> None:
    settings = llm_settings.model_copy(update={"llm_context_tokens": 5200})
    long = [
        {
            "id": f"10.1234/{number}",
            "title": f"Study {number} of moths",
            "authors": [f"A Moth{number}"],
            "abstract": " ".join(
                f"Moth family {number} has trait {trait} of kind {number * 100 + trait} in wing and eye."
                for trait in range(40)
            ),
        }
        for number in range(6)
    ]
    result, _ = await played(write, settings, how={"writer": writer}, papers=long)
    assert result["stop"] is None
    assert len(result["references"]) == 6


async def test_two_papers_of_one_title_are_told_apart(extractive: RunSettings) -> None:
    pair = [
        {
            "id": f"10.1234/{name}",
            "title": "Moths and light",
            "year": 2001,
            "authors": [f"Ann {name}"],
            "abstract": f"We measure how {name} moths turn to lamps of {name} glass in the field.",
        }
        for name in ("Alder", "Birch")
    ]
    result = await write(extractive, papers=pair)
    assert {item.paper.id for item in result["references"]} == {
        "doi:10.1234/alder",
        "doi:10.1234/birch",
    }
    assert len({item.key for item in result["references"]}) == 2
    assert supported(result)


@pytest.mark.parametrize(
    ("writer", "plan", "words"),
    [
        ("per_cite", PLAN, "cannot follow a plan"),
        ("lexrank", PLAN, "cannot follow a plan"),
        ("sonnet", "", "input should be 'whole'"),
    ],
)
async def test_writer_that_cannot_do_what_is_asked_is_refused(
    writer: str, plan: str, words: str, extractive: RunSettings
) -> None:
    result = await write(with_writer(extractive, writer=writer), plan=plan)
    assert words in result["stop"].cause
    assert not result["sentences"]


async def test_words_of_a_full_text_are_read_cited_and_checked(pears: Settings) -> None:
    def read(answer: Any, inputs: dict[str, Any]) -> Any:
        (paper,) = inputs["papers"]
        (told,) = [item["text"] for item in paper["passages"] if item["section"] == "4 Results"]
        return {"papers": [{"key": paper["key"], "findings": told}]}

    def say(answer: Any, inputs: dict[str, Any]) -> Any:
        (paper,) = inputs["papers"]
        (told,) = [item["text"] for item in paper["passages"] if item["section"] == "4 Results"]
        return {"text": f"{paper['name']} {{P1}} find that {told[0].lower()}{told[1:]}"}

    def check(answer: Any, inputs: dict[str, Any]) -> Any:
        (source,) = inputs["sources"]
        words = [one["text"] for one in source.get("passages", []) if one["text"] == FOUND]
        verdict = "supported" if words else "not_in_source"
        said = {"quotes": words, "verdict": verdict}
        return {"findings": [{**item, **said} for item in answer["findings"]]}

    spoil: dict[str, Any] = {"read_papers": read, "draft_section": say, "judge_claims": check}
    result, _ = await played(write, pears, spoil, library="pears", papers=[PEARS_RECORD.id])
    (sentence,) = result["sentences"]
    (verdict,) = sentence.citations
    found = (verdict.verdict, verdict.quote.part, verdict.quote.text)
    assert found == ("supported", "passage", FOUND)
    assert result["audit"].rejections == ()
    assert result["table"].rows[0].cells["findings"].text == FOUND


def summed_up(text: str, *keys: str) -> Any:
    """Begin the section with a sentence that cites nobody and is said to rest on these."""

    def spoil(answer: Any, inputs: dict[str, Any]) -> Any:
        first = {"line": answer["sentences"][0]["line"], "text": text}
        grounds = [{"sentence": 1, "key": key, "quotes": [inputs["text"][:60]]} for key in keys]
        grounds += [{**item, "sentence": item["sentence"] + 1} for item in answer["grounds"]]
        return {"sentences": [first, *answer["sentences"]], "grounds": grounds}

    return spoil


async def test_own_sentence_of_one_paper_under_another_s_citation_is_refused_whoever_supports_it(
    llm_settings: Settings,
) -> None:
    def swap(answer: Any, inputs: dict[str, Any]) -> Any:
        said = {item["key"]: item["abstract"].split(". ")[1] for item in inputs["papers"]}
        other = answer["text"].rpartition("On the whole")[2]
        return {"text": f"{said['P2'].rstrip('.')} {{P1}}. On the whole{other}"}

    result, _ = await played(write, llm_settings, {"draft_section": swap}, papers=FIVE[:2])
    kept = {item.text for item in result["sentences"]}
    assert not any("P2" in text for text in kept)
    assert "mis_cited" in {item.cause for item in result["audit"].rejections}


async def test_sentence_on_a_paper_that_the_text_does_not_cite_is_kept_out(
    llm_settings: Settings,
) -> None:
    together = "Bees are at the centre of these studies."

    def only_one(answer: Any, inputs: dict[str, Any]) -> Any:
        kept = [item for item in answer["grounds"] if item["key"] == "P1"]
        one = {**answer, "sentences": answer["sentences"][:1], "grounds": kept}
        return summed_up(together, "P2")(one, inputs)

    def one_theme(answer: Any, inputs: dict[str, Any]) -> Any:
        lines = [line for theme in answer["themes"] for line in theme["lines"]]
        return {**answer, "themes": [{**answer["themes"][0], "lines": lines}]}

    spoil: dict[str, Any] = {"extend_draft": only_one, "plan_section": one_theme}
    result, _ = await played(write, llm_settings, spoil, {"writer": "beam"}, papers=FIVE[:2])
    assert together not in result["related_work"]
    assert {item.paper.id for item in result["references"]} == {FIVE[0]}
