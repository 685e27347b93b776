"""Make a search query of a question, and say what a whole answer must cover."""

from collections.abc import Mapping

from tools.text.asking.aspects import aspects
from tools.text.asking.keywords import corrected, keywords, plain_question
from tools.text.asking.port import QueryDraft


def search_query(question: str, spellings: Mapping[str, str]) -> QueryDraft:
    """Return keywords to search for and the aspects of the question.

    A question that asks how gets the word 'method', one that asks why 'reason' (arXivBot, section 6:
    without it only results are found).

    Args:
        question: One that stands alone.
        spellings: Wrong words of the question and what they should be.
    """
    text = plain_question(corrected(question, spellings))
    return QueryDraft(keywords(text), tuple(aspects(text)))
