"""Related-work sections with what they cite, as rows of `eval writing` and `eval judging`: three sets.

Where each format is documented (read in November 2026):

- Multi-XScience: https://github.com/yaolu/Multi-XScience (README), and the loader multi_x_science_sum.py of Hugging
  Face's datasets: a JSON list of aid, mid, abstract, related_work, ref_abstract, where the last has mid and abstract
  by `@cite_N`; or lists of cite_N, mid, abstract, in https://huggingface.co/datasets/yaolu/multi_x_science_sum.
  The works, and the target, have no titles: a work is named by its number.
- DeepScholar-Bench: https://huggingface.co/datasets/deepscholar-bench/DeepScholarBench (card), the same files in
  https://github.com/guestrin-lab/deepscholar-bench/tree/main/dataset: papers_with_related_works.csv with arxiv_id,
  title, abstract, clean_latex_related_works; recovered_citations.csv with parent_paper_arxiv_id, citation_shorthand,
  cited_paper_title, cited_paper_abstract, cited_paper_arxiv_link, bib_paper_authors, _year, _doi, _journal. What a
  web search gave (search_res_content) is no abstract and is not taken.
- NudtRwG: https://github.com/NudtRwG/NudtRwG-Dataset: a folder for each paper with target_paper_title.txt,
  `Target Paper.pdf` and `Reference Papers/` TITLE.pdf; seen there, described nowhere. Section and abstracts are read
  from the PDFs by CiteLoom, so its mistakes are in the gold. ChatCite's 50 papers (NudtRwG-Citation) are in an
  archive whose form is not documented: a folder of the same form is read.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz, process

from evals.rolling.section import Section, as_cited, related_work
from evals.sets.files import Copy, Made, Row, rows_of, words
from state.document import Document
from state.paper import Paper, title_key
from tools.bibliography.read_record import paper_from
from tools.documents.open_document import read_document
from tools.errors import CiteLoomError

ROWS = "rows.jsonl"
_MARK = re.compile(r"@cite_(\d+)")
_CITE = re.compile(r"~?\\[cC]ite[a-zA-Z]*\*?(?:\[[^\]]*\])*\{([^}]*)\}")
_HEADING = re.compile(r"\\(?:sub)*(?:section|paragraph)\*?\{([^}]*)\}")
_ALIKE = 92
"""How alike (of 100) a title and a file's name must be; set by hand, fitted to nothing."""


def multi_xscience(copy: Copy, made: Made) -> None:
    """Read Multi-XScience: its test part, or the part that is given as a file."""
    seen: Counter[str] = Counter()
    for at, row in rows_of(copy.files("test.json*", "test*.parquet")):
        cited = [
            {
                "key": marked[1],
                "id": f"mag:{mid}" if mid else None,
                "title": None,
                "abstract": abstract or None,
            }
            for mark, mid, abstract in _references(row.get("ref_abstract"))
            if (marked := _MARK.match(mark))
        ]
        name = f"arxiv:{aid}" if (aid := words(row.get("aid"))) else at
        seen[name] += 1  # a paper may have several paragraphs, each a row
        number = f"-{seen[name]}" if seen[name] > 1 else ""
        _add(
            made,
            f"{name}{number}",
            "Multi-XScience",
            {
                "target": {"title": "", "abstract": words(row.get("abstract"))},
                "gold_related_work": _MARK.sub(r"[\1]", words(row.get("related_work"))),
                "cited": cited,
            },
        )


def _references(given: object) -> list[tuple[str, str, str]]:
    """Return mark, id and abstract of each work, of either form."""
    if not isinstance(given, dict):
        return []
    if isinstance(marks := given.get("cite_N"), list):
        found = list(zip(marks, given.get("mid") or [], given.get("abstract") or [], strict=False))
    else:
        found = [
            (mark, one.get("mid"), one.get("abstract"))
            for mark, one in given.items()
            if isinstance(one, dict)
        ]
    return [(str(mark), str(mid or ""), words(abstract)) for mark, mid, abstract in found]


def deepscholar(copy: Copy, made: Made) -> None:
    """Read DeepScholar-Bench."""
    cited: dict[str, dict[str, Row]] = defaultdict(dict)
    for _, row in rows_of(copy.needed("recovered_citations.csv", "citations.csv")):
        cited[words(row.get("parent_paper_arxiv_id"))].setdefault(
            words(row.get("citation_shorthand")), row
        )
    for name, row in rows_of(
        copy.needed("papers_with_related_works.csv", "related_works_combined.csv")
    ):
        key = words(row.get("arxiv_id"))
        numbers = {shorthand: str(at) for at, shorthand in enumerate(cited.get(key, {}), 1)}
        _add(
            made,
            f"arxiv:{key}" if key else name,
            "DeepScholar-Bench",
            {
                "target": {
                    "title": words(row.get("title")),
                    "abstract": words(row.get("abstract")),
                    "arxiv": key,
                },
                "gold_related_work": _plain(
                    str(row.get("clean_latex_related_works") or ""), numbers
                ),
                "cited": [
                    _of_deepscholar(numbers[one], work) for one, work in cited.get(key, {}).items()
                ],
            },
        )


def _of_deepscholar(key: str, row: Row) -> dict[str, Any]:
    year = words(row.get("bib_paper_year")).removesuffix(".0")
    return {
        "key": key,
        "id": words(row.get("cited_paper_arxiv_link")) or words(row.get("bib_paper_doi")) or None,
        "title": words(row.get("cited_paper_title")),
        "venue": words(row.get("bib_paper_journal")) or None,
        "authors": [
            name for name in re.split(r"\s+and\s+", words(row.get("bib_paper_authors"))) if name
        ],
        "year": int(year) if re.fullmatch(r"(?:1[89]|20)\d\d", year) else None,
        "abstract": words(row.get("cited_paper_abstract")) or None,
    }


def _plain(latex: str, numbers: Mapping[str, str]) -> str:
    """Return LaTeX as text, each citation as the numbers of its works; what has none is left out."""
    from pylatexenc.latex2text import LatexNodes2Text

    def numbered(found: re.Match[str]) -> str:
        known = [numbers[key] for one in found[1].split(",") if (key := words(one)) in numbers]
        return f" [{', '.join(known)}]" if known else ""

    text = _HEADING.sub(r"\n\n", _CITE.sub(numbered, latex))
    paragraphs = re.split(r"\n\s*\n", LatexNodes2Text(keep_comments=False).latex_to_text(text))
    return "\n\n".join(filter(None, map(words, paragraphs)))


def nudtrwg(copy: Copy, made: Made) -> None:
    """Read NudtRwG's folders of PDFs, as CiteLoom reads PDFs."""
    for title in copy.needed("target_paper_title.txt"):
        if made.full(ROWS):
            return
        name = title.parent.name
        target = _document(title.with_name("Target Paper.pdf"))
        if target is None:
            made.leave(name, "its Target Paper.pdf is missing or cannot be read")
            continue
        paper = paper_from(
            {"id": f"nudtrwg:{name}", "title": words(title.read_text("utf-8", "replace")) or name}
        )
        section = related_work(paper, target)
        if section is None:
            made.leave(name, "no related-work section that cites was found in its PDF")
            continue
        _add(
            made,
            name,
            "NudtRwG",
            {
                "target": {"title": paper.title, "abstract": words(target.abstract)},
                "gold_related_work": section.text,
                "gold_sentences": section.sentences(),
                "cited": _of_pdfs(
                    section, sorted((title.parent / "Reference Papers").glob("*.pdf"))
                ),
            },
        )


def _of_pdfs(section: Section, paths: list[Path]) -> list[dict[str, Any]]:
    """Return the works of a section, each with the abstract of the PDF that has its title for a name."""
    names = {path: title_key(path.stem) for path in paths}
    found = []
    for key, work in section.works.items():
        best = process.extractOne(
            title_key(work.title), names, scorer=fuzz.ratio, score_cutoff=_ALIKE
        )
        document = _document(best[2]) if best else None
        found.append(as_cited(key, _told(work, document)))
    return found


def _told(work: Paper, document: Document | None) -> Paper:
    return work.model_copy(update={"abstract": document.abstract}) if document else work


def _document(path: Path) -> Document | None:
    try:
        return read_document(path.read_bytes(), name=path.name)[1]
    except (OSError, CiteLoomError):
        return None


def _add(made: Made, name: str, source: str, row: dict[str, Any]) -> None:
    if not row["target"]["abstract"]:
        made.leave(name, "a target without an abstract")
    elif not row["gold_related_work"]:
        made.leave(name, "no related-work section")
    elif not any(one["abstract"] or one["title"] for one in row["cited"]):
        made.leave(name, "nothing cited that has an abstract or a title")
    else:
        made.add(ROWS, {"id": name, "source": source, **row})
