"""What recordings are taken, and what is said of the others."""

import io
import wave
from pathlib import Path

import numpy as np
import pytest

from tests.speech.sounds import encoded, needs_av, tone
from tools.errors import InputError, PermanentError
from tools.speech import audio
from tools.speech.audio import Samples, read_audio, write_wave

LOUD = tone(16_000)


def same_tone(found: Samples) -> bool:
    """Whether it is the tone of 440 Hz and nothing much besides."""
    power = np.abs(np.fft.rfft(found * np.hanning(len(found)))) ** 2
    hertz = np.fft.rfftfreq(len(found), 1 / 16_000)
    near = np.abs(hertz - 440) < 10
    return bool(power[near].sum() > 0.99 * power.sum())


@needs_av
def test_file_and_its_bytes_are_the_same_sound(tmp_path: Path) -> None:
    content = write_wave(tone(44_100), 44_100)
    (tmp_path / "question.mp3").write_bytes(content)  # its name says nothing
    found = read_audio(tmp_path / "question.mp3")
    assert same_tone(found)
    np.testing.assert_array_equal(found, read_audio(content))


@needs_av
@pytest.mark.parametrize(
    ("form", "codec"), [("mp3", "libmp3lame"), ("webm", "libopus"), ("wav", "pcm_f32le")]
)
def test_compressed_audio_is_decoded(form: str, codec: str) -> None:
    content = encoded(tone(48_000), 48_000, form=form, codec=codec)
    found = read_audio(content)
    assert len(found) == pytest.approx(16_000, rel=0.1)
    assert same_tone(found)


def test_without_the_decoder_what_to_do_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    for content in (b"fLaC" + bytes(100), write_wave(LOUD, 16_000)):
        with pytest.raises(PermanentError, match=r"speech recognition.*citeloom\[speech\]"):
            read_audio(content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"Which methods?", "not audio"),
        (b"%PDF-1.7 and so on", "not audio"),
        (b"#EXTM3U\nfile:///etc/hostname\n", "not audio"),
        (b"RIFF1234AVI LIST and so on", "not audio"),
    ],
)
def test_what_is_no_recording_of_a_question_is_said(content: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_audio(content)


@needs_av
@pytest.mark.parametrize("mark", [b"fLaC", b"OggS", b"ID3", b"\xff\xfb\x90\x00", b"RIFF1234WAVE"])
def test_damaged_file_is_said(mark: bytes) -> None:
    with pytest.raises(InputError, match=r"damaged|no sound track|holds 0\.00 s"):
        read_audio(mark + bytes(range(256)) * 4)


def test_missing_file_folder_and_device_are_said(tmp_path: Path) -> None:
    for path in (tmp_path / "none.wav", tmp_path, Path("/dev/zero")):
        with pytest.raises(InputError, match="is not a file"):
            read_audio(path)


@needs_av
def test_too_short_too_long_and_too_large_are_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"holds 0\.01 s"):
        read_audio(write_wave(LOUD[:100], 16_000))
    with pytest.raises(InputError, match="longer than 10 minutes"):
        read_audio(write_wave(np.tile(tone(1000, 10), 61), 1000))
    monkeypatch.setattr(audio, "MAX_BYTES", 1000)
    (tmp_path / "long.wav").write_bytes(write_wave(LOUD, 16_000))
    for given in (tmp_path / "long.wav", write_wave(LOUD, 16_000)):
        with pytest.raises(InputError, match="larger than"):
            read_audio(given)
    monkeypatch.undo()
    monkeypatch.setattr(audio, "MAX_SECONDS", 2.0)
    with pytest.raises(InputError, match="longer than"):  # a small file that unpacks to hours
        read_audio(encoded(tone(16_000, 30.0), 16_000, form="flac", codec="flac"))


def test_too_loud_is_cut_off() -> None:
    with wave.open(io.BytesIO(write_wave(tone(16_000, volume=2.0), 16_000))) as file:
        found = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2") / 32_767
    assert file.getframerate() == 16_000
    np.testing.assert_allclose(found, np.clip(tone(16_000, volume=2.0), -1, 1), atol=1e-3)
