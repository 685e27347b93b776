"""Settings from the environment, from .env and from a user's config.toml: which wins, what is refused."""

from pathlib import Path
from traceback import format_exception

import pytest

from tests.cli.commands import run
from tools.settings import SettingsError, config_file, settings

KEY = "a-key-that-nobody-may-see"


def configured(text: str, mode: int = 0o600) -> Path:
    path = config_file()
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("variable", "value", "why"),
    [
        ("CITELOOM_LLM_TIMEOUT", "abc", "valid number"),
        ("CITELOOM_LLM_CONCURRENCY", "0", "greater than or equal to 1"),
        ("CITELOOM_FAST_PRICE", "cheap", "valid tuple"),
    ],
)
@pytest.mark.parametrize("command", ["library list", "doctor", "ask why?"])
def test_bad_number_is_a_sentence_that_names_its_variable(
    home: Path, monkeypatch: pytest.MonkeyPatch, command: str, variable: str, value: str, why: str
) -> None:
    monkeypatch.setenv(variable, value)
    result = run(*command.split(maxsplit=1), code=2)
    assert f"citeloom: {variable} cannot be '{value}': " in result.stderr
    assert why in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_environment_wins_over_env_file_and_that_over_the_users_file(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = configured(
        f'llm_timeout = 1\nllm_concurrency = 1\nopenalex_api_key = "{KEY}"\nserpapi_api_key = "{KEY}"\n'
        'fast_price = [0.5, 1]\nspeech_voice = "en-gb"\n'
    )
    (home.parent / ".env").write_text("CITELOOM_LLM_TIMEOUT=2\nCITELOOM_LLM_CONCURRENCY=2\n")
    monkeypatch.setenv("CITELOOM_LLM_CONCURRENCY", "3")
    monkeypatch.setenv("OPENALEX_API_KEY", "another-key")
    result = run("doctor")
    found = settings()
    assert (found.llm_timeout, found.llm_concurrency) == (2, 3)
    assert (found.fast_price, found.speech_voice) == ((0.5, 1.0), "en-gb")
    assert found.openalex_api_key is not None
    assert found.openalex_api_key.get_secret_value() == "another-key"
    assert found.serpapi_api_key is not None
    assert found.serpapi_api_key.get_secret_value() == KEY
    assert str(path) in result.stdout
    assert KEY not in result.output + repr(found)


@pytest.mark.parametrize(
    ("text", "mode", "why"),
    [
        ("strong_modle = 'm'", 0o600, "sets strong_modle, which is not a setting"),
        ("strong_model", 0o600, "cannot be read as TOML"),
        ("llm_timeout = 'long'", 0o644, "as llm_timeout, in"),
        (
            f"llm_api_key = '{KEY}'",
            0o640,
            "holds llm_api_key and others may read it: run `chmod 600",
        ),
        (f"llm_api_key = ['{KEY}']", 0o600, "CITELOOM_LLM_API_KEY cannot be what it is"),
    ],
)
def test_users_file_that_cannot_be_used_is_named_and_no_key_is_shown(
    home: Path, text: str, mode: int, why: str
) -> None:
    path = configured(text, mode)
    result = run("library", "list", code=2)
    assert why in result.stderr
    assert str(path) in result.stderr
    with pytest.raises(SettingsError) as caught:
        settings()
    assert KEY not in result.output + "".join(format_exception(caught.value))


@pytest.mark.parametrize("command", ["ask", "find"])
def test_model_to_which_nothing_leads_is_an_error_and_no_other_engine_answers(
    home: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("CITELOOM_STRONG_MODEL", "gpt-x")
    question = "How do language models rank the papers of a review?"
    result = run(command, question, "--library", "small")
    assert result.exit_code != 0
    assert "the model gpt-x is set without a key or endpoint" in result.output
    assert "CITELOOM_LLM_API_KEY" in result.output
    run("doctor", code=1)
    run("ask", question, "--library", "small", "--mind", "extractive", code=0)


def test_prompts_are_listed_and_printed(home: Path) -> None:
    listed = run("prompts")
    assert "draft_section" in listed.stdout
    assert run("prompts", "judge_claims").stdout.startswith("You check whether the sources")
    assert "did you mean 'judge_claims'" in run("prompts", "judge_claim", code=2).output
