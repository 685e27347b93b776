"""Input that cannot be used: one clear sentence, an exit code, no traceback, nothing invented."""

from pathlib import Path

import pytest

from tests.cli.commands import PAGE, Done, call, variables
from tests.cli.conftest import Cite
from tests.support import ABSTRACT, SMALL

REVIEW = ("review", ABSTRACT, "--library", SMALL)

CHINESE = (
    "撰写文献综述需要研究人员花费数周时间，因为相关论文分散在许多会议和期刊中。我们提出一个智能体，"
    "它检索候选论文，沿着引文图扩展，并逐字检查每一条引用。结果表明，检查引文可以去除大多数没有依据的说法。"
)
VOLCANO = (
    "Basaltic andesite lavas of an arc volcano record mantle melting and crustal assimilation. We "
    "measured strontium and neodymium isotope ratios, trace elements and olivine-hosted melt "
    "inclusions in forty tephra layers. The magmas stalled in a shallow reservoir where plagioclase "
    "and clinopyroxene crystallised before eruption. Degassing of sulphur and chlorine preceded "
    "each eruption by several days."
)


def the_sentence(done: Done) -> str:
    """Return what went wrong, in the one line that says so."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("citeloom: ")]
    assert len(lines) == 1, done.stderr
    return lines[0].removeprefix("citeloom: ")


def assert_refused(done: Done, message: str) -> None:
    """Check that it is said and that there is no text and no reference: at most the record of what went wrong."""
    assert done.code in {1, 2}
    assert message in the_sentence(done)
    assert (done.stdout, done.files - {"run.json"}) == ("", set())


# --- The text ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no input: give a text file, '-' for standard input"),
        ("", "no input: give a text file"),
        ("two words", "the input has 2 words: give an abstract, or at least a question or idea"),
        (CHINESE, "seems to be in Chinese, but embedded mode reads only English"),
        ("nowhere.md", "there is no file 'nowhere.md': check the path, or give the abstract"),
        ("/nowhere/abstract", "there is no file '/nowhere/abstract': check the path"),
        ("paper.pdf", "there is no file 'paper.pdf'"),
    ],
    ids=["none", "empty", "two words", "Chinese", "file", "path", "pdf"],
)
def test_text_that_cannot_be_used_is_refused(cite: Cite, text: str | None, message: str) -> None:
    given = [] if text is None else [text]
    done = cite("review", *given, "--library", SMALL)
    assert_refused(done, message)
    assert done.files == set(), "nothing was made, and nothing is left"


def test_number_out_of_range_is_told_in_plain_words(cite: Cite) -> None:
    assert_refused(cite(*REVIEW, "--keep", "0"), "keep: must be greater than or equal to 1")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.txt", b"", "the input has 0 words"),
        ("long.txt", b"word and word " * 15_000, "210,000 characters; the maximum is 20,000"),
        ("huge.txt", b"word " * 500_000, "is larger than 2 MB: give the abstract, not the paper"),
        ("noise.bin", bytes(range(256)) * 40, "is not UTF-8 text"),
        ("nul.txt", b"An abstract\0of a paper " * 9, "is not text (it looks like a binary file)"),
        ("paper.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "paper.pdf is damaged: no PDF document"),
        ("latin.txt", "Über die Bäume und Gärten".encode("latin-1"), "is not UTF-8 text"),
    ],
)
def test_file_that_cannot_be_used_is_refused(
    cite: Cite, home: Path, name: str, content: bytes, message: str
) -> None:
    (home.parent / name).write_bytes(content)
    assert_refused(cite("review", name, "--library", SMALL), message)


def test_folder_is_no_input(cite: Cite, home: Path) -> None:
    (home.parent / "papers").mkdir()
    assert_refused(cite("review", "papers"), "'papers' is a folder: give a text or Markdown file")


def test_text_without_a_relevant_paper_gets_no_section(cite: Cite) -> None:
    done = cite("review", VOLCANO, "--library", SMALL)
    assert (done.code, done.stdout) == (1, "")
    assert "no paper of the library 'small' is relevant" in the_sentence(done)
    assert "search other sources" in the_sentence(done)
    assert done.files == {"papers.json", "run.json"} | PAGE
    assert [item for item in done.papers["papers"] if item["selected"]] == []
    assert done.run["references"] == []


# --- Where to search, and with what -----------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--library", "nowhere"), "there is no library 'nowhere': choose one of small, starter"),
        (("--library", "../small"), "'../small' cannot be a library's name"),
        (("--source", "pubmed"), "there is no source 'pubmed'; there are: library"),
        (("--before", "yesterday"), "the cut-off 'yesterday' is not a date: give it as YYYY-MM-DD"),
        (("--before", "2020-13-01"), "the cut-off '2020-13-01' is not a date"),
        (
            ("--before", "1900-01-01"),
            "CiteLoom found nothing in the library 'small' from before 1900-01-01",
        ),
        (("--mind", "llm"), "no LLM is configured: set CITELOOM_STRONG_MODEL"),
        (("--plan", "nowhere.txt"), "'nowhere.txt' cannot be read (No such file"),
    ],
)
def test_option_that_cannot_be_followed_is_refused(
    cite: Cite, options: tuple[str, str], message: str
) -> None:
    assert_refused(cite(*REVIEW, *options), message)


@pytest.mark.parametrize(
    ("option", "known"),
    [("--mind", "'auto', 'llm', 'extractive'"), ("--format", "'tex', 'qmd', 'docx'")],
)
def test_word_that_an_option_does_not_take_is_a_usage_error(
    cite: Cite, option: str, known: str
) -> None:
    done = cite(*REVIEW, option, "human")
    assert (done.code, done.files) == (2, set())
    said = " ".join(done.stderr.replace("│", "").split())
    assert f"Invalid value for '{option}': 'human' is not one of {known}" in said


# --- Where to write ---------------------------------------------------------------------------


@pytest.mark.parametrize("out", ["file/below", "/proc/citeloom"])
def test_folder_that_cannot_be_written_is_refused_before_any_work(
    cite: Cite, home: Path, out: str
) -> None:
    (home.parent / "file").write_text("in the way", encoding="utf-8")
    done = cite(*REVIEW, out=out)
    assert done.code == 2
    assert "CiteLoom cannot write to '" in the_sentence(done)
    assert "choose another --out" in the_sentence(done)
    assert "Reading the input" not in done.stderr
    assert not (home / "runs").exists()


def test_home_that_cannot_be_written_is_refused_before_any_work(home: Path) -> None:
    place = home.parent / "other"
    place.mkdir()
    (place / "runs").write_text("in the way", encoding="utf-8")
    with variables(HOME=str(place)):
        done = call(*REVIEW, out=home.parent / "out")
    assert (done.code, done.files) == (2, set())
    assert "set CITELOOM_HOME to a folder of yours" in the_sentence(done)


# --- Resuming ---------------------------------------------------------------------------------


def test_only_a_run_of_this_command_can_be_resumed(cite: Cite, home: Path) -> None:
    first = cite("review", "--resume", "20200101-000000-abcdef")
    assert first.code == 2
    assert the_sentence(first).endswith(": no runs yet")
    cite("find", "two words")
    second = cite("review", "--resume", "../../etc/passwd")
    assert second.code == 2
    assert "; the latest are 20" in the_sentence(second)
    (run,) = (path.stem for path in (home / "runs").glob("*.json"))
    done = cite("review", "--resume", run)
    assert done.code == 2
    assert f"'{run}' is a run of `citeloom find`: resume it with that command" in done.stderr
