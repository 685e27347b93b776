"""Sentences of a paper that command whoever reads it by machine, such as 'ignore the above'.

Prompts fence what comes from papers and say that it is data; a small model may obey it all the
same. So such sentences are not shown to a mind at all. The patterns are few and plain: they are a
second lock, not the first.
"""

import re
from collections.abc import Iterable, Sequence

from state.paper import Paper
from state.quote import Quote
from state.run import Failure
from tools.evidence.quotes import quote_paper
from tools.text.words import split_sentences

_COMMANDS = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override)\b[^\w.!?]+(?:\w+[^\w.!?]+){0,4}?
        (?:above|instructions?|prompts?)\b
    | \b(?:score|rate|rank|grade|assign|give|award)\b[^\w.!?]+(?:\w+[^\w.!?]+){0,5}?
        (?:100\b(?!\s*[\w%])|10/10
        |(?:highest|top|maximum|full|perfect)\W+(?:possible\W+)?(?:scores?|marks?|ratings?|rank)\b)
    | \byou\s+are\s+(?:now\s+)?(?:an?|the)\s+(?:\w+\s+)?(?:AI|assistant|chatbot|language\s+model|LLM|reviewer)\b
    | <\|?(?:im_start|im_end|system|assistant|user)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_injections(text: str) -> tuple[str, list[str]]:
    """Return a text without the sentences that command a machine, and these sentences."""
    if not _COMMANDS.search(text):
        return text, []
    spans = split_sentences(text)
    commands = [span.text for span in spans if _COMMANDS.search(span.text)]
    if not commands:  # one runs over the end of a sentence: what stands there cannot be told apart
        return "", [text]
    return " ".join(span.text for span in spans if not _COMMANDS.search(span.text)), commands


def own_words(claimed: str, paper: Paper, known: Iterable[Quote] = ()) -> Quote | None:
    """Return words that stand in a paper (see `quote_paper`); none that do not, or that command whoever reads them."""
    quote = quote_paper(claimed, paper, known)
    return quote if quote.verified and not without_injections(quote.text)[1] else None


LEFT_OUT = "CiteLoom left these words out; look at the paper yourself"


def injection_failure(
    stage: str, subject: str, commands: Sequence[str], what: str = "it"
) -> Failure:
    """Tell a person that not all of a text was shown to a mind, and why."""
    return Failure(
        stage=stage,
        subject=subject,
        cause=f"{what} gives commands to machine readers: '{' '.join(commands)[:200]}'",
        remedy=LEFT_OUT,
    )
