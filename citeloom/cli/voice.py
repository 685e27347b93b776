"""Questions by voice and answers read aloud, for `citeloom ask`; needs the extra 'speech'."""

from pathlib import Path

from rich.markup import escape

from citeloom.cli.telling import print_notice, print_status
from tools.errors import CiteLoomError
from tools.settings import settings


def listen_for_question(source: str) -> str:
    """Return the question in an audio file or spoken into the microphone, and say how long it took.

    Raises:
        CiteLoomError, OSError: It cannot be heard.
    """
    from tools.speech.devices import Pause, record
    from tools.speech.engines import Whisper

    transcriber = Whisper(settings().speech_model)
    if source == "mic":
        print_status("Speak now; pause to end the question.")
    transcript = transcriber.transcribe(record(Pause()) if source == "mic" else Path(source))
    spent = transcript.seconds
    print_status(
        f"Heard in {spent.run:.1f} s (and {spent.load:.1f} s to load {escape(transcript.engine)}): "
        f"“{escape(transcript.text)}”"
    )
    return transcript.text


def say_aloud(text: str, where: str) -> None:
    """Read a text aloud, or into a WAV file; what cannot be spoken is told, for it is printed, too."""
    from tools.speech.devices import play
    from tools.speech.engines import Espeak

    try:
        speech = Espeak(settings().speech_voice).speak(text)
        if where == "aloud":
            play(speech)
        else:
            Path(where).write_bytes(speech.wav)
    except (CiteLoomError, OSError) as error:
        print_notice("Not read aloud", str(error))
        return
    spent = speech.seconds
    print_status(
        f"Spoken in {spent.run:.1f} s (and {spent.load:.1f} s to load {escape(speech.engine)}), "
        f"{spent.audio:.0f} s of audio"
    )
