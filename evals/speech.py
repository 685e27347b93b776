"""How well and how fast speech goes there and back: questions are read aloud and transcribed.

    python -m evals.speech [--voice VOICE]

Word error rate: words wrong, missing or added, of the words read; case and punctuation do not
count, and numbers are read as words. Speech from a machine is no speech of a person in a room.
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.errors import CiteLoomError
from tools.speech.espeak import Espeak
from tools.speech.results import Speech, Transcript
from tools.speech.whisper import Whisper

QUESTIONS = (
    "How do neural rankers compare with keyword matching when queries are short?",
    "What share of the references in generated reviews turn out to be fabricated?",
    "Which benchmarks measure whether a summary is faithful to its sources?",
    "Do citation graphs help to find prior work that keywords miss?",
    "Who introduced dense passage retrieval, and on which data was it trained?",
    "When should a system answer that it does not know?",
    "How are duplicates of the same paper recognized across several databases?",
    "Is there agreement between human judges and automatic measures of quality?",
    "What do studies of biomedical search say about synonyms and spelling?",
    "Why does adding more context sometimes make the answer worse?",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One question, there and back."""

    question: str
    speech: Speech
    transcript: Transcript | None
    """None where nothing was heard."""

    @property
    def errors(self) -> int:
        """How many words are wrong."""
        return distance(
            words(self.question), words(self.transcript.text if self.transcript else "")
        )


def words(text: str) -> list[str]:
    """Return what counts of a text: its words, in lower case."""
    return re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower().replace("’", "'"))


def distance(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the fewest changes, additions and removals that make one sequence the other."""
    row = list(range(len(right) + 1))
    for number, mine in enumerate(left, 1):
        corner, row[0] = row[0], number
        for place, yours in enumerate(right, 1):
            changed = corner + (mine != yours)
            corner = row[place]
            row[place] = min(changed, row[place] + 1, row[place - 1] + 1)
    return row[-1]


def word_error_rate(turns: Sequence[Turn]) -> float:
    """Return the wrong words of all turns over all words asked."""
    return sum(turn.errors for turn in turns) / sum(len(words(turn.question)) for turn in turns)


def there_and_back(questions: Sequence[str], speaker: Espeak, transcriber: Whisper) -> list[Turn]:
    """Have each question read aloud and transcribed."""
    turns = []
    for question in questions:
        speech = speaker.speak(question)
        try:
            heard = transcriber.transcribe(speech.wav)
        except CiteLoomError as error:
            print(f"  nothing heard of {question!r}: {error}")
            turns.append(Turn(question, speech, None))
        else:
            turns.append(Turn(question, speech, heard))
    return turns


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--voice", help="A voice of the speaker.")
    given = arguments.parse_args()
    _report(there_and_back(QUESTIONS, Espeak(given.voice), Whisper()))


def _report(turns: Sequence[Turn]) -> None:
    heard = [turn.transcript for turn in turns if turn.transcript]
    print(f"{turns[0].speech.engine} -> {heard[0].engine if heard else 'nothing heard'}")
    for turn in turns:
        if turn.errors:
            said = turn.transcript.text if turn.transcript else ""
            print(f"  {turn.errors} wrong: {turn.question}\n      heard: {said}")
    audio = sum(turn.speech.seconds.audio for turn in turns) / len(turns)
    speaking = sum(turn.speech.seconds.run for turn in turns) / len(turns)
    hearing = sum(found.seconds.run for found in heard) / max(1, len(heard))
    print(
        f"  word error rate {word_error_rate(turns):.3f} of {len(turns)} questions; load: "
        f"speaker {turns[0].speech.seconds.load:.2f} s, "
        f"transcriber {heard[0].seconds.load if heard else 0:.2f} s; "
        f"a question: {audio:.2f} s of audio, spoken in {speaking:.2f} s, heard in {hearing:.2f} s"
    )


if __name__ == "__main__":
    main()
