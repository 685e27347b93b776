"""`python -m evals.prompts` writes docs/prompts.md: each question that is put to a mind.

The page is made from the tasks themselves, so a test can hold that it is current.
"""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nodes.common.prompt_overrides import all_tasks
from tools.llm.endpoint import FLOOR
from tools.llm.structured_output import SchemaForms, schema_forms
from tools.llm.task import PREFACE, Task, count_tokens

PAGE = Path(__file__).parents[1] / "docs" / "prompts.md"
_INTRO = f"""# Prompts

Every question that is put to a mind, made from the code by `python -m evals.prompts`. A question is a system message
(the prompt, the same each time) and a user message (the inputs, each in a fence of its own), beside the schema of the
answer ([models](models.md) says where that is sent). The user message begins with:

> {PREFACE}

*Fixed* are the tokens of a question without its inputs: prompt and schema, as an estimate that leans high. *Answer* is
the room for the answer alone; the limit that is sent is at least {FLOOR:,}, and more for a model that
thinks. Without an LLM the embedded engine answers from the same inputs.

"""
_REVIEW = {
    "generate_queries": (1, 616),
    "debate_papers": (7, 1_720),
    "reflect_on_sufficiency": (1, 1_983),
    "draft_section": (1, 4_150),
    "read_papers": (2, 1800),
    "judge_claims": (4, 2_180),
    "revise_draft": (1, 5_010),
}
"""Questions by task, and their mean tokens in."""


def page() -> str:
    """Return the page's text."""
    rows, parts = [], []
    for file, task in all_tasks():
        shapes = schema_forms(task.answer, task.name)  # type: ignore[arg-type]  # of any model
        fixed = sum(map(count_tokens, (PREFACE, task.prompt, shapes.text)))
        rows.append(
            f"| `{task.name}` | {task.tier} | {fixed:,} | {task.max_output_tokens:,} | `{file}` |"
        )
        parts.append("\n".join(_part(task, shapes)))
    asked = [f"{count} of `{name}` with {tokens:,}" for name, (count, tokens) in _REVIEW.items()]
    review = (
        "A `review` of the starter library that kept 20 papers and cited 10 asked of a capable LLM, with mean\n"
        f"tokens in of the messages at four characters each:\n{', '.join(asked)}.\n"
    )
    return "\n".join(
        [
            _INTRO + "| task | tier | fixed | answer | in |\n|---|---|---|---|---|",
            *rows,
            "",
            review,
            *parts,
        ]
    )


def _part(task: Task[Any], shapes: SchemaForms) -> Iterator[str]:
    """Yield the lines on one task."""
    _, *inputs = inspect.signature(task.extract).parameters.values()
    names = [f"`{item.name}`" for item in inputs if item.kind is not item.VAR_KEYWORD]
    more = ["others that only an LLM is shown"] if len(names) < len(inputs) else []
    yield f"## {task.name}\n"
    yield f"Inputs: {', '.join(names + more)}\n"
    yield f"```text\n{task.prompt.strip()}\n```\n"
    yield from _fields(shapes.plain, shapes.plain.get("$defs", {}), "")
    yield ""


def _fields(schema: dict[str, Any], known: dict[str, Any], indent: str) -> Iterator[str]:
    """Yield a line for each field of an answer, and those of its parts below it."""
    for name, field in schema.get("properties", {}).items():
        inner = field.get("items", field)
        inner = known.get(str(inner.get("$ref", "")).rpartition("/")[2], inner)
        said = f": {field['description']}" if "description" in field else ""
        yield f"{indent}- `{name}` ({_kind(field, inner)}){said}"
        yield from _fields(inner, known, f"{indent}  ")


def _kind(field: dict[str, Any], inner: dict[str, Any]) -> str:
    words = " or ".join(f"`{word}`" for word in inner.get("enum", ()))
    kinds = [item.get("type", "object") for item in field.get("anyOf", [inner])]
    return f"{'list of ' if 'items' in field else ''}{words or ' or '.join(kinds)}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
