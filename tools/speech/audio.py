"""Audio as the engines hear it: one channel of 16,000 samples a second, from any usual file."""

from pathlib import Path

import numpy as np

from tools.errors import InputError
from tools.speech.decoding import decode, format_of
from tools.speech.samples import RATE, Samples, UnreadableWaveError, read_wave, resample

MAX_BYTES = 200_000_000
MAX_SECONDS = 600.0
MIN_SECONDS = 0.2
_SILENCE = 0.001  # -60 dB: below the noise of a quiet room in a microphone
_WINDOW = RATE // 10


def read_audio(audio: Path | bytes) -> Samples:
    """Return the sound of a file, or of the bytes of one, at RATE samples a second.

    PCM WAV of any rate, width and number of channels is read with numpy alone; other WAV files,
    FLAC, OGG, MP3, M4A and WebM through PyAV, which comes with the extra `speech`. What it is, is
    seen from its contents, not from its name.

    Raises:
        InputError: It is missing, empty, larger than MAX_BYTES, longer than MAX_SECONDS, no audio,
            damaged or silent; the message says what to give instead.
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
    if _is_silent(samples):
        raise InputError(f"{name} is silent: check the microphone, or give another recording")
    return samples


def _content(audio: Path | bytes) -> tuple[bytes, str]:
    if isinstance(audio, bytes):
        content, name = audio, "the recording"
        size = len(content)
    else:
        name = str(audio)
        if not audio.is_file():  # also a device or pipe, which might never end
            raise InputError(f"{name} is not a file: give the path of a recording")
        size = audio.stat().st_size
        content = b""
    if size > MAX_BYTES:
        raise InputError(f"{name} is larger than {MAX_BYTES // 1_000_000} MB: give a shorter one")
    if isinstance(audio, Path):
        try:
            content = audio.read_bytes()
        except OSError as error:
            raise InputError(f"{name} cannot be read: {error.strerror or error}") from error
    if not content:
        raise InputError(f"{name} is empty: give a recording of a question")
    return content, name


def _decoded(content: bytes, name: str) -> Samples:
    kind = format_of(content)
    if kind is None:
        raise InputError(
            f"{name} is not audio that can be read: give a WAV, FLAC, OGG, MP3, M4A or WebM file"
        )
    if kind == "wav":
        try:
            samples, rate = read_wave(content, MAX_SECONDS + 1)
        except UnreadableWaveError as error:
            return decode(content, kind, name=name, longest=MAX_SECONDS + 1, why=str(error))
        return resample(samples, rate, RATE)
    return decode(content, kind, name=name, longest=MAX_SECONDS + 1, why="")


def _is_silent(samples: Samples) -> bool:
    """Whether no tenth of a second is louder than _SILENCE; a constant offset is no sound."""
    whole = samples[: len(samples) // _WINDOW * _WINDOW].reshape(-1, _WINDOW)
    return bool((whole.std(axis=1) < _SILENCE).all())
