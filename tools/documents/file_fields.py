"""The `file` fields of BibTeX: JabRef's, Zotero's, Better BibTeX's and Mendeley's forms."""

import re
from collections.abc import Iterator

_TYPE = re.compile(r"(?:[\w.+-]+/[\w.+-]+|[A-Za-z][\w +-]{0,30})?")
_MASKED = re.compile(r"\\([;:,{}_%&#$])|\{([_%&#$])\}")
_DRIVE = re.compile(r"[A-Za-z]")
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,8}(?:\.gz)?\s*$")


def paths_in(value: str) -> list[str]:
    r"""Return the paths that a `file` field names, as they were meant.

    The forms: `desc:path:type` apart by semicolons (JabRef, Zotero, Mendeley), bare paths apart by
    semicolons (Better BibTeX), each with `\:`, `\;` and `\\` for the sign itself, and Mendeley's
    `$\backslash$:`.
    """
    text = value.replace("{\\textbackslash}", "\\\\").replace("$\\backslash$", "\\")
    found = [_path(entry) for entry in _split(text, ";")]
    return list(dict.fromkeys(path for path in found if path.strip(":;")))


def _path(entry: str) -> str:
    parts = [_bare(part) for part in _split(entry, ":")]
    if len(parts) == 1:
        return parts[0]
    if _DRIVE.fullmatch(parts[0]) and parts[1][:1] in {"\\", "/"}:  # a drive of Windows
        last = parts[-1] if len(parts) > 2 and _is_type(parts[-1]) else None
        return ":".join(parts[:-1] if last is not None else parts)
    if len(parts) == 2:
        return parts[0] if _ENDING.search(parts[0]) and _is_type(parts[1]) else parts[1]
    inner = parts[1:-1] if _is_type(parts[-1]) else parts[1:]
    return ":".join(inner)


def _is_type(text: str) -> bool:
    return bool(_TYPE.fullmatch(text)) and not _ENDING.search(text)


def _bare(text: str) -> str:
    bare = _MASKED.sub(lambda found: found[1] or found[2], text).strip()
    # Better BibTeX doubles backslashes, and a path of Windows begins with one.
    return bare.replace("\\\\", "\\")


def _split(text: str, sign: str) -> Iterator[str]:
    """Split at a sign that no backslash masks."""
    part: list[str] = []
    masked = False
    for char in text:
        if char == sign and not masked:
            yield "".join(part)
            part = []
        else:
            part.append(char)
        masked = char == "\\" and not masked
    yield "".join(part)
