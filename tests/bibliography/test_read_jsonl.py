"""JSON Lines: every good record is read, and every bad one is named with its line."""

import gzip
import json
import re
import tracemalloc
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.paper import Author, Paper
from tools.bibliography.read import read_records
from tools.bibliography.read_record import BadRecord
from tools.errors import InputError

GOOD = b'{"id": "10.1145/GOOD", "title": "Good"}'


def split(path: Path) -> tuple[list[Paper], list[BadRecord]]:
    records = list(read_records(path))
    good = [record for record in records if isinstance(record, Paper)]
    return good, [record for record in records if isinstance(record, BadRecord)]


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    def write(*lines: bytes, name: str = "papers.jsonl") -> Path:
        path = tmp_path / name
        data = b"\n".join(lines) + b"\n"
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def test_all_fields_are_read(file: Callable[..., Path]) -> None:
    record = {
        "id": "https://doi.org/10.1145/ABC.1", "title": " A  title\n in two lines ", "year": "2020",
        "abstract": "<jats:p>First &amp; <i>last</i></jats:p>", "published": "2020-05-31",
        "authors": ["Lewis, Patrick", {"family": "Berg", "given": "Ada", "non-dropping-particle": "van den"},
                    {"literal": "The Group"}, {"name": "Bo Li"}, "others"],
        "venue": "NeurIPS", "references": ["10.1/not", "10.1145/X", "arXiv:1706.03762v5", 7, "", "10.1145/x"],
        "arxiv": "arXiv:2005.11401v4", "unknown": {"ignored": [1]},
    }  # fmt: skip
    good, bad = split(file(json.dumps(record).encode()))
    assert bad == []
    assert good == [
        Paper(
            id="doi:10.1145/abc.1", aliases=("arxiv:2005.11401",), doi="10.1145/abc.1",
            arxiv="2005.11401", title="A title in two lines", abstract="First & last",
            year=2020, published=date(2020, 5, 31), venue="NeurIPS",
            authors=tuple(Author(name=name) for name in
                          ("Lewis, Patrick", "van den Berg, Ada", "The Group", "Bo Li")),
            authors_complete=False,
            references=("local:10.1/not", "doi:10.1145/x", "arxiv:1706.03762", "local:7"),
        )
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given_id", "paper_id"),
    [
        ("10.1145/ABC", "doi:10.1145/abc"),
        ("2005.11401v2", "arxiv:2005.11401"),
        ("https://openalex.org/W123", "openalex:W123"),
        (12, "local:12"),
        ("key 7", "local:key 7"),
        (None, "title:thetitle-2020-author"),
    ],
)
def test_id_of_a_known_kind_is_recognised(
    file: Callable[..., Path], given_id: object, paper_id: str
) -> None:
    record = {"id": given_id, "title": "The title", "year": 2020, "authors": ["Ann Author"]}
    good, _ = split(file(json.dumps(record).encode()))
    assert [paper.id for paper in good] == [paper_id]


def test_doi_that_is_none_does_not_cost_the_record(file: Callable[..., Path]) -> None:
    good, bad = split(file(b'{"id": "a", "title": "t", "doi": "n/a", "arxiv": "unknown"}'))
    assert ([paper.id for paper in good], bad) == (["local:a"], [])
    assert (good[0].doi, good[0].arxiv) == (None, None)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{not json}", "not JSON.*column 2"),
        (b'["a list"]', "not a JSON object"),
        (b'{"id": "a"}', "no title"),
        (b'{"title": "  "}', "no title"),
        (b'{"title": 7}', "title is a number instead of a text"),
        (b'{"title": "t", "year": "soon"}', "year, 'soon', is not a number"),
        (b'{"title": "t", "year": NaN}', "year, nan, is not a number"),
        (b'{"title": "t", "year": true}', "not a number"),
        (b'{"title": "t", "year": 20200}', "year, 20200, cannot be"),
        (b'{"title": "t", "year": -3}', "cannot be"),
        (b'{"title": "t", "abstract": ["x"]}', "abstract is a list"),
        (b'{"title": "t", "authors": "Ann Author"}', "authors are a text instead of a list"),
        (b'{"title": "t", "authors": [7]}', "author is a number"),
        (b'{"title": "t", "references": {"a": 1}}', "references are an object"),
        (b'{"title": "t", "references": [null, ["x"]]}', "a list instead of a text"),
        (b'{"title": "caf\xe9"}', r"not UTF-8 \(byte 15"),
        (b'{"title": "t", "n": ' + b"9" * 5000 + b"}", "number too long"),
        (b'{"title": ' * 100_000, "nested too deeply"),
        (b'{"title": "' + b"t" * 10_000_000 + b'"}', "longer than 10 MB"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_bad_record_is_named_and_does_not_cost_the_good_ones(
    file: Callable[..., Path], line: bytes, reason: str
) -> None:
    good, bad = split(file(GOOD, line, b"", GOOD))
    assert [paper.id for paper in good] == ["doi:10.1145/good"] * 2
    assert [record.line for record in bad] == [2]
    assert bad[0].lost
    assert len(bad[0].excerpt) <= 120
    assert re.search(reason, bad[0].reason), bad[0].reason


def test_text_is_made_storable(file: Callable[..., Path]) -> None:
    good, _ = split(file(rb'{"title": "a\u0000b\ud800c \ud83d\ude00"}'))
    assert good[0].title == "ab\ufffdc 😀"
    assert good[0].model_dump_json()


@pytest.mark.parametrize("name", ["p.jsonl", "p.ndjson", "p.jsonl.gz", "p.json", "p", "p.txt"])
def test_kind_is_known_by_suffix_or_content(file: Callable[..., Path], name: str) -> None:
    good, bad = split(file(GOOD, GOOD, name=name))
    assert (len(good), bad) == (2, [])


def test_file_that_breaks_off_in_its_compression_gives_what_came_before(tmp_path: Path) -> None:
    lines = b"".join(
        b'{"id": "%d", "title": "t%d %s"}\n' % (n, n, bytes([97 + n % 26]) * 50)
        for n in range(20_000)
    )
    path = tmp_path / "p.jsonl.gz"
    path.write_bytes(gzip.compress(lines)[:-5000])
    good, bad = split(path)
    assert len(good) > 100
    assert [record.reason.split(" (")[0] for record in bad[-1:]] == [
        "the file breaks off or is damaged here"
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"%PDF-1.7 ...", "binary"),
        (b"PK\x03\x04...", "binary"),
        ('{"title": "t"}'.encode("utf-16"), "UTF-16"),
        (b"\x00\x01\x02", "binary"),
    ],
)
def test_file_that_cannot_be_records_is_refused_with_the_kinds_that_can(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(data)
    with pytest.raises(InputError, match=rf"{reason}.*JSON Lines.*BibTeX.*CSL"):
        read_records(path)


def test_text_of_no_known_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear all, please find attached", encoding="utf-8")
    with pytest.raises(InputError, match="no known kind"):
        read_records(path)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_records(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        read_records(tmp_path)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with path.open("wb") as out:
        for number in range(1000):
            out.write(b'{"id": "%d", "title": "t", "abstract": "%s"}\n' % (number, b"word " * 400))
    tracemalloc.start()
    assert sum(1 for _ in read_records(path)) == 1000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.stat().st_size > 2_000_000
    assert peak < 500_000


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(), inner, max_size=3), max_leaves=6,
)  # fmt: skip
KEYS = st.sampled_from(
    ["id", "title", "year", "authors", "abstract", "references", "doi", "arxiv", "published", "url",
     "venue", "aliases", "author", "issued", "DOI", "container-title", "reference", "number", "archive"]
)  # fmt: skip
TITLED = st.dictionaries(KEYS, VALUES, max_size=6).map(lambda record: {"title": "t"} | record)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.one_of(
        st.binary(max_size=200),
        st.lists(VALUES, max_size=4).map(lambda rows: "\n".join(map(json.dumps, rows)).encode()),
        st.lists(TITLED, max_size=4).map(lambda rows: "\n".join(map(json.dumps, rows)).encode()),
        st.lists(TITLED, max_size=4).map(lambda rows: json.dumps(rows).encode()),
        st.text(alphabet="@{}=\",\\abtile%$#~'`^ \n", max_size=120).map(
            lambda text: b"@article{k, title={x}}\n" + text.encode()
        ),
        st.text(alphabet="{}\\\"'`^~$%&#_ abcou", max_size=60).map(
            lambda text: b"@misc{k, title={%s}, author={%s}, month={%s}}" % ((text.encode(),) * 3)
        ),
    ),
    suffix=st.sampled_from([".jsonl", ".bib", ".json", ".jsonl.gz", ".txt", ""]),
)
def test_arbitrary_files_raise_nothing_but_input_errors(
    tmp_path: Path, data: bytes, suffix: str
) -> None:
    path = tmp_path / f"any{suffix}"
    path.write_bytes(data)
    try:
        records = list(read_records(path))
    except InputError:
        records = []
    for record in records:
        assert isinstance(record, Paper | BadRecord)
        if isinstance(record, Paper):
            assert Paper.model_validate_json(record.model_dump_json()) == record
