"""WAV files of what was said."""

import io
import wave

import numpy as np

from tests.speech.sounds import tone
from tools.speech.waves import write_wave


def test_too_loud_is_cut_off() -> None:
    with wave.open(io.BytesIO(write_wave(tone(16_000, volume=2.0), 16_000))) as file:
        found = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2") / 32_767
    assert file.getframerate() == 16_000
    np.testing.assert_allclose(found, np.clip(tone(16_000, volume=2.0), -1, 1), atol=1e-3)
