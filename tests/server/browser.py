"""A real Chromium, the one that the system has, and what must hold of every view of the page."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import (
    Browser,
    FloatRect,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
REQUIRED = os.environ.get("CITELOOM_BROWSER") == "required"
"""As .ci/run asks; elsewhere a machine without Chromium skips."""
IDEA = (
    "We study how well large language models recommend citations for a sentence of a paper, and "
    "whether the recommended papers support what the sentence claims."
)
SENTENCE = "article .s"
_PATIENCE = 90_000
"""Milliseconds; a busy machine is slow, and the page is right all the same."""
expect.set_options(timeout=_PATIENCE)
_LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(1280, "light"), (390, "dark")]
_FAULTS = """axe.run({resultTypes: ["violations"]}).then((told) =>
    told.violations.map((fault) => [fault.id, fault.nodes[0].html.slice(0, 200)]))"""
OPTION = re.compile(r"(?<![\w-])--[a-z]")
"""An option of the command line, of which neither the page nor a tool speaks."""


@contextmanager
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            yield opened
        finally:
            opened.close()


def box_of(place: Locator) -> FloatRect:
    """Where a thing stands on the page."""
    box = place.bounding_box()
    assert box
    return box


def saved(page: Page, name: str) -> bytes:
    """What a button saves."""
    with page.expect_download() as waited:
        page.get_by_role("button", name=name, exact=True).click()
    return Path(waited.value.path()).read_bytes()


@dataclass
class Visitor:
    """Somebody at the page of a server, with a browser of their own."""

    page: Page
    url: str
    wrong: list[str] = field(default_factory=list)
    """What the page did that none may do: errors, and requests to others."""

    def __post_init__(self) -> None:
        self.page.set_default_timeout(_PATIENCE)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("request", self._asked)
        self.page.on("dialog", lambda dialog: dialog.accept())

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.url, "blob:", "data:")):
            self.wrong.append(f"asked {request.url}")

    def at(self, place: str = "") -> Page:
        self.page.goto(f"{self.url}/app/#/{place}")
        self.page.wait_for_selector("main h1")
        return self.page

    def review(self, text: str, library: str, *ticks: str) -> str:
        """Start a review and return its thread."""
        page = self.at("start")
        page.get_by_label("Abstract, idea or question").fill(text)
        page.wait_for_selector(f"option[value={library}]", state="attached")
        page.get_by_label("Library", exact=True).select_option(library)
        page.get_by_label("Published before").fill("2100-01-01")
        page.get_by_label("Published on or after").fill("1990-01-01")
        page.get_by_label("Papers to keep").fill("8")
        page.get_by_label("Papers to cite").fill("4")
        for tick in ticks:
            page.get_by_label(tick).check()
        page.locator("button.big").click()
        page.wait_for_url("**/app/#/run/**")
        return page.url.split("/run/")[1].split("/")[0]

    def is_well(self) -> None:
        """No error, nothing asked of anybody else, nothing wider than the window, no options."""
        assert self.wrong == []
        assert not OPTION.search(self.page.locator("body").inner_text())
        assert self.page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )

    def looks_right(self) -> None:
        """`is_well`, and no fault of access."""
        self.is_well()
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)
        assert self.page.evaluate(_FAULTS) == []

    def looks_right_everywhere(self) -> None:
        """`looks_right` on a wide window in light and on a phone in the dark; a narrow phone shows all of it, too."""
        before = self.page.viewport_size
        for wide, scheme in _LOOKS:
            self.page.set_viewport_size({"width": wide, "height": 844})
            self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            self.looks_right()
        self.page.set_viewport_size({"width": 320, "height": 844})
        self.is_well()
        self.page.emulate_media(color_scheme="light", reduced_motion=None)
        if before:
            self.page.set_viewport_size(before)
