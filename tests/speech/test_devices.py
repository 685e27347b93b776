"""Microphone and loudspeaker: when a recording ends, and what is said where they are missing."""

from unittest.mock import Mock

import numpy as np
import pytest

from tests.speech.sounds import tone
from tools.errors import PermanentError
from tools.speech import devices
from tools.speech.audio import Samples, Seconds, Speech, write_wave
from tools.speech.devices import Pause, play, record

QUIET = np.random.default_rng(1).normal(0, 0.001, 1600).astype(np.float32)
LOUD = tone(16_000, 0.1)
SPEECH = Speech(write_wave(LOUD, 16_000), 16_000, Seconds(load=0, run=0, audio=0.1), "none")


@pytest.mark.parametrize(
    ("blocks", "end", "why"),
    [
        ([QUIET] * 10 + [LOUD] * 8 + [QUIET] * 9 + [LOUD] * 3 + [QUIET] * 40, 40, "a short pause"),
        ([20 * QUIET] * 5 + [LOUD] * 8 + [20 * QUIET] * 40, 23, "a noisy room"),
        ([QUIET] * 50, 30, "no speech"),
        ([QUIET] * 5 + [LOUD] + [QUIET] * 50, 36, "a click is no speech"),
    ],
)
def test_recording_ends_when_the_speaker_has_ended_or_patience_does(
    blocks: list[Samples], end: int, why: str
) -> None:
    pause = Pause(1.0, patience=3.0)
    assert next(number for number, block in enumerate(blocks, 1) if pause(block)) == end, why


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (Mock(side_effect=ImportError("none")), r"citeloom\[speech\]"),
        (Mock(side_effect=OSError("no PortAudio")), "libportaudio2"),
    ],
)
def test_without_sounddevice_or_portaudio_the_way_around_is_said(
    monkeypatch: pytest.MonkeyPatch, module: Mock, name: str
) -> None:
    monkeypatch.setattr(devices, "import_module", module)
    with pytest.raises(PermanentError, match=rf"{name}.*have it written into a file"):
        play(SPEECH)
    with pytest.raises(PermanentError, match=rf"{name}.*give a recording"):
        record(Pause())
