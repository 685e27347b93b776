"""Papers as they should not be: what `synthesize` makes of them is still right, or told."""

import json
from pathlib import Path
from typing import Any

from citeloom.report.markdown import markdown as markdown_of
from citeloom.report.result_report import ResultReport
from tests.graphs.stacks import QUESTION, SHARED
from tests.graphs.test_synthesize import assert_traced, synthesize

OWLS = "Barn owls find voles in the dark by hearing the noise of their feet"
COUNTED = f"[1] Holm B. {SHARED}. Meadow Letters 7. 2018."


def markdown(title: str, body: str, works: str = "", name: str = "a.md") -> dict[str, Any]:
    listed = f"\n## References\n\n{works}\n" if works else ""
    text = f"# {title}\n\nRita Vale\n\n## Introduction\n\n{body}\n{listed}"
    return {"name": name, "content": text, "encoding": "text"}


async def made_of(*papers: dict[str, Any], **inputs: Any) -> dict[str, Any]:
    result = await synthesize(uploads=list(papers), **inputs)
    if result["stop"] is None:
        assert_traced(result)
    json.dumps(result["answer"]).encode()
    told(result).encode()
    result["bibtex"].encode()
    return result


def told(result: dict[str, Any]) -> str:
    return markdown_of(ResultReport.of("synthesize", result, question=QUESTION))


async def test_five_hundred_entries_and_a_bracket_of_sixty(home: Path) -> None:
    works = "\n\n".join(
        f"[{n}] Author{n} A. Study number {n} of owls that hear voles under straw. Birds {n}. {1950 + n % 70}."
        for n in range(1, 501)
    )
    many = ", ".join(map(str, range(1, 61)))
    result = await made_of(markdown("Owls and long lists", f"{OWLS} [{many}].", works))
    (source,) = result["stacked"]
    assert (source.entries, source.linked) == (500, 60)
    (line,) = result["lines"]
    assert len(line.secondary) == 60
    assert "[1-61]" in result["answer"]


async def test_paper_that_cites_itself_is_primary_alone(home: Path) -> None:
    title = "Owls that cite themselves once and then again"
    own = f"Vale, Rita. 2020. {title}. Quiet Birds 3."
    result = await made_of(markdown(title, f"{OWLS} (Vale, 2020).", own))
    assert [item.role for item in result["references"]] == ["primary"]


async def test_signs_that_are_no_text(home: Path) -> None:
    body = f"{OWLS} [1].\n\nSnow and \udfff straw are weighed in the dark of barns by owls."
    paper = markdown("Owls and \ud800 signs", body, COUNTED, "a\x00b\ud800.md")
    result = await made_of(paper)
    assert result["lines"]
    assert not any("\ud800" <= char <= "\udfff" for char in result["answer"] + result["bibtex"])
    binary = await made_of(markdown("Owls", f"{OWLS}\x00.", ""))
    assert "\x00" not in binary["answer"] + binary["bibtex"]


async def test_scripts_of_a_page_run_nowhere(home: Path) -> None:
    page = (
        "<html><head><title>Owls &amp; scripts</title><script>alert('owls voles dark')</script></head><body>"
        f"<h1>Owls &amp; &lt;script&gt;alert(1)&lt;/script&gt;</h1><p onclick='x()'>{OWLS}.</p><p>Barn owls in the "
        "dark &lt;img src=x onerror=alert(3)&gt; hear voles well [1].</p><h2>References</h2><ol><li>[1] B. Holm. "
        "Voles &lt;b&gt; [by](javascript:alert(2)) ear. 2018.</li></ol></body></html>"
    )
    result = await made_of({"name": "<b>.html", "content": page, "encoding": "text"})
    assert result["lines"]
    assert_harmless(told(result))


async def test_titles_of_latex_and_html_are_escaped(home: Path) -> None:
    title = r"50\% of $\alpha$_owls #1 {unbalanced & ~~~ [x]: javascript:alert(1)"
    work = (
        "[1] Holm, B. Voles} & 10% <img src=x onerror=alert(1)> \\input{/etc/passwd} of_the "
        "[link](javascript:alert(1)) | night. Quiet ~ Birds 4. 2018."
    )
    result = await made_of(markdown(title, f"{OWLS} [1].", work))
    assert len(result["references"]) == 2
    assert_harmless(told(result))
    bibtex = result["bibtex"]
    assert "\\input{" not in bibtex
    plain = bibtex.replace("{\\{}", "").replace("{\\}}", "").replace("\\{", "").replace("\\}", "")
    assert plain.count("{") == plain.count("}")


def assert_harmless(text: str) -> None:
    """No tag and no link of a paper's is live; no paragraph is a list or a fence by accident."""
    bare = text.replace("\\\\", "")
    for sign in ("<", "](", "]:", "`"):
        places = [at for at in range(len(bare)) if bare.startswith(sign, at)]
        live = [at for at in places if bare[at - 1] != "\\" and not bare[at:].startswith("<http")]
        assert not live, bare[live[0] - 40 : live[0] + 40]
    assert not any(line.lstrip().startswith(("~~~", "```")) for line in bare.splitlines())
