"""`citeloom lsp` in a process of its own, driven by pygls' client over stdin and stdout."""

import asyncio
import sys
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from tests.fakes.made_papers import made_papers
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import SERVICES, Work, World

LICHENS = "In tiled chapels the copper roofs of lichens bleach under sulphur rain"


class Editor(LanguageClient):
    """An editor with one language server."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.logged: list[str] = []
        self.published: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()

        def published(params: lsp.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

        def logged(params: lsp.LogMessageParams) -> None:
            self.logged.append(params.message)

        self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
        self.feature(lsp.WINDOW_LOG_MESSAGE)(logged)

    async def begin(self, folder: Path, *arguments: str) -> None:
        await self.start_io(sys.executable, "-m", "citeloom", "lsp", *arguments)
        made = lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), root_uri=folder.as_uri())
        await self.initialize_async(made)
        self.initialized(lsp.InitializedParams())

    async def open(self, path: Path, text: str) -> list[lsp.Diagnostic]:
        item = lsp.TextDocumentItem(path.as_uri(), "text", 1, text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return await self.findings()

    async def findings(self) -> list[lsp.Diagnostic]:
        return list((await asyncio.wait_for(self.published.get(), 120)).diagnostics)


@pytest.fixture
async def editor() -> AsyncIterator[Editor]:
    one = Editor()
    yield one
    await one.shutdown_async(None)
    one.exit(None)
    await one.stop()  # type: ignore[no-untyped-call]


async def test_findings_show_on_open_and_save_with_the_quote_on_hover_and_the_records_field_as_fix(
    home: Path, editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    record = made_papers(1)[0]
    roofs = Work(
        number=0,
        title=record["title"],
        abstract=None,
        date=date(1990, 1, 1),
        doi="10.5555/roofs",
        authors=(("Ann", "Abel"),),
        venue="Journal of Roofs",
        held_by=frozenset(SERVICES),
    )
    entry = (
        f"@article{{roofs,\n title={{{roofs.title}}},\n author={{Abel, Ann}},\n  year = {{1990}},\n"
        f" abstract={{{record['abstract']}}},\n doi={{{roofs.doi}}}\n}}\n"
    )
    path, listed = home.parent / "draft.md", home.parent / "refs.bib"
    listed.write_text(entry, "utf-8")
    path.write_text(f"{LICHENS} [@roofs].\n\n🦉 owls sing [@lost1].\n", "utf-8")
    with ScholarServer(World([roofs], 0)) as scholar:
        monkeypatch.setenv("CITELOOM_CROSSREF_URL", scholar.crossref_url)
        monkeypatch.setenv("CITELOOM_CROSSREF_RATE", "500")
        await editor.begin(home.parent, "--source", "crossref")
        (one,) = await editor.open(path, path.read_text("utf-8"))
        assert (one.code, one.severity) == ("no-entry", lsp.DiagnosticSeverity.Warning)
        # An owl is two units of UTF-16.
        assert one.range == lsp.Range(lsp.Position(2, 13), lsp.Position(2, 21))
        document = lsp.TextDocumentIdentifier(path.as_uri())
        shown = await editor.text_document_hover_async(
            lsp.HoverParams(document, lsp.Position(0, len(LICHENS) + 3))
        )
        assert shown
        assert isinstance(shown.contents, lsp.MarkupContent)
        assert "supported" in shown.contents.value
        assert f"“{LICHENS}.”" in shown.contents.value
        (one,) = await editor.open(listed, entry.replace("1990", "1983"))
        assert one.code == "wrong-field"
        bib = lsp.TextDocumentIdentifier(listed.as_uri())
        asked = lsp.CodeActionParams(bib, one.range, lsp.CodeActionContext([one]))
        (action,) = await editor.text_document_code_action_async(asked) or ()
        whole = lsp.TextDocumentContentChangeWholeDocument(f"{LICHENS} [@roofs].\n")
        changed = lsp.VersionedTextDocumentIdentifier(2, path.as_uri())
        editor.text_document_did_change(lsp.DidChangeTextDocumentParams(changed, [whole]))
        editor.text_document_did_save(lsp.DidSaveTextDocumentParams(document))
        assert await editor.findings() == []
        listed.write_text("@article{never closed", "utf-8")
        editor.text_document_did_save(lsp.DidSaveTextDocumentParams(document))
        assert await editor.findings() == []
    assert isinstance(action, lsp.CodeAction)
    assert action.edit
    assert action.edit.changes
    (edit,) = action.edit.changes[bib.uri]
    end = lsp.Position(3, 2 + len("year = {1983}"))
    assert edit == lsp.TextEdit(lsp.Range(lsp.Position(3, 2), end), "year = {1990}")
    assert any("no usable record" in line for line in editor.logged)
