"""The running text of a manuscript: paragraphs without headings, comments and commands of layout."""

import re

_COMMENT = re.compile(r"(?<!\\)%.*$", re.MULTILINE)
_LATEX = re.compile(r"\\(?:begin|cite|section|emph|textit|textbf|label|documentclass)")
_DOCUMENT = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)", re.DOTALL)
_STYLED = re.compile(r"\\(?:emph|textit|textbf|textsc|texttt|underline|mbox)\{([^{}]*)\}")
_HEADINGS = re.compile(
    r"\\(?:part|chapter|(?:sub)*section|paragraph|title|author|date)\*?\{[^{}]*\}"
)
_LAYOUT = re.compile(
    r"\\(?:label|ref|bibliographystyle|bibliography|usepackage|documentclass|vspace|input)"
    r"(?:\[[^\]]*\])?\{[^{}]*\}|\\(?:maketitle|newpage|clearpage|noindent|par|item|centering)\b"
    r"|\\(?:begin|end)\{(?:itemize|enumerate|abstract|quote|center)\}"
)
_SYMBOL = re.compile(r"\\([&%#_$])")
_MARKDOWN = re.compile(r"^[ ]{0,3}(?:#{1,6}[ \t].*|[-*_]{3,}|```.*|={3,})$", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]{0,6}(?:[-*+]|\d{1,2}[.)])[ \t]+", re.MULTILINE)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2})(?=\S)([^*\n]{1,300}?)(?<=\S)\1(?![\w*])")


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text in Markdown, LaTeX or plain, each on one line."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _of_latex(text) if _LATEX.search(text) else _FRONT.sub("", text)
    text = _EMPHASIS.sub(r"\2", _BULLET.sub("", _MARKDOWN.sub("\n", text)))
    blocks = (" ".join(block.split()) for block in re.split(r"\n\s*\n", text))
    return [block for block in blocks if any(char.isalpha() for char in block)]


def _of_latex(text: str) -> str:
    if found := _DOCUMENT.search(text):
        text = found[1]
    text = _COMMENT.sub("", text)
    for _ in range(2):  # '\textbf{bold with \emph{italics} inside}'
        text = _STYLED.sub(r"\1", text)
    text = _LAYOUT.sub(" ", _HEADINGS.sub("\n\n", text))
    text = text.replace("~", " ").replace("``", "“").replace("''", "”").replace("\\\\", " ")
    return _SYMBOL.sub(r"\1", text)
