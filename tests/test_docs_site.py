"""The documentation as a site: built with its links checked, read in order, and nothing of it comes from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import html

from tests.support import ROOT

pytest.importorskip("mkdocs", reason="needs requirements/docs.txt: ./run install docs")
LOADS = "//script/@src | //link[@rel='stylesheet' or @rel='preload' or @rel='icon']/@href | //img/@src | //iframe/@src"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, with one result in its gallery."""
    folder = tmp_path_factory.mktemp("site")
    result = folder / "gallery" / "idea"
    result.mkdir(parents=True)
    (result / "review.md").write_text(
        "# Related work\n\n> A notice.\n\nFirst words [1].\n\n## References\n\n1. One\n", "utf-8"
    )
    (result / "review.html").write_text("<title>whole</title>", "utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--quiet",
            "--strict",
            "-d",
            str(folder / "site"),
        ],
        cwd=ROOT,
        env=os.environ | {"DOCS_GALLERY": str(folder / "gallery"), "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def test_every_page_of_docs_is_there_and_loads_nothing_from_elsewhere(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        place = page.relative_to(ROOT / "docs").with_suffix("") / "index.html"
        loads = html.document_fromstring((site / place).read_text("utf-8")).xpath(LOADS)
        assert loads
        assert [one for one in loads if "://" in one or one.startswith("//")] == []


def test_readme_is_the_first_page_and_its_links_lead_on(site: Path) -> None:
    page = html.document_fromstring((site / "index.html").read_text("utf-8"))
    links = page.xpath("//article//a/@href")
    assert "tutorial/" in links
    assert any(link.endswith("/blob/main/CHANGELOG.md") for link in links)
    pictures = page.xpath("//article//img/@src")
    assert pictures
    assert all((site / picture).is_file() for picture in pictures)


def test_gallery_shows_how_a_result_begins_and_leads_to_the_whole(site: Path) -> None:
    page = html.document_fromstring((site / "gallery" / "index.html").read_text("utf-8"))
    text = page.xpath("//article")[0].text_content()
    assert "First words [1]." in text
    assert "A notice." not in text
    (link,) = page.xpath("//article//a[. = 'Open the whole result']/@href")
    assert (site / "gallery" / link).resolve().read_text("utf-8") == "<title>whole</title>"


def test_llms_txt_names_each_page_with_its_first_sentence_in_the_readers_order(site: Path) -> None:
    lines = (site / "llms.txt").read_text("utf-8").splitlines()
    assert lines[0] == "# CiteLoom"
    listed = [line for line in lines if line.startswith("- ")]
    assert [line.partition("]")[0] for line in listed[:3]] == [
        "- [CiteLoom",
        "- [Tutorial",
        "- [Commands",
    ]
    assert len(listed) > 30
    for line in listed:
        assert re.fullmatch(r"- \[[^\]]+\]\(https://\S+/\): .{20,}\.", line)
    whole = (site / "llms-full.txt").read_text("utf-8")
    for name in ("output", "verifying"):
        assert (ROOT / "docs" / f"{name}.md").read_text("utf-8").splitlines()[-1] in whole
