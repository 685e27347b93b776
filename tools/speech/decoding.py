"""Compressed audio, through PyAV: the bytes only, never another file or an address."""

import io
from importlib import import_module
from typing import Any

import numpy as np

from tools.errors import InputError, PermanentError
from tools.speech.samples import RATE, Samples

# (where, what, FFmpeg's demuxer). A fixed demuxer also keeps FFmpeg from taking a playlist for
# audio: those name files and addresses which it would then open.
_MARKS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"fLaC", "flac"),
    (0, b"OggS", "ogg"),
    (0, b"ID3", "mp3"),
    (4, b"ftyp", "mov"),
    (0, b"\x1aE\xdf\xa3", "matroska"),
)
_WAVES = (b"RIFF", b"RIFX", b"RF64")


def format_of(content: bytes) -> str | None:
    """Return the name of FFmpeg's demuxer for a file's contents; None if it is no usual audio."""
    if content[:4] in _WAVES and content[8:12] == b"WAVE":
        return "wav"
    for place, mark, name in _MARKS:
        if content[place : place + len(mark)] == mark:
            return name
    if len(content) > 2 and content[0] == 0xFF and content[1] & 0xE6 == 0xE2:
        return "mp3"  # a frame of layer III with no ID3 tag before it
    return None


def decode(content: bytes, kind: str, *, name: str, longest: float, why: str) -> Samples:
    """Return the first `longest` seconds of sound, one channel, 16,000 samples a second.

    Args:
        content: The whole file.
        kind: What `format_of` said of it.
        name: The file's name, for messages.
        longest: Seconds after which decoding stops, however little the file is.
        why: What is wrong with a WAV file that ours could not read; may be empty.

    Raises:
        InputError: It is damaged, or has no sound.
        PermanentError: PyAV is not installed.
    """
    try:
        av = import_module("av")
    except ImportError as error:
        reason = f" ({why})" if why else ""
        raise PermanentError(
            f"{name} is no plain WAV file{reason}: convert it to one, or run "
            "`pip install 'citeloom[speech]'`"
        ) from error
    try:
        pieces = _pieces(av, content, kind, longest)
    except (av.error.FFmpegError, ValueError, EOFError) as error:
        raise InputError(f"{name} is damaged ({error}): give another recording") from error
    except LookupError as error:
        raise InputError(f"{name} has no sound track: give a recording") from error
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.float32)


def _pieces(av: Any, content: bytes, kind: str, longest: float) -> list[Samples]:
    pieces: list[Samples] = []
    length = 0
    with av.open(io.BytesIO(content), format=kind) as container:
        stream = container.streams.audio[0]
        resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
        for frame in container.decode(stream):
            for piece in resampler.resample(frame):
                pieces.append(piece.to_ndarray().reshape(-1).astype(np.float32))
                length += len(pieces[-1])
            if length > longest * RATE:
                return pieces
        pieces.extend(piece.to_ndarray().reshape(-1) for piece in resampler.resample(None))
    return pieces
