"""The engines themselves: what one says, another hears."""

import io
import wave
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from evals.speech import QUESTIONS, distance, words
from tests.speech.sounds import (
    QUESTION,
    needs_espeak,
    needs_flite,
    needs_library,
    needs_sphinx,
    needs_whisper,
    wav,
)
from tools.errors import InputError, PermanentError
from tools.speech.espeak_library import EspeakLibrary
from tools.speech.joining import MAX_CHARACTERS
from tools.speech.piper import Piper
from tools.speech.port import Speaker, Transcriber
from tools.speech.programs import Program
from tools.speech.sphinx import Sphinx
from tools.speech.whisper import Whisper

FLITE = pytest.param(partial(Program, "flite"), id="flite", marks=needs_flite)
ESPEAK = pytest.param(partial(Program, "espeak"), id="espeak", marks=needs_espeak)
LIBRARY = pytest.param(EspeakLibrary, id="library", marks=needs_library)
NOISE = np.random.default_rng(1).normal(0, 0.05, 32_000).astype(np.float32)


@pytest.fixture(params=[FLITE, ESPEAK, LIBRARY])
def speaker(request: pytest.FixtureRequest) -> Speaker:
    opened: Speaker = request.param()
    return opened


@pytest.fixture(scope="module")
def whisper() -> Transcriber:
    return Whisper()


def error_rate(said: str, heard: str) -> float:
    return distance(words(said), words(heard)) / len(words(said))


def test_speech_is_a_wave_file_of_the_length_it_tells(speaker: Speaker) -> None:
    speech = speaker.speak(QUESTION)
    with wave.open(io.BytesIO(speech.wav)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        assert file.getframerate() == speech.rate
        seconds = file.getnframes() / speech.rate
    assert speech.seconds.audio == pytest.approx(seconds, abs=1e-3)
    assert 2 < seconds < 8
    assert speech.seconds.run > 0
    assert speech.engine.split()[1][0].isdigit()


def test_same_text_lasts_as_long_and_a_longer_one_longer(speaker: Speaker) -> None:
    first = speaker.speak(QUESTION)
    # Not the same bytes: the library's voice flutters a little, from one call to the next.
    again = speaker.speak(QUESTION)
    assert again.seconds.audio == pytest.approx(first.seconds.audio, rel=0.01)
    assert speaker.speak(f"{QUESTION} " * 20).seconds.audio > 18 * first.seconds.audio


def test_speaker_says_what_it_cannot_say(speaker: Speaker) -> None:
    for text in ("", "  \n", "**", "```\ncode\n```", "😀"):
        with pytest.raises(InputError, match="no words"):
            speaker.speak(text)
    with pytest.raises(InputError, match="at most 20,000"):
        speaker.speak("word " * (MAX_CHARACTERS // 5 + 1))


def test_odd_texts_are_said(speaker: Speaker) -> None:
    for text in ("-v --help $(id) `id`", "naïve Müller", "<break time='9s'/> one", "a" * 3000):
        assert speaker.speak(text).seconds.audio > 0.2


def test_threads_take_turns(speaker: Speaker) -> None:
    texts = ["Question. " * number for number in range(1, 7)]
    alone = [speaker.speak(text).seconds.audio for text in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: speaker.speak(text).seconds.audio, texts))
    assert together == pytest.approx(alone, rel=0.02)


@pytest.mark.parametrize("engine", [FLITE, ESPEAK, LIBRARY])
def test_unknown_voice_is_said(engine: Callable[[str], Speaker]) -> None:
    speaker = engine("xx-no")
    with pytest.raises((InputError, PermanentError), match=r"no voice|does not exist"):
        speaker.speak(QUESTION)


def test_voice_is_no_option() -> None:
    with pytest.raises(InputError, match="no name of a voice"):
        Program("flite", "--help")


@needs_flite
def test_script_that_flite_cannot_say_is_said() -> None:
    with pytest.raises(InputError, match="cannot say"):
        Program("flite").speak("日本語の文章")


@needs_whisper
def test_whisper_hears_what_was_said(speaker: Speaker, whisper: Transcriber) -> None:
    speech = speaker.speak(QUESTION)
    heard = whisper.transcribe(speech.wav)
    bound = 0.25 if speaker.name == "flite" else 0.5  # two of eleven words, or five
    assert error_rate(QUESTION, heard.text) <= bound
    assert heard.language == "en"
    assert heard.engine.endswith("tiny.en")
    assert heard.seconds.audio == pytest.approx(speech.seconds.audio, abs=0.01)
    assert whisper.transcribe(speech.wav).seconds.load == 0


@needs_whisper
@needs_flite
def test_long_answer_is_heard_to_its_end(whisper: Transcriber) -> None:
    answer = " ".join([*QUESTIONS, "This is the end of the answer."])
    speech = Program("flite").speak(answer)
    assert speech.seconds.audio > 30
    heard = whisper.transcribe(speech.wav).text
    assert error_rate(answer, heard) < 0.25
    assert "end of the answer" in heard


@needs_whisper
def test_whisper_hears_nothing_in_noise(whisper: Transcriber) -> None:
    with pytest.raises(InputError, match="nobody speaks"):
        whisper.transcribe(wav(NOISE, 16_000))


@needs_whisper
def test_folder_without_a_whole_model_is_said(tmp_path: Path) -> None:
    sound = wav(NOISE, 16_000)
    with pytest.raises(PermanentError, match="no Whisper model"):
        Whisper(tmp_path).transcribe(sound)
    (tmp_path / "model.bin").write_bytes(b"no model")
    with pytest.raises(PermanentError, match=r"no tokenizer\.json"):
        Whisper(tmp_path).transcribe(sound)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(PermanentError, match="damaged"):
        Whisper(tmp_path).transcribe(sound)


@needs_sphinx
@needs_flite
def test_sphinx_hears_most_of_what_was_said() -> None:
    heard = Sphinx().transcribe(Program("flite").speak(QUESTION).wav)
    assert error_rate(QUESTION, heard.text) < 0.7
    assert heard.engine.startswith("pocketsphinx")
    assert heard.seconds.load > 0


def test_piper_voice_that_is_not_whole_is_said(tmp_path: Path) -> None:
    voice = tmp_path / "voice.onnx"
    with pytest.raises(InputError, match=r"voice\.onnx is missing"):
        Piper(voice)
    voice.write_bytes(b"no voice")
    with pytest.raises(InputError, match=r"voice\.onnx\.json is missing"):
        Piper(voice)
    voice.with_name("voice.onnx.json").write_text("{}")
    with pytest.raises(PermanentError, match=r"no voice|Piper is missing"):
        Piper(voice).speak(QUESTION)
