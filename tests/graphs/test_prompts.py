"""nodes.common.prompt_overrides.py: a user's own prompts are taken as they are, or refused with what to do."""

from pathlib import Path

import pytest

from nodes.common.prompt_overrides import all_tasks, check_prompts, tasks_of
from tests.fakes.openai_server import task_of
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import Scripted, played
from tests.graphs.test_writers import write
from tools.errors import InputError
from tools.settings import Settings


def test_every_prompt_that_comes_with_the_program_may_stand_in_a_folder(tmp_path: Path) -> None:
    for _, task in all_tasks():
        (tmp_path / f"{task.name}.txt").write_text(task.prompt, encoding="utf-8")
    check_prompts(tmp_path)
    assert len(tasks_of("generate_queries")) > 1, "a run asks one of them"


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("draft_sections", "Write.", "did you mean 'draft_section'"),
        ("draft_section", " \n", "is empty: delete it"),
        ("draft_section", "Write of `papers` and `authors`.", "names `authors`, which this"),
        ("draft_section", "\ud800", "cannot be read"),
    ],
)
def test_prompt_that_cannot_be_used_is_refused(
    tmp_path: Path, name: str, text: str, why: str
) -> None:
    (tmp_path / f"{name}.txt").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError) as caught:
        check_prompts(tmp_path)
    assert why in str(caught.value)


def test_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        check_prompts(tmp_path / "prompts")


async def test_model_is_asked_in_the_users_words_and_its_answer_is_checked_all_the_same(
    llm_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "draft_section.txt").write_text("Write of `papers`, in verse.", encoding="utf-8")
    settings = llm_settings.model_copy(update={"prompts": tmp_path})
    result, server = await played(write, settings)
    asked = {task_of(item): item["messages"][0]["content"] for item in server.requests}
    assert asked["draft_section"].startswith("Write of `papers`, in verse.")
    assert asked["revise_draft"] == asked["draft_section"], "one conversation"
    assert result["audit"].passed
    gone = settings.model_copy(update={"prompts": tmp_path / "none"})
    monkeypatch.setattr("graphs.calling.settings", lambda: gone)
    with Scripted(reviewer(), settings) as llm, pytest.raises(InputError, match="is not a folder"):
        await write(llm.context)
