"""Microphone and loudspeaker: when a recording ends, and what is said where they are missing."""

import sys
from types import ModuleType

import numpy as np
import pytest

from tests.speech.sounds import tone, wav
from tools.errors import PermanentError
from tools.speech.devices import Pause, play, record
from tools.speech.results import Seconds, Speech
from tools.speech.waves import Samples

QUIET = np.random.default_rng(1).normal(0, 0.001, 1600).astype(np.float32)
LOUD = tone(16_000, 0.1)
SPEECH = Speech(wav(LOUD, 16_000), 16_000, Seconds(load=0, run=0, audio=0.1), "none")


def blocks_until_end(pause: Pause, blocks: list[Samples]) -> int:
    return next(number for number, block in enumerate(blocks, 1) if pause(block))


def test_recording_ends_when_the_speaker_has_ended() -> None:
    blocks = [QUIET] * 10 + [LOUD] * 8 + [QUIET] * 9 + [LOUD] * 3 + [QUIET] * 40
    assert blocks_until_end(Pause(1.0), blocks) == 10 + 8 + 9 + 3 + 10


def test_recording_in_a_noisy_room_ends_too() -> None:
    blocks = [20 * QUIET] * 5 + [LOUD] * 8 + [20 * QUIET] * 40
    assert blocks_until_end(Pause(1.0), blocks) == 5 + 8 + 10


def test_recording_of_nobody_ends_when_patience_does() -> None:
    assert blocks_until_end(Pause(1.0, patience=3.0), [QUIET] * 50) == 30


def test_click_is_no_speech() -> None:
    blocks = [QUIET] * 5 + [LOUD] + [QUIET] * 50
    assert blocks_until_end(Pause(1.0, patience=3.0), blocks) == 5 + 1 + 30


def test_without_sounddevice_the_way_around_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(PermanentError, match=r"citeloom\[speech\].*--speak FILE"):
        play(SPEECH)
    with pytest.raises(PermanentError, match=r"citeloom\[speech\].*--listen FILE"):
        record(Pause())


class _WithoutPortAudio:
    """Imports sounddevice as it goes on a machine that has no PortAudio."""

    def find_spec(self, name: str, _path: object, _target: ModuleType | None = None) -> None:
        if name == "sounddevice":
            raise OSError("PortAudio library not found")


def test_without_portaudio_the_way_around_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [_WithoutPortAudio(), *sys.meta_path])
    with pytest.raises(PermanentError, match=r"libportaudio2.*--speak FILE"):
        play(SPEECH)
    with pytest.raises(PermanentError, match=r"libportaudio2.*--listen FILE"):
        record(Pause())
