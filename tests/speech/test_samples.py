"""WAV files in and out, and sound at another rate."""

import struct

import numpy as np
import pytest

from tests.speech.sounds import float_wav, tone, wav
from tools.speech.samples import UnreadableWaveError, read_wave, resample, write_wave


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("channels", [1, 2, 5])
def test_any_width_and_number_of_channels_gives_the_same_sound(width: int, channels: int) -> None:
    sound = tone(8000, 0.25)
    found, rate = read_wave(wav(sound, 8000, width=width, channels=channels), longest=10)
    assert rate == 8000
    np.testing.assert_allclose(found, sound, atol=0.01 if width == 1 else 1e-4)


def test_what_is_written_is_read_again_and_too_loud_is_cut_off() -> None:
    found, rate = read_wave(write_wave(tone(16_000, volume=2.0), 16_000), longest=10)
    assert rate == 16_000
    assert found.max() == pytest.approx(1, abs=1e-3)
    np.testing.assert_allclose(found, np.clip(tone(16_000, volume=2.0), -1, 1), atol=1e-3)


def test_length_in_the_header_is_not_believed() -> None:
    honest = wav(tone(8000, 0.5), 8000)
    for lie in (0x7FFFF000, 0xFFFFFFFF):
        lying = honest[:40] + struct.pack("<I", lie) + honest[44:]
        assert len(read_wave(lying, longest=600)[0]) == 4000


def test_reading_stops_after_the_longest() -> None:
    assert len(read_wave(wav(tone(8000, 2.0), 8000), longest=0.5)[0]) == 4000


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(wav(tone(8000), 8000)[:30], id="ends in its header"),
        pytest.param(b"RIFF\x00\x00\x00\x00WAVE", id="no chunks"),
        pytest.param(float_wav(tone(8000), 8000), id="floating point"),
        pytest.param(b"not a wave file at all", id="text"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_what_is_no_pcm_wave_is_said(content: bytes) -> None:
    with pytest.raises(UnreadableWaveError):
        read_wave(content, longest=10)


@pytest.mark.parametrize("rate", [8000, 11_025, 12_347, 22_050, 44_100, 48_000, 96_000])
def test_another_rate_holds_the_same_tone(rate: int) -> None:
    found = resample(tone(rate), rate, 16_000)
    assert len(found) == pytest.approx(16_000, abs=1)
    inner = slice(300, 15_500)
    np.testing.assert_allclose(found[inner], tone(16_000)[inner], atol=1e-3)


def test_tone_that_the_lower_rate_cannot_hold_is_gone() -> None:
    found = resample(tone(48_000, hertz=12_000), 48_000, 16_000)
    assert np.abs(found[500:-500]).max() < 0.001


def test_same_rate_and_no_samples_stay_as_they_are() -> None:
    assert resample(tone(16_000), 16_000, 16_000).tolist() == tone(16_000).tolist()
    assert len(resample(tone(8000)[:0], 8000, 16_000)) == 0
    assert len(resample(tone(8000)[:1], 48_000, 16_000)) == 0
