"""Records from files: every good one is read whatever stands beside it, every bad one is named."""

import gzip
import json
import re
import tracemalloc
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.paper import Author, Paper
from tests.bibliography.made import read
from tools.bibliography.read_record import BadRecord, paper_from
from tools.bibliography.read_records import read_records
from tools.errors import InputError

GOOD = b'{"id": "10.1145/GOOD", "title": "Good"}'
ITEM = {
    "id": "lewis2020",
    "type": "paper-conference",
    "title": "Retrieval & generation",
    "author": [{"family": "Lewis", "given": "Patrick"}, {"literal": "The Group"}],
    "issued": {"date-parts": [[2020, 5, 22]]},
    "container-title": "NeurIPS",
    "DOI": "10.1000/RAG",
    "URL": "https://example.org/rag",
    "abstract": "<jats:p>Text.</jats:p>",
}


def csl(folder: Path, **fields: Any) -> Paper:
    good, bad = read(folder / "refs.json", json.dumps([{"title": "The title"} | fields]))
    assert bad == []
    return good[0]


def bibtex(folder: Path, fields: str) -> Paper:
    good, bad = read(folder / "refs.bib", f"@article{{key, title = {{The title}}, {fields}}}")
    assert bad == []
    return good[0]


def test_all_fields_of_json_lines_are_read(tmp_path: Path) -> None:
    record = {
        "id": "https://doi.org/10.1145/ABC.1",
        "title": " A  title\n in two lines ",
        "year": "2020",
        "abstract": "<jats:p>First &amp; <i>last</i></jats:p>",
        "published": "2020-05-31",
        "authors": [
            "Lewis, Patrick",
            {"family": "Berg", "given": "Ada", "non-dropping-particle": "van den"},
            {"literal": "The Group"},
            {"name": "Bo Li"},
            "others",
        ],
        "venue": "NeurIPS",
        "references": ["10.1/not", "10.1145/X", "arXiv:1706.03762v5", 7, "", "10.1145/x"],
        "arxiv": "arXiv:2005.11401v4",
        "unknown": {"ignored": [1]},
    }
    assert read(tmp_path / "p.jsonl", json.dumps(record)) == (
        [
            Paper(
                id="doi:10.1145/abc.1",
                aliases=("arxiv:2005.11401",),
                doi="10.1145/abc.1",
                arxiv="2005.11401",
                title="A title in two lines",
                abstract="First & last",
                year=2020,
                published=date(2020, 5, 31),
                venue="NeurIPS",
                authors=tuple(
                    Author(name=name)
                    for name in ("Lewis, Patrick", "van den Berg, Ada", "The Group", "Bo Li")
                ),
                authors_complete=False,
                references=("local:10.1/not", "doi:10.1145/x", "arxiv:1706.03762", "local:7"),
            )
        ],
        [],
    )


@pytest.mark.parametrize(
    ("fields", "paper_id"),
    [
        ({"id": "10.1145/ABC"}, "doi:10.1145/abc"),
        ({"id": "2005.11401v2"}, "arxiv:2005.11401"),
        ({"id": "https://openalex.org/W123"}, "openalex:W123"),
        ({"id": 12}, "local:12"),
        ({"id": "key 7", "doi": "n/a", "arxiv": "unknown"}, "local:key 7"),
        ({"id": None}, "title:thetitle-2020-author"),
    ],
)
def test_id_of_a_known_kind_is_recognised(
    tmp_path: Path, fields: dict[str, object], paper_id: str
) -> None:
    record = {"title": "The title", "year": 2020, "authors": ["Ann Author"]} | fields
    (made,), _ = read(tmp_path / "p.jsonl", json.dumps(record))
    assert made.id == paper_id


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{not json}", "not JSON.*column 2"),
        (b'["a list"]', "not a JSON object"),
        (b'{"title": "  "}', "no title"),
        (b'{"title": 7}', "title cannot be read: .*string"),
        (b'{"title": "caf\xe9"}', r"not UTF-8 \(byte 15"),
        (b'{"title": "t", "n": ' + b"9" * 5000 + b"}", "number too long"),
        (b'{"title": ' * 100_000, "nested too deeply"),
        (b'{"title": "' + b"t" * 10_000_000 + b'"}', "longer than 10 MB"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_bad_line_is_named_and_does_not_cost_the_good_ones(
    tmp_path: Path, line: bytes, reason: str
) -> None:
    good, (bad,) = read(tmp_path / "p.jsonl", b"\n".join((GOOD, line, b"", GOOD)))
    assert [one.id for one in good] == ["doi:10.1145/good"] * 2
    assert (bad.line, bad.lost) == (2, True)
    assert len(bad.excerpt) <= 120
    assert re.search(reason, bad.reason), bad.reason


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"title": "t", "year": "soon"}', "year cannot be read: .*integer"),
        (b'{"title": "t", "year": NaN}', "year cannot be read: .*number"),
        (b'{"title": "t", "year": true}', "year cannot be read"),
        (b'{"title": "t", "year": 20200}', "less than or equal to 2100"),
        (b'{"title": "t", "authors": "Ann Author"}', "authors cannot be read: .*list"),
        (b'{"title": "t", "authors": [7]}', "authors cannot be read: .*string"),
        (b'{"title": "t", "references": [null, ["x"]]}', "references cannot be read: .*string"),
        (b'{"title": "t", "record": {"format": "x"}}', "record cannot be read"),
    ],
)
def test_bad_field_costs_the_field_and_not_the_record(
    tmp_path: Path, line: bytes, reason: str
) -> None:
    good, (note,) = read(tmp_path / "p.jsonl", b"\n".join((GOOD, line)))
    assert [one.title for one in good] == ["Good", "t"]
    assert (note.line, note.lost) == (2, False)
    assert re.search(reason, note.reason), note.reason


def test_bad_item_of_a_list_costs_no_other(tmp_path: Path) -> None:
    (made,), (note,) = read(tmp_path / "p.jsonl", b'{"title": "t", "authors": ["Ann", 7, "Bo"]}')
    assert [one.name for one in made.authors] == ["Ann", "Bo"]
    assert "it was left out" in note.reason


@pytest.mark.parametrize("name", ["p.jsonl", "p.ndjson", "p.jsonl.gz", "p.json", "p"])
def test_kind_is_known_by_suffix_or_content(tmp_path: Path, name: str) -> None:
    data = GOOD + b"\n" + GOOD
    good, bad = read(tmp_path / name, gzip.compress(data) if name.endswith(".gz") else data)
    assert (len(good), bad) == (2, [])


def test_file_that_breaks_off_gives_what_came_before(tmp_path: Path) -> None:
    lines = b"".join(b'{"id": "%d", "title": "t%d"}\n' % (n, n * n) for n in range(6_000))
    good, bad = read(tmp_path / "p.jsonl.gz", gzip.compress(lines)[:-5000])
    assert len(good) > 100
    assert bad[-1].reason.startswith("the file breaks off or is damaged here")
    _, bad = read(tmp_path / "p.json", json.dumps([ITEM])[:-5])
    assert "not JSON, or breaks off" in bad[0].reason


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("p.jsonl", b" \n\n", "empty.*JSON Lines.*BibTeX.*CSL"),
        ("p.jsonl", b"%PDF-1.7 ...", "binary.*JSON Lines"),
        ("p.jsonl", '{"title": "t"}'.encode("utf-16"), "UTF-16"),
        ("notes.txt", b"Dear all, please find attached", "no known kind"),
        ("refs.bib", b"just some text", "no BibTeX entry"),
    ],
)
def test_file_that_cannot_be_records_is_refused(
    tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        read(tmp_path / name, data)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_records(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        read_records(tmp_path)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    line = b'{"id": "%d", "title": "t", "abstract": "%s"}\n'
    path.write_bytes(b"".join(line % (number, b"word " * 400) for number in range(500)))
    sum(1 for _ in read_records(path))  # what is made once: modules, patterns, bounded caches
    tracemalloc.start()
    assert sum(1 for _ in read_records(path)) == 500
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.stat().st_size > 1_000_000
    assert peak < 500_000


@pytest.mark.parametrize("shape", [[ITEM], {"items": [ITEM]}, ITEM])
@pytest.mark.parametrize("indent", [None, 2])
def test_csl_item_becomes_a_paper(tmp_path: Path, shape: object, indent: int | None) -> None:
    (made,), bad = read(tmp_path / "refs.json", json.dumps(shape, indent=indent))
    assert bad == []
    assert (made.id, made.aliases, made.title) == ("doi:10.1000/rag", (), "Retrieval & generation")
    assert (made.abstract, made.venue) == ("Text.", "NeurIPS")
    assert [author.name for author in made.authors] == ["Lewis, Patrick", "The Group"]
    assert (made.year, made.published) == (2020, date(2020, 5, 22))


def test_lists_and_references_of_crossref_are_understood(tmp_path: Path) -> None:
    item = {
        "title": ["A title"],
        "container-title": ["A venue"],
        "DOI": "10.1000/A",
        "abstract": None,
        "issued": {"date-parts": [[2019, 3]]},
        "reference": [{"DOI": "10.1000/B"}, {"unstructured": "x"}],
    }
    made = csl(tmp_path, **item)
    assert (made.title, made.venue, made.references) == ("A title", "A venue", ("doi:10.1000/b",))
    assert (made.year, made.published) == (2019, None)


@pytest.mark.parametrize(
    ("fields", "paper_id"),
    [
        ({"id": "lewis2020"}, "title:thetitle-nd-"),
        ({"id": "http://zotero.org/users/1/items/AB"}, "local:http://zotero.org/users/1/items/AB"),
        ({"id": "https://doi.org/10.1000/X"}, "doi:10.1000/x"),
        ({"number": "arXiv:2005.11401", "archive": "arXiv"}, "arxiv:2005.11401"),
        ({"URL": "http://arxiv.org/abs/2005.11401v1"}, "arxiv:2005.11401"),
    ],
)
def test_only_ids_that_hold_elsewhere_are_kept(
    tmp_path: Path, fields: dict[str, object], paper_id: str
) -> None:
    assert csl(tmp_path, **fields).id == paper_id


@pytest.mark.parametrize(
    ("issued", "year", "published"),
    [
        ({"date-parts": [["2020", "05", "22"]]}, 2020, date(2020, 5, 22)),
        ({"date-parts": [[2020]]}, 2020, None),
        ({"date-parts": [[]]}, None, None),
        ({"raw": "2020-05-22"}, 2020, date(2020, 5, 22)),
        ({"literal": "Spring 2020"}, 2020, None),
    ],
)
def test_date_is_as_exact_as_given(
    tmp_path: Path, issued: object, year: int | None, published: date | None
) -> None:
    made = csl(tmp_path, issued=issued)
    assert (made.year, made.published) == (year, published)


def test_bad_item_is_named_by_position_and_does_not_cost_the_others(tmp_path: Path) -> None:
    undated = {"title": "t", "issued": {"date-parts": [["x"]]}}
    items = [ITEM, {"type": "book"}, "text", undated, {"title": "z"}]
    good, bad = read(tmp_path / "refs.json", json.dumps(items))
    assert [one.title for one in good] == ["Retrieval & generation", "t", "z"]
    assert [(one.line, one.lost) for one in bad] == [(2, True), (3, True), (4, False)]


def test_bibtex_entry_becomes_a_paper(tmp_path: Path) -> None:
    text = r"""@string{acl = {Proc.\ ACL}}
@InProceedings{m20,
  Title     = {The {BERT} {\'e}tude of M{\"u}ller \& {\o}re -- 50% more},
  author    = {M{\"u}ller, J{\"o}rg and Ludwig van Beethoven and {Barnes and Noble} and others},
  booktitle = acl, year = 2020, month = feb,
  doi = {https://doi.org/10.1000/A\_b}, abstract = "With
  a break.",
}"""
    (made,), bad = read(tmp_path / "refs.bib", text)
    assert bad == []
    assert (made.id, made.year) == ("doi:10.1000/a_b", 2020)
    (odd,), _ = read(tmp_path / "p.jsonl", rb'{"title": "a\u0000b\ud800c \ud83d\ude00"}')
    assert odd.title == "ab\ufffdc 😀"
    assert made.title == "The BERT étude of Müller & øre – 50% more"
    names = ["Müller, Jörg", "van Beethoven, Ludwig", "Barnes and Noble"]
    assert [author.name for author in made.authors] == names
    assert not made.authors_complete
    assert (made.venue, made.abstract) == ("Proc. ACL", "With a break.")


@pytest.mark.parametrize(
    ("fields", "year", "published"),
    [
        ("year = {c. 2020}", 2020, None),
        ("date = {2020-02-03}", 2020, date(2020, 2, 3)),
        ("date = {2020-02}", 2020, None),
        ("date = {2020/2021}", 2020, None),
        ("note = {no date}", None, None),
    ],
)
def test_day_of_bibtex_is_kept_only_when_exact(
    tmp_path: Path, fields: str, year: int | None, published: date | None
) -> None:
    made = bibtex(tmp_path, fields)
    assert (made.year, made.published) == (year, published)


@pytest.mark.parametrize(
    ("fields", "paper_id"),
    [
        ("eprint = {2005.11401v4}, archivePrefix = {arXiv}", "arxiv:2005.11401"),
        ("eprint = {2005.11401}", "arxiv:2005.11401"),
        ("url = {https://arxiv.org/abs/2005.11401v2}", "arxiv:2005.11401"),
        ("journal = {arXiv preprint arXiv:2005.11401}", "arxiv:2005.11401"),
        ("doi = {10.48550/arXiv.2005.11401}", "arxiv:2005.11401"),
        ("eprint = {1234}, archivePrefix = {hal}", "title:thetitle-nd-"),
        ("year = {2020}, author = {Lovelace, Ada}", "title:thetitle-2020-lovelace"),
    ],
)
def test_arxiv_id_is_found_where_people_put_it(tmp_path: Path, fields: str, paper_id: str) -> None:
    assert bibtex(tmp_path, fields).id == paper_id


def test_bad_entries_are_named_by_line_and_cost_no_others(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = """@article{a, title={First}, year=2020}
@article{a, title={Again}, year=2021}
@article{b, title={Unclosed {brace, year={2020},
@article{c, title={Third}, year={2019}}
@article{d, year={2019}}
@article{e, title={Fifth}, year={two thousand}}
@article{f, title={Sixth}, year={99999}}
@comment{nothing}
loose text of ann@example.org (and others)
@article{g, title={Seventh}}
@article{h, title={At the end}, author={Z"""
    good, bad = read(tmp_path / "refs.bib", text)
    titles = ["First", "Again", "Third", "Fifth", "Sixth", "Seventh", "At the end"]
    assert [one.title for one in good] == titles
    assert [(one.line, one.lost) for one in bad] == [
        (3, True),
        (5, True),
        (6, False),
        (7, False),
        (11, False),
    ]
    reasons = [
        "broken off or malformed in its title",
        "no title",
        "no year",
        "no year",
        "in its author",
    ]
    assert all(said in one.reason for said, one in zip(reasons, bad, strict=True))
    assert all(one.excerpt.startswith("@article") for one in bad)
    assert capfd.readouterr() == ("", ""), "the parser writes nothing to the terminal"


def test_repeated_field_and_unknown_letters_are_notes(tmp_path: Path) -> None:
    text = '@misc{a, title={{One} title}, url="u", url={v}, year=2020}\n@misc{b, title={Über Café}}'
    good, bad = read(tmp_path / "refs.bib", text.encode("latin-1"))
    assert [(one.title, one.url) for one in good] == [("One title", "u"), ("Über Café", None)]
    assert [(one.line, one.lost) for one in bad] == [(2, False), (1, False)]
    assert "more than one url" in bad[1].reason
    good, bad = read(tmp_path / "refs.json", b'[{"title": "caf\xe9"}]')
    assert ([one.title for one in good], [one.lost for one in bad]) == (["caf\ufffd"], [False])


@pytest.mark.parametrize(
    ("data", "title", "encoding"),
    [
        (b"\x93Quoted\x94 by \x8a", "“Quoted” by Š", "Windows-1252"),
        (b"caf\xe9 \x81", "café", "Latin-1"),
    ],
)
def test_text_of_windows_is_told_from_latin_1(
    tmp_path: Path, data: bytes, title: str, encoding: str
) -> None:
    (made,), (note,) = read(tmp_path / "refs.bib", b"@misc{a, title={%s}}" % data)
    assert (made.title, note.lost) == (title, False)
    assert encoding in note.reason


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        "id",
        "title",
        "year",
        "authors",
        "abstract",
        "references",
        "doi",
        "arxiv",
        "published",
        "url",
        "venue",
        "aliases",
        "author",
        "issued",
        "DOI",
        "container-title",
        "reference",
        "number",
        "archive",
    ]
)
TITLED = st.dictionaries(KEYS, VALUES, max_size=6).map(lambda record: {"title": "t"} | record)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
        assert isinstance(record, BadRecord) or (
            Paper.model_validate_json(record.model_dump_json()) == record
        )


def test_name_with_its_family_first_keeps_its_family() -> None:
    given = [{"name": "Liu, Jia"}, {"name": "Owls and Co, Inc."}, {"literal": "Owls, Friends of"}]
    paper = paper_from({"id": "doi:10.5555/1", "title": "Owls", "authors": given})
    assert [author.family for author in paper.authors[:1]] == ["Liu"]
    assert [author.name for author in paper.authors[1:]] == ["Owls and Co Inc.", "Owls Friends of"]
