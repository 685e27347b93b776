"""Samples of sound, and WAV files of them."""

import io
import wave

import numpy as np
from numpy.typing import NDArray

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
