"""What `./run docs` adds to docs/: the README as the first page, the gallery, the list of decisions, llms.txt.

DOCS_GALLERY names a folder of results that are there already, each in a folder named like its example; without it
each example is reviewed anew, with the library that comes with CiteLoom and no model.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import html
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
OWNER, _, NAME = os.environ.get("GITHUB_REPOSITORY", "citeloom/citeloom").partition("/")
SOURCE = f"https://github.com/{OWNER}/{NAME}/blob/main/"
EXAMPLES = {
    "abstract": "An abstract",
    "question": "A question",
    "idea": "An idea",
}
_pages: list[Any] = []


def on_config(config: Any) -> Any:
    """Name the address at which GitHub publishes the site of this repository."""
    config["site_url"] = f"https://{OWNER}.github.io/{NAME}/"
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that docs/ does not have."""
    made = {
        "index.md": _readme(),
        "decisions/index.md": "\n".join(_decisions()),
        **dict(_gallery()),
    }
    for place, content in made.items():
        files.append(File.generated(config, place, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead a link that leaves docs/ to the repository; leave of a fence what Python-Markdown reads."""
    lines = (
        line.split(" ")[0] if line.startswith("```") else line for line in markdown.split("\n")
    )
    markdown = "\n".join(lines)
    return markdown.replace(f"]({'../' * (page.file.src_uri.count('/') + 1)}", f"]({SOURCE}")


def on_nav(nav: Any, **_: Any) -> None:
    """Keep the pages, in the reader's order."""
    _pages[:] = nav.pages


def on_post_build(config: Any) -> None:
    """Write llms.txt, a list of the pages for agents, and llms-full.txt, all their text."""
    listed = "\n".join(f"- [{one.title}]({one.canonical_url}): {_says(one)}" for one in _pages)
    head = f"# {config['site_name']}\n\n> {config['site_description']}\n"
    whole = (f"<!-- {one.canonical_url} -->\n\n{one.markdown.strip()}\n" for one in _pages)
    site = Path(config["site_dir"])
    (site / "llms.txt").write_text(f"{head}\n## Documentation\n\n{listed}\n", encoding="utf-8")
    (site / "llms-full.txt").write_text("\n".join(whole), encoding="utf-8")


def _says(page: Any) -> str:
    """Return the first sentence of a page."""
    found = html.fragment_fromstring(page.content, create_parent="div").iter("p")
    words = " ".join(text for one in found if (text := " ".join(one.text_content().split())))
    return words.partition(". ")[0].removesuffix(".") + "."


def _readme() -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = text.replace("](docs/decisions)", "](decisions/index.md)").replace("](docs/", "](")
    for path in ROOT.iterdir():
        text = text.replace(f"]({path.name}", f"]({SOURCE}{path.name}")
    return text


def _decisions() -> Iterator[str]:
    yield "# Decisions\n\nThe choices that a reader would question, and why we made them.\n"
    for path in sorted((ROOT / "docs" / "decisions").glob("0*.md")):
        title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        yield f"- [{title}]({path.name})"


def _gallery() -> Iterator[tuple[str, str]]:
    """Yield the page of the gallery, and the whole results to which it leads."""
    with tempfile.TemporaryDirectory() as folder:
        given = os.environ.get("DOCS_GALLERY")
        results = Path(given or folder)
        if not given:
            for name in EXAMPLES:
                _review(name, Path(folder))
        page = [
            "# Gallery\n\nWhole results, made with the library that comes with CiteLoom and without a model. In each, "
            "select a citation to see the words behind it.\n\n![A text and its evidence](images/text.png)\n"
        ]
        for name, title in EXAMPLES.items():
            if not (results / name / "review.html").is_file():
                continue
            example = (ROOT / "examples" / f"{name}.md").read_text(encoding="utf-8")
            *_, begins = example.partition("\n\n") if example.startswith("#") else ("", example)
            written = (results / name / "review.md").read_text(encoding="utf-8")
            text = written.partition("## References")[0].strip().split("\n\n")
            first = next(block for block in text if block[:1] not in {"#", ">"})
            page.append(
                f"## {title}\n\n> {begins.strip()[:400]}\n\nThe section begins:\n\n{first}\n\n"
                f"[Open the whole result](gallery/{name}.html)\n"
            )
            yield f"gallery/{name}.html", (results / name / "review.html").read_text("utf-8")
        yield "gallery.md", "\n".join(page)


def _review(name: str, folder: Path) -> None:
    command = [sys.executable, "-m", "citeloom", "review", str(ROOT / "examples" / f"{name}.md")]
    subprocess.run(
        [*command, "--mind", "extractive", "--out", str(folder / name)],
        env=os.environ | {"CITELOOM_HOME": str(folder / "home")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
