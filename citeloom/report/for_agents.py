"""A result for agents: in words for a conversation, and as data, with the verdict and the words for each citation.

Both are made of the JSON that a server gives.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter

from citeloom.report.library_table import KINDS
from citeloom.report.novelty import novelty_blocks
from citeloom.report.verdicts import UNCITING
from citeloom.runs.runs import RunSnapshot
from state.novelty import ClaimNovelty
from state.quote import words_of
from tools.errors import counted

Json = Mapping[str, Any]
MOST = 60_000
"""Characters of a summary at most: a section with its references is below it."""

# --- Words ----------------------------------------------------------------------------------------


def chat_summary(view: RunSnapshot) -> str:
    """Return what a run gives, or has so far: its text with its sources, and what went wrong."""
    partial = "The result is partial." if view.outcome == "partial" else ""
    ended = f"Stopped: {view.problem}" if view.problem else partial
    lines = filter(None, [*_SUMMARIES[view.graph](view.values), ended])
    text = "\n\n".join(lines).strip() or "No results yet."
    more = f"\n\n(Cut here; run {view.run} has the rest.)"
    return text if len(text) <= MOST else text[: MOST - len(more)].rstrip() + more


def _section(values: Json) -> Iterator[str]:
    yield str(values.get("related_work") or "")
    if references := values.get("references"):
        yield "\n".join(
            ["References:", *(f"[{one['number']}] {one['entry']}" for one in references)]
        )
    audit = values.get("audit")
    if audit and values.get("related_work"):
        passed = "passed" if audit["passed"] else "did not pass: " + "; ".join(audit["reasons"])
        checked = f"{audit['supported']} of {counted(audit['citations'], 'citation')} supported"
        yield f"Citation check: {passed} ({checked}, {audit['not_checked']} not checked)."


def _papers(values: Json) -> Iterator[str]:
    papers = [one for one in values.get("papers") or () if one.get("selected")]
    if papers:
        yield f"{counted(len(papers), 'paper')} kept."
    for one in papers[:15]:
        paper, reason = one["paper"], first_arguments_of(one).get("for")
        title = f"{one['rank']}. {paper['title']} ({paper.get('year') or 'n.d.'}), {paper['id']}"
        told = f"{title}, score {one['score']:.0f}"
        yield f"{told}\n   {reason['claim']}" if reason else told
    yield (values.get("completeness") or {}).get("told") or ""


def _review(values: Json) -> Iterator[str]:
    return _section(values) if values.get("related_work") else _papers(values)


def _answer(values: Json) -> Iterator[str]:
    answer = str(values.get("answer") or "")
    spoken = (one["content"] for one in values.get("messages") or () if one.get("type") == "ai")
    *_, last = (answer, *spoken)
    yield str(last)


def _audit(values: Json) -> Iterator[str]:
    if not (audit := values.get("audit")):
        return
    passed = "The citation check passed." if audit["sentences_citing"] else UNCITING
    yield passed if audit["passed"] else "The citation check found problems:"
    yield "\n".join(f"- {reason}" for reason in audit["reasons"])
    yield from (
        f"- {item['verdict']}: {sentence['text']} ({item.get('reason') or ''})"
        for sentence in values.get("sentences") or ()
        for item in sentence["citations"]
        if item["verdict"] != "supported"
    )
    yield "\n".join(f"- {one['key']}: {one['detail']}" for one in audit.get("references") or ())


def _references(values: Json) -> Iterator[str]:
    listed = values.get("references") or ()
    yield counted(len(listed), "reference")
    for one in listed:
        outcome = (one.get("check") or {}).get("outcome", "").replace("_", " ")
        yield f"{one['number']}. {one['entry']}{outcome and f' ({outcome})'}"


def _reports(values: Json) -> Iterator[str]:
    yield "\n".join(
        f"- {one['source']}: {one['status']}, {counted(one['passages'], 'passage')}"
        for one in values.get("reports") or ()
    )


def _novelty(values: Json) -> Iterator[str]:
    claims = TypeAdapter(list[ClaimNovelty]).validate_python(values.get("claims") or [])
    yield from novelty_blocks({"mind": values.get("mind"), "claims": claims})
    if rest := values.get("uncompared"):
        yield f"{counted(len(rest), 'paper')} found and not compared: `uncompared` lists them."


def _screened(values: Json) -> Iterator[str]:
    for one in values.get("decisions") or ():
        found = [item for item in one["criteria"] if item["criterion"] == one["reason"]]
        words = with_quotes_said(found[0]["quote"]) if found else ""
        yield f"{one['paper']}: {one['decision']} {one['reason']} {words or ''} ({one['by']})"
    if left := values.get("undecided"):
        yield f"A person must decide on {counted(len(left), 'paper')}: {', '.join(left)}"


def _table(values: Json) -> Iterator[str]:
    counts = values.get("counts") or {}
    if rows := values.get("rows"):
        yield f"{len(rows)} of {counted(counts['papers'], 'paper')} read."
    for row in cells_by_question(values):
        yield "\n- ".join(f"{name}: {said}" for name, said in row.items() if name != "paper")


def cells_by_question(values: Json) -> Iterator[dict[str, Any]]:
    """Yield each row of a table with what it says to each question, in words."""
    for row in values.get("rows") or ():
        told = {name: row[name] for name in ("paper", "name", "title", "text")}
        for column, cell in zip(values["columns"], row["cells"], strict=True):
            answer = cell["answer"] or " ".join(filter(None, (KINDS[cell["kind"]], cell["cause"])))
            quote = cell["quote"] or {"place": ""}
            words = with_quotes_said(cell["quote"]) if cell["quote"] else ""
            told[column] = " ".join(filter(None, (f"{answer}.", words, quote["place"])))
        yield told


def works_by_claim(values: Json) -> Iterator[dict[str, Any]]:
    """Yield each work beside each claim, the closest first and with what was found of the claim."""
    for claim in values.get("claims") or ():
        told = {"words": claim["claim"], "found": claim["found"], "counts": claim["counts"]}
        for place, work in enumerate(claim["nearest"]):
            own = {name: worth for name, worth in work.items() if name != "similarity"}
            yield {"claim": claim["number"], **({} if place else told), **own}


_SUMMARIES: Mapping[str, Callable[[Json], Iterator[str]]] = {
    "find": _papers,
    "write": _section,
    "revise": _section,
    "review": _review,
    "ask": _answer,
    "synthesize": _answer,
    "table": _table,
    "verify": _audit,
    "references": _references,
    "novelty": _novelty,
    "screen": _screened,
    "ingest": _reports,
}

# --- Data -----------------------------------------------------------------------------------------


def citations_of(view: RunSnapshot) -> Iterator[dict[str, Any]]:
    """Yield each citation of a text or an answer: its sentence, its verdict, and the words that decide it."""
    values = view.values
    claims = {item["number"]: item for item in values.get("claims") or ()}
    for sentence in values.get("sentences") or ():
        for number in sentence.get("claims") or ():
            yield _cited(sentence, sentence["verdict"], claims.get(number) or {}, str(number))
        if "citations" in sentence:
            for item in filter(None, (*sentence["citations"], sentence.get("verdict"))):
                yield _cited(sentence, item["verdict"], item, item["key"])
    for line in values.get("lines") or ():
        for origin in line["origins"]:
            yield _cited(line, line["verdict"], origin)


def _cited(sentence: Json, verdict: str, behind: Json, key: str = "") -> dict[str, Any]:
    told = {
        "sentence": sentence["number"],
        "text": sentence["text"],
        "key": key,
        "paper": behind.get("paper"),
        "verdict": verdict,
        "cause": behind.get("cause"),
        "reason": behind.get("reason"),
        "by": behind.get("by"),
        **_quoted(behind.get("quote")),
        "further": [_quoted(item) for item in behind.get("further") or ()],
    }
    return {name: worth for name, worth in told.items() if worth}


def _quoted(quote: Json | None) -> dict[str, Any]:
    """Return the words of a quote, where they stand, and whose they are."""
    if not quote:
        return {}
    part = str(quote["part"])
    return {"quote": quote["text"], "part": part, "whose": words_of(part)}


def papers_of(view: RunSnapshot) -> Iterator[dict[str, Any]]:
    """Yield the papers of a result: what it cites by number, then what else was kept, by rank."""
    values = view.values
    kept = [item for item in values.get("papers") or () if isinstance(item, Mapping)]
    ranked = {item["paper"]["id"]: item for item in kept if item.get("selected")}
    for item in values.get("references") or ():
        more = {"number": item["number"], "entry": item["entry"]}
        yield _paper(item["paper"], more | _rank(ranked.pop(item["paper"]["id"], {})))
    yield from (_paper(paper, {}) for paper in values.get("cited") or ())
    yield from (_paper(item["paper"], _rank(item)) for item in ranked.values())


def _rank(item: Json) -> dict[str, Any]:
    """Return rank and score of a paper, and the first argument for and against it."""
    told = {name: item.get(name) for name in ("rank", "score", "criteria")}
    sides = first_arguments_of(item).items()
    return told | {
        side: {"claim": one["claim"], **_quoted(one.get("quote"))} for side, one in sides
    }


def first_arguments_of(item: Json) -> dict[str, Json]:
    """Return the first argument 'for' and 'against' a paper, so far as there is one."""
    debate = item.get("debate") or {}
    sides = {side: debate.get(f"arguments_{side}") for side in ("for", "against")}
    return {side: arguments[0] for side, arguments in sides.items() if arguments}


def _paper(paper: Json, more: Json) -> dict[str, Any]:
    known = {name: paper.get(name) for name in ("id", "title", "year", "venue", "url")}
    known["retracted"] = paper.get("retracted") or None
    people = paper.get("authors") or ()
    authors = [item if isinstance(item, str) else item.get("name") for item in people]
    told = {**more, **known, "authors": authors}
    return {name: worth for name, worth in told.items() if worth not in (None, "", [])}


def with_quotes_said(worth: Any) -> Any:
    """Return a value of a run with one line in place of each quote: its words, after whose they are."""
    if isinstance(worth, list):
        return [with_quotes_said(item) for item in worth]
    if not isinstance(worth, Mapping):
        return worth
    quote = (
        worth["quote"] if worth.keys() == {"text", "quote"} else worth
    )  # a cell begins its quote
    if "words_of" in quote:
        return f"{words_of(quote['part'])}: “{quote['text']}”"
    return {name: with_quotes_said(item) for name, item in worth.items()}
