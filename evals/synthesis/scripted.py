"""A scripted LLM for `synthesize` whose answers do not depend on how much it is asked at once.

What it says of a paragraph, or of a pair of lines, is the same whether it is asked about that one alone
or about many: so LLM-Ref's way, one by one, and the batched way can be told to give the same, or not.

summarize_paragraphs  The first sentences, 40 words at most.
judge_relevance       A paragraph helps when its summary has at least two of the question's words.
synthesize_answer     Of each paragraph the sentence with most of the question's words, joined with the
                      next best where that has two of them as well; added to what stands there.
align_lines/_pair     Lines are related when one has most of the words of the other.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.fakes.openai_server import Reply, inputs_of, task_of
from tools.text.sentences import split_sentences

Inputs = Mapping[str, Any]
_SMALL = frozenset(
    ["what", "which", "where", "when", "does", "with", "from", "that", "this", "have", "they", "their"]
)  # fmt: skip
_SHARED = 2
"""Words of the question that make a paragraph or a sentence relevant."""
_MOST = 0.8
"""Share of the words of one line in another from which they are related."""
_NAMED = 4
"""Most source lines named for a line, as the prompt asks."""
_SUMMARY_WORDS, _PARAGRAPH = 40, 700
"""Words of a summary; characters from which a paragraph of the text is long enough."""


def script(request: dict[str, Any]) -> Reply:
    """Answer one request; see tests.fakes.openai_server."""
    return answer(task_of(request), inputs_of(request))


def answer(task: str, inputs: Inputs) -> dict[str, Any]:
    """Answer one task from the inputs it is shown."""
    return _ANSWERS[task](inputs)


def words(text: str) -> set[str]:
    """Return the words that count: of four letters or more, without the commonest."""
    return set(re.findall(r"[a-z]{4,}", text.lower())) - _SMALL


def related(line: str, source: str) -> bool:
    """Whether a line takes something from a source line."""
    said, told = words(line), words(source)
    shared = len(said & told)
    return shared > 1 and shared >= _MOST * min(len(said), len(told))


def told_of(paragraph: str, question: str) -> str:
    """Return the line that is made of one paragraph; empty where nothing in it helps."""
    asked = words(question)
    spans = [span.text.strip() for span in split_sentences(paragraph)]
    near = [span for span in spans if len(words(span) & asked) >= _SHARED and len(span) > 40]
    near.sort(key=lambda span: -len(words(span) & asked))
    chosen = sorted(near[:2], key=spans.index)
    if not chosen:
        return ""
    # Without its last word a line is no copy, and its sources are asked for.
    parts = [span.rsplit(" ", 1)[0].rstrip(" .!?;:") for span in chosen]
    return f"{'; '.join(parts)}."


def _summarize(inputs: Inputs) -> dict[str, Any]:
    return {
        "summaries": [
            {"id": item["id"], "summary": " ".join(item["text"].split()[:_SUMMARY_WORDS])}
            for item in inputs["paragraphs"]
        ]
    }


def _judge(inputs: Inputs) -> dict[str, Any]:
    asked = words(inputs["question"])
    helping = [
        item["id"]
        for item in inputs["paragraphs"]
        if len(words(item["summary"]) & asked) >= _SHARED
    ]
    return {"ids": helping}


def _synthesize(inputs: Inputs) -> dict[str, Any]:
    made = [part for part in str(inputs.get("answer_so_far", "")).split("\n\n") if part]
    for source in inputs["sources"]:
        for paragraph in source["paragraphs"]:
            line = told_of(paragraph, inputs["question"])
            so_far = "\n".join(made)
            size = len(so_far.split()) + len(line.split())
            if not line or line in so_far or size > int(inputs["most_words"]):
                continue
            if made and len(made[-1]) < _PARAGRAPH:
                made[-1] += f" {line}"
            else:
                made.append(line)
    return {"paragraphs": made}


def _align(inputs: Inputs) -> dict[str, Any]:
    lines = []
    for line in inputs["lines"]:
        near = [item for item in inputs["sources"] if related(line["text"], item["text"])]
        near.sort(key=lambda item: -len(words(item["text"]) & words(line["text"])))
        sources = [
            {"id": item["id"], "words": " ".join(item["text"].split()[:8])} for item in near[:_NAMED]
        ]  # fmt: skip
        says = "yes" if sources else "no"
        lines.append({"number": line["number"], "sources": sources, "says": says})
    return {"lines": lines}


def _pair(inputs: Inputs) -> dict[str, Any]:
    return {"related": related(inputs["line"], inputs["source"])}


_ANSWERS: dict[str, Callable[[Inputs], dict[str, Any]]] = {
    "summarize_paragraphs": _summarize,
    "judge_relevance": _judge,
    "synthesize_answer": _synthesize,
    "align_lines": _align,
    "align_pair": _pair,
}
