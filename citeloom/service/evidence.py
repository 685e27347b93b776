"""What stands behind a run's result, as data: the verdict and the words for each citation, and the papers."""

from collections.abc import Iterator, Mapping
from typing import Any

from citeloom.runs.runs import RunSnapshot
from state.quote import words_of


def citations_of(view: RunSnapshot) -> Iterator[dict[str, Any]]:
    """Yield each citation of a text or an answer: its sentence, its verdict, and the words that decide it."""
    values = view.values
    match view.graph:
        case "ask":
            claims = {item["number"]: item for item in values.get("claims") or ()}
            for sentence in values.get("sentences") or ():
                for number in sentence["claims"]:
                    claim = claims.get(number) or {}
                    yield _cited(sentence, sentence["verdict"], claim, str(number))
        case "synthesize":
            for line in values.get("lines") or ():
                for origin in line["origins"]:
                    yield _cited(line, line["verdict"], origin)
        case _:
            for sentence in values.get("sentences") or ():
                uncited = sentence.get("verdict")
                for item in (*sentence["citations"], *([uncited] if uncited else ())):
                    yield _cited(sentence, item["verdict"], item, item["key"])


def _cited(
    sentence: Mapping[str, Any], verdict: str, behind: Mapping[str, Any], key: str = ""
) -> dict[str, Any]:
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


def _quoted(quote: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the words of a quote, where they stand, and whose they are."""
    if not quote:
        return {}
    part = str(quote["part"])
    return {"quote": quote["text"], "part": part, "whose": words_of(part)}


def papers_of(view: RunSnapshot) -> Iterator[dict[str, Any]]:
    """Yield the papers of a result: what it cites by number, then what else was kept, by rank."""
    values = view.values
    ranked = {
        item["paper"]["id"]: item
        for item in values.get("papers") or ()
        if isinstance(item, Mapping) and item.get("selected")
    }
    for reference in values.get("references") or ():
        found = ranked.pop(reference["paper"]["id"], {})
        yield _paper(
            reference["paper"],
            {"number": reference["number"], "entry": reference["entry"]} | _rank(found),
        )
    for paper in values.get("cited") or ():
        yield _paper(paper, {})
    for item in ranked.values():
        yield _paper(item["paper"], _rank(item))


def _rank(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return rank and score of a paper, and the first argument for and against it."""
    told: dict[str, Any] = {name: item.get(name) for name in ("rank", "score")}
    debate = item.get("debate") or {}
    for side in ("arguments_for", "arguments_against"):
        if arguments := debate.get(side):
            first = {"claim": arguments[0]["claim"], **_quoted(arguments[0].get("quote"))}
            told[side.removeprefix("arguments_")] = first
    return told


def _paper(paper: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: paper.get(name) for name in ("id", "title", "year", "venue", "url")}
    known["retracted"] = paper.get("retracted") or None
    authors = [
        item if isinstance(item, str) else item.get("name") for item in paper.get("authors") or ()
    ]
    told = {**more, **known, "authors": authors}
    return {name: worth for name, worth in told.items() if worth not in (None, "", [])}
