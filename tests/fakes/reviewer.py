"""A scripted LLM that plays a whole review, answering each task from the inputs it is shown.

It answers well by default. A test spoils one task by giving it a function that changes the good
answer (or returns another reply altogether).
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.fakes import answerer, composer, judge, summarizer
from tests.fakes.openai_server import Reply, inputs_of, task_of

Spoil = Callable[[Any, dict[str, Any]], Reply]
_SENTENCE = re.compile(r"[^.!?]+[.!?]")


def reviewer(spoil: Mapping[str, Spoil] | None = None) -> Callable[[dict[str, Any]], Reply]:
    """Return a script for OpenAIServer.

    Args:
        spoil: By task: takes the good answer and the inputs, returns what is sent instead.
    """

    def script(request: dict[str, Any]) -> Reply:
        task, inputs = task_of(request), inputs_of(request)
        answer = _EVERY[task](inputs)
        spoiler = (spoil or {}).get(task)
        return spoiler(answer, inputs) if spoiler else answer

    return script


def sentences(text: str) -> list[str]:
    """Return the sentences of a plain text."""
    return [found.strip() for found in _SENTENCE.findall(text)] or [text]


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def _generate_queries(inputs: dict[str, Any]) -> dict[str, Any]:
    spans = sentences(inputs["text"])
    facets = ("problem", "method", "contribution")
    return {
        "queries": [
            {
                "facet": facet,
                "keywords": sorted(
                    _words(spans[place % len(spans)]), key=lambda word: (len(word), word)
                )[-3:],
                "reason": f"It is about the {facet}.",
                "sentence": spans[place % len(spans)],
            }
            for place, facet in enumerate(facets)
        ]
    }


def _fill_row(inputs: dict[str, Any]) -> dict[str, Any]:
    """Answer each question by the first words of a sentence of its own, in turn."""
    spans = [one for item in inputs["paper"]["passages"] for one in sentences(item["text"])]
    given = ((one["number"], spans[one["number"] % len(spans)]) for one in inputs["questions"])
    return {
        "answers": [
            {"question": number, "quote": span, "answer": " ".join(span.split()[:4])}
            for number, span in given
        ]
    }


def _debate(inputs: dict[str, Any]) -> dict[str, Any]:
    wanted = _words(inputs["text"])
    debates = []
    for item in inputs["candidates"]:
        own = f"{item['title']} {item['abstract']}"
        score = min(100, round(400 * len(_words(own) & wanted) / max(len(_words(own)), 1)))
        spans = sentences(item["abstract"]) if item["abstract"] else [item["title"]]
        debates.append(
            {
                "id": item["id"],
                "arguments_for": [{"claim": "It is on the topic.", "quote": spans[0]}],
                "arguments_against": [{"claim": "It differs in aim.", "quote": spans[-1]}],
                "score": score,
            }
        )
    return {"debates": debates}


def _judge_criteria(inputs: dict[str, Any]) -> dict[str, Any]:
    """Say that each criterion is met, with the first sentence as the quote."""
    debates = _debate(inputs)["debates"]
    for item in debates:
        quote = item["arguments_for"][0]["quote"]
        item["criteria"] = [
            {"number": one["number"], "met": "yes", "quote": quote} for one in inputs["criteria"]
        ]
    return {"debates": debates}


def _order(inputs: dict[str, Any]) -> dict[str, Any]:
    wanted = _words(inputs["text"])
    items = inputs["candidates"]
    shared = {
        item["id"]: len(_words(f"{item['title']} {item['abstract']}") & wanted) for item in items
    }
    return {"order": sorted(shared, key=lambda key: -shared[key])}


def _reflect(inputs: dict[str, Any]) -> dict[str, Any]:
    ids = [item.split()[0] for item in inputs["papers"]]
    facets = [
        {"name": f"facet {place}", "sentence": span, "papers": ids[:2], "keywords": []}
        for place, span in enumerate(sentences(inputs["text"])[:3])
    ]
    return {"facets": facets, "reasoning": "Everything is covered."}


def _read(inputs: dict[str, Any]) -> dict[str, Any]:
    names = ("contribution", "method", "findings", "limitations")
    return {
        "papers": [
            {"key": item["key"], **dict(zip(names, sentences(item["abstract"]), strict=False))}
            for item in inputs["papers"]
        ]
    }


def _plan_section(inputs: dict[str, Any]) -> dict[str, Any]:
    keys = [item["key"] for item in inputs["papers"]][: inputs["most"]]
    half = max(len(keys) // 2, 1)
    groups = [group for group in (keys[:half], keys[half:]) if group]
    return {
        "reasoning": "In two halves.",
        "themes": [
            {
                "label": f"theme number {place}",
                "claim": "They differ.",
                "axis": "their aims",
                "gap": "They leave much open.",
                "lines": [
                    {"role": "develop", "keys": [key], "says": "It adds to them."} for key in group
                ],
            }
            for place, group in enumerate(groups, start=1)
        ],
    }


def _extend(line: dict[str, Any], inputs: dict[str, Any], place: int) -> dict[str, Any]:
    """Write one sentence for a line: what each of its papers says first, or the input's last."""
    by_key = {item["key"]: item for item in inputs["papers"]}
    papers = [by_key[key] for key in line["keys"] if key in by_key]
    if not papers:
        basis = sentences(inputs["text"])[-1]
        return {
            "text": f"In view of these works, {basis[0].lower()}{basis[1:]}",
            "grounds": [{"sentence": place, "key": "input", "quotes": [basis]}],
        }
    parts = [
        f"{item['name']} {{{item['key']}}} say that {_first(item['abstract'] or item['title'])}"
        for item in papers
    ]
    return {
        "text": f"On the whole, {', whereas '.join(parts)}.",
        "grounds": [
            {
                "sentence": place,
                "key": item["key"],
                "quotes": [sentences(item["abstract"] or item["title"])[0]],
            }
            for item in papers
        ],
    }


def _first(text: str) -> str:
    span = sentences(text)[0].rstrip(".")
    return span[0].lower() + span[1:]


def _vote(inputs: dict[str, Any]) -> dict[str, Any]:
    best = min(inputs["versions"], key=lambda item: (len(item["text"]), item["text"]))
    return {"fluency": f"{best['label']} is the shortest.", "best": best["label"]}


def _rewrite(inputs: dict[str, Any]) -> dict[str, Any]:
    texts = {item["number"]: item["text"] for item in inputs["paragraph"]}
    lines = []
    for number in dict.fromkeys(item["sentence"] for item in inputs["faults"]):
        better = [item["instead"] for item in inputs["faults"] if item["sentence"] == number]
        keys = dict.fromkeys([*re.findall(r"\{(P\d+)\}", texts[number]), *filter(None, better)])
        lines.append({"number": number, "keys": list(keys)})
    return _write_section({**inputs, "plan": [{"lines": lines}]})


def _write_section(inputs: dict[str, Any]) -> dict[str, Any]:
    lines = [
        line
        for paragraph in inputs.get("plan", [])
        for line in paragraph.get("lines")
        or [{"number": paragraph["number"], "keys": [key]} for key in paragraph["keys"]]
    ] or [
        {"number": number, "keys": [item["key"]]}
        for number, item in enumerate(inputs["papers"], start=1)
    ]
    made = [(line, _extend(line, inputs, place)) for place, line in enumerate(lines, start=1)]
    return {
        "sentences": [{"line": line["number"], "text": item["text"]} for line, item in made],
        "grounds": [ground for _, item in made for ground in item["grounds"]],
    }


def _draft_section(inputs: dict[str, Any]) -> dict[str, Any]:
    """Write a paragraph for each of the plan's, or two; the first papers, a sentence each."""
    keys = [item["key"] for item in sorted(inputs["papers"], key=lambda item: "must" not in item)]
    keys = keys[: inputs["most"]]
    halves = [keys[: len(keys) // 2], keys[len(keys) // 2 :]]
    wanted = [part["keys"] for part in inputs.get("plan", [])] or [half for half in halves if half]
    paragraphs = [
        " ".join(_extend({"keys": [key]}, inputs, 0)["text"] for key in group) for group in wanted
    ]
    return {"text": "\n\n".join(paragraphs)}


def _revise_draft(inputs: dict[str, Any]) -> dict[str, Any]:
    """Write what a finding tells of anew, about the papers that stand or that say it instead."""
    paragraphs = inputs["section"].split("\n\n")
    changed: dict[int, str] = {}
    for sentence in dict.fromkeys(item["sentence"] for item in inputs["findings"]):
        better = [
            item.get("instead") for item in inputs["findings"] if item["sentence"] == sentence
        ]
        keys = dict.fromkeys([*re.findall(r"\{(P\d+)\}", sentence), *filter(None, better)])
        new = _extend({"keys": list(keys)}, inputs, 0)["text"]
        for number, text in enumerate(paragraphs, start=1):
            if sentence in text:
                changed[number] = changed.get(number, text).replace(sentence, new)
    return {
        "reading": "It will do.",
        "paragraphs": [{"number": number, "text": text} for number, text in changed.items()],
    }


def drafting(change: Callable[[str], str]) -> Spoil:
    """Return what changes a drafted text so."""
    return lambda answer, inputs: {**answer, "text": change(answer["text"])}


def revising(change: Callable[[str], str]) -> Spoil:
    """Return what makes a revision change the whole text so."""

    def spoil(answer: Any, inputs: dict[str, Any]) -> Reply:
        whole = dict(enumerate(inputs["section"].split("\n\n"), start=1))
        whole |= {item["number"]: item["text"] for item in answer["paragraphs"]}
        texts = change("\n\n".join(whole.values())).split("\n\n")
        texts += [""] * (len(whole) - len(texts))
        told = [{"number": number, "text": text} for number, text in enumerate(texts, start=1)]
        return {**answer, "paragraphs": told}

    return spoil


def _write_cited(inputs: dict[str, Any]) -> dict[str, Any]:
    return _write_section(inputs)


def _join_cited(inputs: dict[str, Any]) -> dict[str, Any]:
    return dict(inputs["pieces"])


def _revise_section(inputs: dict[str, Any]) -> dict[str, Any]:
    return dict(inputs["section"])


def _flag_uncited(inputs: dict[str, Any]) -> dict[str, Any]:
    numbers = [item["number"] for item in inputs["sentences"] if "studies" in item["text"].lower()]
    return {"flags": [{"number": number, "why": "It speaks of studies."} for number in numbers]}


def _cut_claims(inputs: dict[str, Any]) -> dict[str, Any]:
    said = sentences(inputs["text"])
    stated = said[1:3] or said
    return {"claims": [{"words": one, "terms": sorted(_words(one))[:3]} for one in stated]}


def _compare_claim(inputs: dict[str, Any]) -> dict[str, Any]:
    """Say that each work overlaps, by its title and all but the last two words of the claim."""
    return {
        "works": [
            {
                "key": one["key"],
                "paper_words": one["title"],
                "claim_words": " ".join(inputs["claim"].split()[:-2]),
                "missing_words": inputs["claim"].split()[-1],
                "common": "substance",
                "relation": "overlaps",
            }
            for one in inputs["works"]
        ]
    }


def _screen_by_criteria(inputs: dict[str, Any]) -> dict[str, Any]:
    """Find a criterion met where a sentence of the abstract has a word of it, with that sentence."""

    def said(number: str, criterion: str, abstract: str) -> dict[str, Any]:
        wanted = _words(criterion)
        shown = [one for one in sentences(abstract) if wanted & _words(one)]
        if number.startswith("I") and not shown:
            return {"criterion": number, "quote": sentences(abstract)[0], "met": "not_met"}
        return {
            "criterion": number,
            "quote": shown[0] if shown else "",
            "met": "met" if shown else "unclear",
        }

    return {
        "papers": [
            {
                "key": paper["key"],
                "criteria": [
                    said(number, text, paper["abstract"])
                    for number, text in inputs["criteria"].items()
                ],
            }
            for paper in inputs["papers"]
        ]
    }


_ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "generate_queries": _generate_queries,
    "cut_claims": _cut_claims,
    "compare_claim": _compare_claim,
    "fill_rows": _fill_row,
    "triage_titles": lambda inputs: {"papers": [row.split()[0] for row in inputs["titles"]]},
    "screen_by_criteria": _screen_by_criteria,
    "debate_papers": _debate,
    "judge_criteria": _judge_criteria,
    "order_papers": _order,
    "reflect_on_sufficiency": _reflect,
    "read_papers": _read,
    "plan_section": _plan_section,
    "choose_draft": _vote,
    "rewrite_unsupported": _rewrite,
    "write_section": _write_section,
    "draft_section": _draft_section,
    "revise_draft": _revise_draft,
    "extend_draft": _write_section,
    "write_cited": _write_cited,
    "join_cited": _join_cited,
    "flag_uncited": _flag_uncited,
    "revise_section": _revise_section,
}
_EVERY = _ANSWERS | answerer.ANSWERS | summarizer.ANSWERS | composer.ANSWERS | judge.ANSWERS
