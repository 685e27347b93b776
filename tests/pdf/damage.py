"""Ways to damage a PDF, as broken downloads, faulty programs and malice do."""

import random
import re
import zlib

WAYS = ("changed", "random", "joined", "numbers", "inside")
"""Bytes changed; random bytes behind a header; half of one and half of another; numbers of the file's
structure changed; numbers and words of what is packed in streams changed, and packed again, as only a
program would do it."""
_STREAM = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)
_NUMBER = re.compile(rb"(?<=[ /\[(])\d[\d.]{0,8}(?=[ /\]\r\n>])")
_NUMBERS = (0, 1, -1, 7, 99, 65_535, 40_000_000, (1 << 31) - 1, 1 << 32)
_LARGEST = 4_000_000
"""Bytes to which a file grows at most."""


def damaged(way: str, content: bytes, other: bytes, rng: random.Random) -> bytes:
    """Return a file damaged in one of `WAYS`; `other` is another file to take parts of."""
    if way == "changed":
        return _changed(content, rng.randint(1, 1000), rng)
    if way == "random":
        return (
            b"%PDF-1." + bytes([rng.choice(b"34567"), 10]) + rng.randbytes(rng.randint(0, 60_000))
        )
    if way == "joined":
        return content[: rng.randrange(len(content))] + other[rng.randrange(len(other)) :]
    if way == "inside":
        return _repacked(content, rng)
    return _renumbered(content, rng, rng.randint(1, 30))


def _changed(content: bytes, count: int, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(count):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _renumbered(content: bytes, rng: random.Random, most: int) -> bytes:
    """Change some numbers of the structure: lengths, references, places, counts, sizes."""
    places = [match.span() for match in _NUMBER.finditer(content)]
    chosen = sorted(rng.sample(places, min(len(places), most)))
    parts, position = [], 0
    for start, end in chosen:
        parts += [content[position:start], b"%d" % rng.choice(_NUMBERS)]
        position = end
    return b"".join([*parts, content[position:]])


def _repacked(content: bytes, rng: random.Random) -> bytes:
    """Change what is packed in some streams, which their damaged packing would hide otherwise."""
    streams = list(_STREAM.finditer(content))
    chosen = {match.start() for match in rng.sample(streams, min(len(streams), 6))}

    def changed(match: re.Match[bytes]) -> bytes:
        if match.start() not in chosen:
            return match[0]
        try:
            plain = zlib.decompressobj().decompress(match[1], _LARGEST)
        except zlib.error:
            return match[0]
        plain = _renumbered(plain, rng, rng.randint(1, 200))
        if plain and rng.random() < 0.5:
            plain = _changed(plain, rng.randint(1, 20), rng)
        return b"stream\n" + zlib.compress(plain) + b"\nendstream"

    return _STREAM.sub(changed, content)
