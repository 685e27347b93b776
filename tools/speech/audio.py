"""Sound: what hearing and speaking give, WAV files, and any audio file as Whisper hears it, 16,000 samples a second."""

import io
import wave
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.errors import InputError, PermanentError, how_to_install

Samples = NDArray[np.float32]
"""One channel, from -1 to 1."""


def write_wave(samples: Samples, rate: int) -> bytes:
    """Return a WAV file of 16 bits a sample; what is louder than 1 is cut off there."""
    whole = np.rint(np.clip(samples, -1, 1) * 32_767).astype("<i2")
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(whole.tobytes())
    return target.getvalue()


@dataclass(frozen=True, slots=True)
class Seconds:
    """What one call took, and how long its audio is."""

    load: float
    """Loading the engine; 0 where it was loaded already."""
    run: float
    """All the rest: decoding, resampling and the engine itself."""
    audio: float
    """Length of the audio that was heard or made."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said; `text` is never empty."""

    text: str
    seconds: Seconds
    language: str
    """ISO 639-1 code."""
    engine: str
    """Name and version of engine and model."""


@dataclass(frozen=True, slots=True)
class Speech:
    """A text read aloud: `wav` is a whole WAV file, 16 bits a sample, one channel."""

    wav: bytes
    rate: int
    """Samples a second."""
    seconds: Seconds
    engine: str


RATE = 16_000
"""Samples a second that Whisper was trained on."""
MAX_BYTES = 200_000_000
MAX_SECONDS = 600.0
MIN_SECONDS = 0.2
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


def read_audio(audio: Path | bytes) -> Samples:
    """Return the sound of a file, or of the bytes of one, at RATE samples a second.

    WAV, FLAC, OGG, MP3, M4A and WebM are read through PyAV, which comes with the extra `speech`.
    What it is, is seen from its contents, not from its name.

    Raises:
        InputError: It is missing, empty, larger than MAX_BYTES, longer than MAX_SECONDS, no audio,
            or damaged; the message says what to give instead.
        PermanentError: It needs PyAV, which is not installed.
    """
    content, name = _content(audio)
    samples = np.nan_to_num(_decoded(content, name), nan=0, posinf=0, neginf=0)
    seconds = len(samples) / RATE
    if seconds > MAX_SECONDS:
        raise InputError(
            f"{name} is longer than {MAX_SECONDS / 60:.0f} minutes: give a shorter recording"
        )
    if seconds < MIN_SECONDS:
        raise InputError(f"{name} holds {seconds:.2f} s of sound: give a recording of a question")
    return samples


def _content(audio: Path | bytes) -> tuple[bytes, str]:
    name = "the recording" if isinstance(audio, bytes) else str(audio)
    if (
        isinstance(audio, Path) and not audio.is_file()
    ):  # also a device or pipe, which might never end
        raise InputError(f"{name} is not a file: give the path of a recording")
    size = len(audio) if isinstance(audio, bytes) else audio.stat().st_size
    if size > MAX_BYTES:
        raise InputError(f"{name} is larger than {MAX_BYTES // 1_000_000} MB: give a shorter one")
    try:
        content = audio if isinstance(audio, bytes) else audio.read_bytes()
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from error
    if not content:
        raise InputError(f"{name} is empty: give a recording of a question")
    return content, name


def _decoded(content: bytes, name: str) -> Samples:
    kind = _format_of(content)
    if kind is None:
        raise InputError(
            f"{name} is not audio that can be read: give a WAV, FLAC, OGG, MP3, M4A or WebM file"
        )
    try:
        av = import_module("av")
    except ImportError as error:
        raise PermanentError(
            f"no speech recognition installed: {how_to_install('speech')}"
        ) from error
    try:
        pieces = _pieces(av, content, kind, MAX_SECONDS + 1)
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


def _format_of(content: bytes) -> str | None:
    """Return the name of FFmpeg's demuxer for a file's contents; None if it is no usual audio."""
    if content[:4] in _WAVES and content[8:12] == b"WAVE":
        return "wav"
    for place, mark, name in _MARKS:
        if content[place : place + len(mark)] == mark:
            return name
    if len(content) > 2 and content[0] == 0xFF and content[1] & 0xE6 == 0xE2:
        return "mp3"  # a frame of layer III with no ID3 tag before it
    return None
