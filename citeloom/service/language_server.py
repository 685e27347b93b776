"""The language server: findings of `verify` and `references` in an editor, quotes on hover, fixes of wrong fields.

A text is checked when it is opened and when it is saved. Its papers are those of the BibTeX files beside it, or of the
file that the server was started with.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from citeloom.report.findings import (
    RULES,
    Finding,
    not_looked_up,
    reference_findings,
    text_findings,
)
from citeloom.report.verdicts import support_of
from state.value import Place
from tools.bibliography.read_records import is_bibtex
from tools.bibliography.text_runs import escape
from tools.errors import CiteLoomError
from tools.run_settings import RunSettings

_LEVELS = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}


@dataclass
class _Checked:
    """What is known of one document, as it was when it was checked."""

    findings: list[Finding] = field(default_factory=list)
    shown: list[tuple[Place, str]] = field(default_factory=list)
    """What hovering over a place shows, as plain text."""
    notes: list[str] = field(default_factory=list)


def language_server(
    read_papers: Callable[[Path], list[dict[str, Any]]],
    papers: Path | None = None,
    sources: Sequence[str] = (),
) -> LanguageServer:
    """Return the server.

    Args:
        read_papers: Reads the records of a file, with their places.
        papers: The file of the papers that texts cite; without one, the BibTeX files beside each text.
        sources: Where to look references up; without any, nothing is looked up.
    """
    server = LanguageServer("citeloom", version("citeloom"))
    known: dict[str, _Checked] = {}

    async def check(uri: str) -> None:
        document = server.workspace.get_text_document(uri)
        try:
            if is_bibtex(document.filename or ""):
                checked = await _references(document, sources)
            else:
                files = [papers] if papers else sorted(Path(document.path).parent.glob("*.bib"))
                listed = [record for file in files for record in read_papers(file)]
                checked = await _text(document, listed, sources)
        except CiteLoomError as error:
            checked = _Checked(notes=[str(error)])
        known[uri] = checked
        for note in checked.notes:
            told_note = lsp.LogMessageParams(type=lsp.MessageType.Info, message=f"{note}.")
            server.window_log_message(told_note)
        found = [_diagnostic(server, document, one) for one in checked.findings]
        told = lsp.PublishDiagnosticsParams(uri=uri, diagnostics=found)
        server.text_document_publish_diagnostics(told)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        await check(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        await check(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        known.pop(params.text_document.uri, None)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        document = server.workspace.get_text_document(params.text_document.uri)
        shown = known.get(document.uri, _Checked()).shown
        at = params.position
        told = [
            text
            for place, text in shown
            if (span := _range(server, document, place)).start <= at <= span.end
        ]
        if not told:
            return None
        text = "\n\n".join(dict.fromkeys(told))
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.PlainText, text))

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    )
    def fixes(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        document = server.workspace.get_text_document(params.text_document.uri)
        found = known.get(document.uri, _Checked()).findings
        actions = (_fix(server, document, one, params.range) for one in found if one.right)
        return [one for one in actions if one]

    return server


async def _text(
    document: TextDocument, papers: Sequence[Mapping[str, Any]], sources: Sequence[str]
) -> _Checked:
    from graphs.verify import graph

    file = str(document.path)
    called: Any = graph  # the run is not kept
    sent = {"text": document.source, "file": file, "papers": list(papers)}
    looked = {"sources": list(sources)} if sources else {}
    values = await called.ainvoke({**sent, **looked}, context=RunSettings())
    findings = [
        one
        for one in text_findings(values, file)
        if one.file == file and (one.place or one.rule != "not-checked")
    ]
    labels: Mapping[str, str] = values.get("labels") or {}
    audit = values.get("audit")
    shown = [
        (one.place, f"{labels.get(one.key, one.key)}: {support_of(one)}")
        for one in (audit.verdicts if audit else ())
        if one.place
    ]
    return _Checked(findings, shown, list(values.get("notes") or ()))


async def _references(document: TextDocument, sources: Sequence[str]) -> _Checked:
    from graphs.references import graph

    called: Any = graph
    upload = {"name": str(document.path), "content": document.source, "encoding": "text"}
    sent = {"uploads": [upload], "sources": list(sources)}
    values = await called.ainvoke(sent, context=RunSettings())
    findings = reference_findings(values)
    shown = [(one.place, one.message) for one in findings if one.place]
    notes = [*(values.get("notes") or ()), *filter(None, [not_looked_up(values)])]
    return _Checked(findings, shown, notes)


def _range(server: LanguageServer, document: TextDocument, place: Place | None) -> lsp.Range:
    """Return a place in the units of the client; the first line where it is not known."""
    if not place or not place.line or not place.column:
        return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    start = lsp.Position(place.line - 1, place.column - 1)
    end = lsp.Position((place.end_line or place.line) - 1, (place.end_column or place.column) - 1)
    codec = server.workspace.position_codec
    return codec.range_to_client_units(document.lines, lsp.Range(start, end))


def _diagnostic(server: LanguageServer, document: TextDocument, one: Finding) -> lsp.Diagnostic:
    return lsp.Diagnostic(
        range=_range(server, document, one.place),
        message=f"{one.message}\n{RULES[one.rule].help}",
        severity=_LEVELS[one.level],
        code=one.rule,
        source="citeloom",
    )


def _fix(
    server: LanguageServer, document: TextDocument, one: Finding, asked: lsp.Range
) -> lsp.CodeAction | None:
    """Return the edit that puts what the record has into a wrong field, where the field still stands there."""
    span = _range(server, document, one.place)
    if span.end < asked.start or asked.end < span.start:
        return None
    name, sign, _ = document.source[document.offset_at_position(span.start) :].partition("=")
    if not sign or not name.strip().isalpha() or span.start == span.end:
        return None
    right = (
        one.right
        if name.strip().lower() in {"doi", "eprint", "year", "date"}
        else escape(one.right)
    )
    edit = lsp.TextEdit(span, f"{name}= {{{right}}}")
    return lsp.CodeAction(
        title=f"Set {name.strip()} to what the record has: {one.right}",
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(server, document, one)],
        edit=lsp.WorkspaceEdit(changes={document.uri: [edit]}),
    )
