"""Citations of every form that texts have them in, each as `verify` meets it."""

from typing import Any

import pytest

from tests.graphs.test_verify import LICHENS, LIST, OTTERS, RECORDS, causes, verify
from tools.run_settings import RunSettings

PLAIN_LIST = """

References

(1) Abel A, Corvin B. How sulphur rain reach lichens near tiled chapels. Moss. 1990;3:1-9.
(2) Brandt A, Dalca B. How tidal locks reach otters near brackish harbours. Weir. 1991;4:2-8.
(3) Nobody Z. A paper about silence that was never written. Hush. 2003;1:1.
"""
BOARD = {
    "id": "10.5555/board",
    "title": "Ferries of the year",
    "year": 2011,
    "authors": ["Harbour Safety Board,"],
    "abstract": "Ferries leave the northern quay at dawn. Ferries carry salt.",
}


def keyed(*names: str) -> list[dict[str, Any]]:
    """Return made records with keys, as a file of references has them."""
    return [
        {**item, "aliases": [f"local:{name}"]} for item, name in zip(RECORDS, names, strict=False)
    ]


FERRIES = "Ferries leave the northern quay at dawn"
BOTH = {"[1]": "supported", "[2]": "supported"}
NAMED = {"Abel & Corvin, 1990": "supported", "Brandt & Dalca, 1991": "supported"}
FORMS = [
    pytest.param(f"{LICHENS}.¹ {OTTERS}.²", BOTH, id="raised"),
    pytest.param(f"{LICHENS}^1^. {OTTERS}^2^.", BOTH, id="raised in pandoc"),
    pytest.param(f"{LICHENS}<sup>1</sup>. {OTTERS}<sup>2</sup>.", BOTH, id="raised in HTML"),
    pytest.param(f"{LICHENS}$^{{1}}$. {OTTERS} $^{{2}}$.", BOTH, id="raised as a formula"),
    pytest.param(
        rf"\section{{Rain}} {LICHENS}\textsuperscript{{1}}. {OTTERS}.\textsuperscript{{2}}", BOTH, id="raised in LaTeX"
    ),
    pytest.param(f"{LICHENS} (1). {OTTERS} (2).", BOTH, id="round"),
    pytest.param(f"{LICHENS} [[1]](#one). {OTTERS} [2](#two).", BOTH, id="linked"),
    pytest.param(f"{LICHENS} (Abel &amp; Corvin, 1990). {OTTERS} (Brandt &#38; Dalca, 1991).", NAMED, id="entities"),
    pytest.param(f"{LICHENS} (Abel & Corvin,\u200b 1990). {OTTERS} (Brandt & Dal\u00adca, 1991).", NAMED, id="unseen"),
    pytest.param(f"{LICHENS} （Abel & Corvin, 1990）. {OTTERS} （Brandt & Dalca, 1991）.", NAMED, id="wide"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FORMS)
async def test_citation_of_each_form_leads_to_its_entry(
    extractive: RunSettings, text: str, expected: dict[str, str]
) -> None:
    result = await verify(extractive, text + PLAIN_LIST, papers=RECORDS[:2])
    found = {label.partition(" (")[0]: cause for label, cause in causes(result).items()}
    assert found == expected
    assert result["audit"].passed
    assert len(result["sentences"]) == 2


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (f"{LICHENS} [AC90]. {OTTERS} [BD91].", ["AC90 (abel)", "BD91 (brandtkey)"]),
        (f"{LICHENS} [@abel]. @brandtkey says that {OTTERS}.", ["abel", "brandtkey"]),
        (f"{LICHENS} [@{{abel}}]. As @{{brandtkey}}, {OTTERS}.", ["abel", "brandtkey"]),
        (rf"{LICHENS} and {OTTERS} \cites{{abel}}{{brandtkey}}.", ["abel", "brandtkey"]),
        (
            rf"{LICHENS} and {OTTERS} \parencites[see][]{{abel}}[12]{{brandtkey}}.",
            ["abel", "brandtkey"],
        ),
        (
            rf"{LICHENS} and {OTTERS}, say \Textcites{{abel}}[3]{{brandtkey}}.",
            ["abel", "brandtkey"],
        ),
        (f"{LICHENS} (ABEL AND CORVIN, 1990).", ["ABEL AND CORVIN, 1990 (abel)"]),
        (f"{LICHENS} (ABEL ET AL., 1990).", ["ABEL ET AL., 1990 (abel)"]),
        (f"{LICHENS} (Abel, A. et al., 1990).", ["Abel, A. et al., 1990 (abel)"]),
        (f"{LICHENS} (Abel, A., & Corvin, B., 1990).", ["Abel, A., & Corvin, B., 1990 (abel)"]),
    ],
)
async def test_keys_and_names_lead_to_the_records_of_a_file(
    extractive: RunSettings, text: str, labels: list[str]
) -> None:
    result = await verify(extractive, text, papers=keyed("abel", "brandtkey"))
    assert list(causes(result)) == labels
    assert {item.cause for item in result["audit"].references} == set()


async def test_group_is_known_by_its_abbreviation(extractive: RunSettings) -> None:
    text = f"{FERRIES} (Harbour Safety Board [HSB], 2011). Ferries carry salt (HSB, 2011). {LICHENS} (HSB Group, 2011)."
    result = await verify(extractive, text, papers=[BOARD])
    assert [(item.paper, item.verdict) for item in result["audit"].verdicts] == [
        ("doi:10.5555/board", "supported"),
        ("doi:10.5555/board", "supported"),
        ("", "not_in_source"),
    ]


async def test_decomposed_letters_are_read_as_they_look(extractive: RunSettings) -> None:
    record = {**RECORDS[0], "authors": ["Ann Jürgens", "Bo Corvin"]}
    text = f"{LICHENS} (Ju\u0308rgens & Corvin, 1990)."
    result = await verify(extractive, text, papers=[record])
    assert causes(result) == {"Jürgens & Corvin, 1990": "supported"}
    assert result["sentences"][0].text == f"{LICHENS} (Jürgens & Corvin, 1990)."


@pytest.mark.parametrize("text", [f"{LICHENS} (Abel, n.d.).", f"{LICHENS} (Abel & Corvin, n. d.)."])
async def test_undated_work_is_no_entry_of_another_year(extractive: RunSettings, text: str) -> None:
    result = await verify(extractive, text, papers=keyed("abel"))
    assert set(causes(result).values()) == {"unresolved"}
    undated = {key: value for key, value in RECORDS[0].items() if key != "year"}
    result = await verify(extractive, text, papers=[undated])
    assert set(causes(result).values()) == {"supported"}


async def test_work_cited_in_another_is_told_and_not_asked_for(extractive: RunSettings) -> None:
    text = f"{LICHENS} (Moss, 1911, as cited in Abel & Corvin, 1990). Moss (1912, as cited in Abel & Corvin, 1990) too."
    result = await verify(extractive, text, papers=keyed("abel"))
    assert list(causes(result)) == ["Abel & Corvin, 1990 (abel)"]
    told = "Moss, 1911 is cited through Abel & Corvin, 1990: CiteLoom checked only the latter"
    assert told in result["notes"]
    assert result["audit"].references == ()


LATEX = rf"""
\begin{{document}}
{LICHENS} \citep{{abel}}.
% as of old: {OTTERS} \citep{{gone}}.
\begin{{comment}}
Gone, too \citep{{gone}} {{.
\end{{comment}}
\begin{{lstlisting}}
gone[10] = {{ \citep{{gone}}
\end{{lstlisting}}
\iffalse Gone \citep{{gone}}. \fi
\nocite{{*}} Write \verb|\citep{{gone}}| to cite M\"uller.
\end{{document}}
"""
MARKDOWN = f"""
{LICHENS} [@abel]. Mail ann@abel9.org, see https://moss.org/@abel9 and `@gone9`, write \\@gone9, take x[9].

<!-- {OTTERS} [@gone9]. -->

```
x[9] = "[@gone9]"
```
"""


@pytest.mark.parametrize("text", [LATEX, MARKDOWN])
async def test_comments_and_code_cite_nothing(extractive: RunSettings, text: str) -> None:
    result = await verify(extractive, text, papers=keyed("abel"))
    assert causes(result) == {"abel": "supported"}
    assert OTTERS not in " ".join(item.text for item in result["sentences"])


@pytest.mark.parametrize("head", ["# Rain\n\n", r"\section{Rain} "])
async def test_share_is_no_comment(extractive: RunSettings, head: str) -> None:
    text = f"{head}Half, or 50% of it, as {LICHENS} \\citep{{abel}}."
    assert list(causes(await verify(extractive, text, papers=keyed("abel")))) == ["abel"]


NOTES = f"""
{LICHENS}.[^a] {OTTERS}.[^b] {LICHENS}.[^c] {LICHENS}.[^d] Silence is golden.[^e]

[^a]: Ann Abel and Bo Corvin, "How Sulphur Rain Reach Lichens near Tiled Chapels," *Annals of Moss* (1990): 33.
[^b]: Ann Brandt and Bo Dalca, "How Tidal Locks Reach Otters near Brackish Harbours," *Weir*, 1991.
[^c]: Abel and Corvin, "Sulphur Rain," 35.
[^d]: Ibid., 36.
[^e]: So they say, for instance, in *Hush*, 2003, and elsewhere.
"""


@pytest.mark.parametrize("sent", [RECORDS[:2], []])
async def test_footnotes_that_are_references_are_read_as_such(
    extractive: RunSettings, sent: list[dict[str, Any]]
) -> None:
    result = await verify(extractive, NOTES, papers=sent)
    found = [(result["labels"][item.key], item.verdict) for item in result["audit"].verdicts]
    verdict = "supported" if sent else "not_checked"
    assert found == [("[^a]", verdict), ("[^b]", verdict), ("[^c]", verdict), ("[^d]", verdict)]
    assert {item.cause for item in result["audit"].references} == set()
    assert result["sentences"][-1].text.startswith("[^e]: So they say")


async def test_enumeration_is_no_citation_where_numbers_stand_in_round_brackets(
    extractive: RunSettings,
) -> None:
    text = f"There are (1) moss, (2) rain, and (3) copper. {LICHENS} (1), and {OTTERS} (2, 3)."
    result = await verify(extractive, text + PLAIN_LIST, papers=RECORDS[:2])
    assert [item.sentence for item in result["audit"].verdicts] == [2, 2, 2]


@pytest.mark.parametrize(
    "text", [f"{LICHENS} {{1}}. {OTTERS} #2.", f"{LICHENS} [VSP17]. (a) {OTTERS}, R² is 7."]
)
@pytest.mark.parametrize("papers", [[], RECORDS[:2]])
async def test_text_with_references_and_no_citation_fails_and_says_what_is_read(
    extractive: RunSettings, text: str, papers: list[dict[str, Any]]
) -> None:
    result = await verify(extractive, text if papers else text + PLAIN_LIST, papers=papers)
    audit = result["audit"]
    assert (audit.passed, audit.citations) == (False, 0)
    assert audit.reasons[0].startswith(
        "CiteLoom recognised no citation: it reads [1], [2-4], ¹, (1)"
    )
    assert (await verify(extractive, text))["audit"].passed, "without references nothing is missing"


NOTE = '[^n]: Ann Brandt and Bo Dalca, "How Tidal Locks Reach Otters near Brackish Harbours," *Weir*, 1991.'
NOTED = LIST.replace("[2]", "[4]").replace("Brandt", "Other")
UNNUMBERED = "\n\n".join(line[4:] for line in LIST.strip().splitlines()[2:])
FIRST, ALONE = {"[1]": "supported"}, {"[1]": "not_verbatim"}
BARE = LIST.partition("References\n")[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"There are (1) moss, (2) rain, and (3) copper, and {LICHENS} [1].{LIST}", ALONE),
        (f"A weir of 5 m² and 10² gates, {LICHENS} [1].{LIST}", ALONE),
        (f"The value x[3] is $^{{13}}$C, and {LICHENS} [1].{LIST}", ALONE),
        (f"In an interval [0, 1], {LICHENS} [1].{LIST}", ALONE),
        (f"{LICHENS} [1]. {OTTERS}.[^n]\n\n{NOTE}{NOTED}", FIRST | {"[^n]": "supported"}),
        (
            f"{LICHENS}.¹ {OTTERS}.⁸ Rain holds Ca²⁺, SO₄²⁻ and 5 m² of 10² drops.{PLAIN_LIST}",
            FIRST | {"[8]": "unresolved"},
        ),
        (f"There are (2) chapels. {LICHENS}.", {}),
        (f"{LICHENS} (Abell, 1990).", {"Abell, 1990": "unresolved"}),
        (f"{LICHENS} [1]. {OTTERS} [2].\n{BARE}", BOTH),
        (f"{LICHENS} [1]. {OTTERS} [2].\n\n## References\n\n{UNNUMBERED}", BOTH),
    ],
    ids=[
        "counts",
        "powers",
        "indices",
        "an interval",
        "notes beside a list",
        "a raised number that leads nowhere",
        "a number in round brackets",
        "a near name",
        "a list without heading",
        "a list without numbers",
    ],
)
async def test_what_looks_like_a_citation_is_one_only_where_it_leads_to_an_entry(
    extractive: RunSettings, text: str, expected: dict[str, str]
) -> None:
    result = await verify(extractive, text, papers=RECORDS[:2])
    assert causes(result) == expected
    assert "How tidal locks" not in " ".join(item.text for item in result["sentences"])
